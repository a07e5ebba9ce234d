import Border
import Foundation
import Platform
import Synchronization

/// Writes lines to a descriptor that may be full, gone or unread: a thread of its own writes them, and only lines that cannot be written
/// are lost. SIGPIPE must be ignored. [any]
final class LineOutlet: Sendable {
  private let descriptor: Int32
  private let thread = SerialThread(name: "nearend-lines")
  private let waiting = Mutex(0)

  /// Number of lines that may wait for a reader; more are lost.
  static let capacity = 1_000

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Writes one or more lines, soon, made safe for terminals.
  func write(_ text: String) {
    let isTaken = waiting.withLock { count in
      guard count < Self.capacity else { return false }
      count += 1
      return true
    }
    guard isTaken else { return }
    let bytes = Array((text.printableLines() + "\n").utf8)
    thread.async { [self] in
      bytes.withUnsafeBytes { _ = writeWhole($0, to: descriptor) }
      waiting.withLock { $0 -= 1 }
    }
  }

  /// Waits until everything is written, at most `timeout` seconds.
  func flush(timeout: Double = 1) { thread.flush(timeout: timeout) }
}

/// Standard error, flushed when the process exits.
let standardError: LineOutlet = {
  atexit { standardError.flush() }
  return LineOutlet(descriptor: STDERR_FILENO)
}()

/// Writes a remark that is not an error to standard error.
func remark(_ text: String) { standardError.write("nearend: \(text)") }

/// Writes all bytes; returns false if that is impossible.
func writeWhole(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
  var written = 0
  while written < bytes.count {
    let count = write(descriptor, bytes.baseAddress! + written, bytes.count - written)
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { return false }
    written += count
  }
  return true
}
