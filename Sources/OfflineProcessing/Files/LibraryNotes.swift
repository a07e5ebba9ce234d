// For `stderr`, C's variable.
@preconcurrency import Glibc
import Platform
import Synchronization

/// Keeps libraries in C from writing to standard error: libmpg123 tells there what it finds damaged, in words of its own, which this
/// program tells in its own. What writes to the descriptor, as this program does, is not affected. [any]
enum LibraryNotes {
  /// A stream into memory, made once.
  private struct Ear {
    let stream: UnsafeMutablePointer<FILE>
    /// What was written, which the C library keeps there after each flush.
    let text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    let count: UnsafeMutablePointer<Int>

    init?() {
      text = .allocate(capacity: 1)
      count = .allocate(capacity: 1)
      (text.pointee, count.pointee) = (nil, 0)
      guard let stream = open_memstream(text, count) else { return nil }
      self.stream = stream
    }
  }
  // nonisolated(unsafe): used with the lock held.
  nonisolated(unsafe) private static let ear = Ear()
  private static let lock = Mutex(())

  /// Calls `body`, in which such writing is not seen; one call at a time, so that it is known whose it was. Returns whether it told an
  /// error.
  static func withheld<Result>(_ body: () -> Result) -> (result: Result, tellsError: Bool) {
    lock.withLock { _ in
      // Without memory for it, the words are seen.
      guard let ear else { return (body(), false) }
      let real = stderr
      stderr = ear.stream
      let result = body()
      stderr = real
      fflush(ear.stream)
      let written = ear.text.pointee.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: ear.count.pointee), as: UTF8.self) }
      rewind(ear.stream)
      // "Note" and "Warning" are what costs no sound.
      return (result, written?.includes("error:") == true)
    }
  }
}
