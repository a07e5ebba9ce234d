import RealtimeCore

/// Why voice isolation cannot be installed or removed. [any]
package enum IsolationStoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is neither `$XDG_DATA_HOME` nor `$HOME`.
  case noHome
  /// There is no wheel for this kind of machine.
  case machine(String, known: [String])
  /// The network or the server failed.
  case download(reason: String)
  /// The index does not list the file, or states another checksum.
  case index(address: String, reason: String)
  /// The file is not the one that this nearend expects.
  case checksum(file: String, found: String, expected: String)
  /// A file that was given cannot be read.
  case unreadable(file: String, reason: String)
  /// The wheel is not an archive, or lacks a file.
  case archive(file: String, reason: String)
  /// The files cannot be written or moved into place.
  case write(path: String, reason: String)
  /// The installed files do not run here.
  case unusable(IsolationError)

  package var description: String {
    switch self {
    case .noHome: "there is no home to install to: set HOME, or XDG_DATA_HOME to a folder"
    case .machine(let machine, let known):
      "there is no voice isolation for a machine of the kind \(machine), only for \(known.joined(separator: " and "))"
    case .download(let reason): "\(reason); a file that was fetched elsewhere can be given with --from <file>"
    case .index(let address, let reason): "\(address): \(reason)"
    case .checksum(let file, let found, let expected):
      "\(file) is not what this nearend was made for, and was not installed: its SHA-256 is \(found), not \(expected)"
    case .unreadable(let file, let reason): "\(file) cannot be read: \(reason)"
    case .archive(let file, let reason): "\(file): \(reason)"
    case .write(let path, let reason): "\(path) cannot be written: \(reason)"
    case .unusable(let error): "\(error)"
    }
  }
}
