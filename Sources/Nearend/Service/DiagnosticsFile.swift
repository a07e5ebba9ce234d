import Foundation
import Platform
import SessionModel

/// The file that a saved status document goes to: new each time, in the folder for temporary files.
struct DiagnosticsFile {
  let path: String

  init() {
    // Short, so that the log's row fits in 80 columns.
    let name = "nearend-\(Int(Date().timeIntervalSince1970))"
    let folder = FileManager.default.temporaryDirectory
    var url = folder.appendingPathComponent("\(name).json")
    for number in 2..<100 where FileManager.default.fileExists(atPath: url.path) {
      url = folder.appendingPathComponent("\(name)-\(number).json")
    }
    path = url.path
  }

  /// Writes the document. Only its owner can read it: it contains names of devices and applications.
  func write(_ snapshot: Snapshot) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError.last }
    defer { close(file) }
    try Platform.write(snapshot.json().utf8, to: file)
  }
}
