internal import CLadspa
import Foundation

/// FILE:LABEL, the address of a plug-in in a library. [any]
public struct PlugInAddress: Sendable, Equatable, Hashable, CustomStringConvertible {
  /// A path, or a name to find in the standard folders, with or without ".so".
  public var file: String
  /// The plug-in's label; empty for the library's only plug-in.
  public var label: String

  /// Creates an address from its two parts, unchecked.
  public init(file: String, label: String) { (self.file, self.label) = (file, label) }

  /// - Throws: `PlugInError.address` if no file is named.
  public init(_ text: String) throws(PlugInError) {
    let parts = text.split(separator: ":", maxSplits: .max, omittingEmptySubsequences: false).map(String.init)
    let last = parts.count > 1 ? parts[parts.count - 1] : ""
    // A path may contain colons, too.
    let isPath = last.utf8.contains(0x2F)
    file = parts.count > 1 && !isPath ? parts.dropLast().joined(separator: ":") : text
    label = isPath ? "" : last
    if file.isEmpty || text.utf8.contains(0) { throw .address(text) }
  }

  public var description: String { label.isEmpty ? file : "\(file):\(label)" }
}

/// A library of LADSPA plug-ins, never unloaded, because many do not survive it. [any]
package struct PlugInLibrary: Sendable {
  package let path: String
  let plugIns: [PlugIn]

  /// Every plug-in of the library.
  package var descriptions: [PlugInDescription] { plugIns.map(\.description) }

  /// Loads the library, which runs its code.
  /// - Throws: `PlugInError.library`.
  package init(path: String) throws(PlugInError) {
    guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw .library(path: path, reason: dlerror().map { String(cString: $0) } ?? "it cannot be loaded")
    }
    guard let symbol = dlsym(handle, "ladspa_descriptor") else {
      throw .library(path: path, reason: "it has no function ladspa_descriptor")
    }
    // Safe: the type is that of the function in LADSPA's interface.
    let descriptor = unsafeBitCast(symbol, to: ladspa_descriptor_function.self)
    var plugIns: [PlugIn] = []
    while plugIns.count < Self.most, let pointer = descriptor(UInt(plugIns.count)) { plugIns.append(try PlugIn(pointer, file: path)) }
    self.path = path
    self.plugIns = plugIns
  }

  /// A limit; real libraries have tens.
  private static let most = 4096

  /// - Throws: `PlugInError.noLabel`.
  func plugIn(_ label: String) throws(PlugInError) -> PlugIn {
    if label.isEmpty, plugIns.count == 1 { return plugIns[0] }
    guard let plugIn = plugIns.first(where: { $0.description.label == label }) else {
      throw .noLabel(path: path, label: label, labels: plugIns.map(\.description.label))
    }
    return plugIn
  }

  /// Finds a library by path or name, without loading it.
  /// - Throws: `PlugInError.notFound`.
  package static func find(_ file: String, _ environment: [String: String]) throws(PlugInError) -> String {
    func isFile(_ path: String) -> Bool {
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
    if file.utf8.contains(0x2F) {
      for path in [file, file + ".so"] where isFile(path) { return path }
      let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? ""
      throw .notFound(file: file, folders: [folder.isEmpty ? "/" : folder])
    }
    let folders = folders(environment)
    for folder in folders {
      for path in ["\(folder)/\(file)", "\(folder)/\(file).so"] where isFile(path) { return path }
    }
    throw .notFound(file: file, folders: folders)
  }

  /// The folders to search for libraries, in order.
  package static func folders(_ environment: [String: String]) -> [String] {
    #if arch(x86_64)
      let multiarch = ["/usr/lib/x86_64-linux-gnu/ladspa"]
    #elseif arch(arm64)
      let multiarch = ["/usr/lib/aarch64-linux-gnu/ladspa"]
    #else
      let multiarch: [String] = []
    #endif
    let given = (environment["LADSPA_PATH"] ?? "").split(separator: ":").map(String.init)
    let own = environment["HOME"].map { ["\($0)/.ladspa"] } ?? []
    return given + ["/usr/lib/ladspa"] + multiarch + ["/usr/lib64/ladspa", "/usr/local/lib/ladspa"] + own
  }
}

/// A plug-in of a loaded library.
// `@unchecked Sendable`: the descriptor belongs to a library that is never unloaded, and is not written to.
struct PlugIn: @unchecked Sendable {
  let descriptor: UnsafePointer<ladspa_descriptor>
  let description: PlugInDescription

  /// - Throws: `PlugInError.library` if the descriptor is invalid.
  init(_ descriptor: UnsafePointer<ladspa_descriptor>, file: String) throws(PlugInError) {
    let content = descriptor.pointee
    func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
    let label = text(content.label)
    guard content.port_count <= 1024, let kinds = content.port_descriptors, let names = content.port_names,
      let ranges = content.port_ranges, content.run != nil, content.instantiate != nil, content.connect_port != nil
    else { throw .library(path: file, reason: "its plug-in '\(label)' is incomplete") }
    var description = PlugInDescription(
      file: file, label: label, name: text(content.name), maker: text(content.maker),
      isHardRealtime: Int(content.properties) & LADSPA_IS_HARD_RT_CAPABLE != 0,
      isInPlaceBroken: Int(content.properties) & LADSPA_IS_INPLACE_BROKEN != 0, audioInputs: 0, audioOutputs: 0, ports: [], meters: [])
    for index in 0..<Int(content.port_count) {
      let (kind, name) = (Int(kinds[index]), text(names[index]))
      switch (kind & LADSPA_IS_AUDIO != 0, kind & LADSPA_IS_INPUT != 0) {
      case (true, true): description.audioInputs += 1
      case (true, false): description.audioOutputs += 1
      case (false, true):
        let range = ranges[index]
        description.ports.append(
          PlugInPort(index: index, name: name, hints: Int(range.hints), lower: range.lower, upper: range.upper))
      case (false, false):
        description.meters.append(name)
        if ["latency", "_latency"].contains(name.lowercased()) { description.latencyPort = index }
      }
    }
    self.descriptor = descriptor
    self.description = description
  }
}

/// Returns the indices of a plug-in's audio inputs and outputs.
func audioPorts(of plugIn: PlugIn) -> (inputs: [Int], outputs: [Int]) {
  let content = plugIn.descriptor.pointee
  var ports: (inputs: [Int], outputs: [Int]) = ([], [])
  for index in 0..<Int(content.port_count) {
    guard let kind = content.port_descriptors?[index], Int(kind) & LADSPA_IS_AUDIO != 0 else { continue }
    if Int(kind) & LADSPA_IS_INPUT != 0 { ports.inputs.append(index) } else { ports.outputs.append(index) }
  }
  return ports
}
