internal import Glibc

/// Returns the content of a file as text; nil if it cannot be read. Foundation's own function leaks 4 KiB per empty file, and a soak test
/// reads hundreds of tools' outputs. [any]
package func text(ofFile path: String) -> String? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 16_384)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { return nil }
    if count == 0 { return String(decoding: bytes, as: UTF8.self) }
    bytes += chunk[..<count]
  }
}
