internal import Glibc
internal import Platform

/// The locations of voice isolation's library and its model. [any]
package struct IsolationFiles: Sendable, Equatable {
  /// A path, or a name for the dynamic linker to find.
  package var library: String
  /// Path of the model's archive.
  package var model: String

  /// Creates a pair; whether the files exist and fit each other turns out when they are loaded.
  package init(library: String, model: String) { (self.library, self.model) = (library, model) }

  /// The library's file name in `folder`.
  package static let libraryName = "libdeepfilter.so"
  /// The model's file name in every folder that is searched.
  package static let modelName = "DeepFilterNet3_onnx.tar.gz"
  /// The SHA-256 of the one model that the library is known to accept.
  package static let modelChecksum = "c94d91f70911001c946e0fabb4aa9adc37045f45a03b56008cb0c8244cb63616"

  /// Names under which distributions install the library.
  private static let installedNames = ["libdeepfilter.so", "libdeepfilter.so.0", "libdf.so"]

  /// Where `nearend isolation install` puts both: `$XDG_DATA_HOME/nearend/isolation`. nil without a home directory.
  package static func folder(_ environment: [String: String]) -> String? {
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return "\(data)/nearend/isolation" }
    return environment["HOME"].map { "\($0)/.local/share/nearend/isolation" }
  }

  /// Finds both: first where nearend itself installs them, then where distributions do.
  /// - Throws: `.notInstalled` or `.noModel`.
  package static func find(_ environment: [String: String]) throws(IsolationError) -> IsolationFiles {
    let folder = folder(environment)
    guard let library = library(in: folder) else { throw .notInstalled }
    let shares = (environment["XDG_DATA_DIRS"].flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/local/share:/usr/share").split(separator: ":")
    let folders = [folder].compactMap { $0 } + shares.flatMap { ["\($0)/nearend/isolation", "\($0)/deepfilternet", "\($0)/DeepFilterNet"] }
    guard let model = folders.map({ "\($0)/\(modelName)" }).first(where: isFile) else { throw .noModel(library: library) }
    return IsolationFiles(library: library, model: model)
  }

  private static func library(in folder: String?) -> String? {
    if let path = folder.map({ "\($0)/\(libraryName)" }), isFile(path) { return path }
    return installedNames.first { name in
      // It stays loaded: a library with threads of its own does not survive being closed.
      guard let handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else { return false }
      return dlsym(handle, "df_process_frame") != nil
    }
  }

  private static func isFile(_ path: String) -> Bool { access(path, R_OK) == 0 }
}
