// For `stderr`, C's variable.
@preconcurrency import Glibc
import Synchronization

/// Keeps libraries in C from writing to standard error: libmpg123 tells there what it finds damaged, in words of its own, which this
/// program tells in its own. What writes to the descriptor, as this program does, is not affected. [any]
enum LibraryNotes {
  private struct State {
    /// Calls under way.
    var calls = 0
    var real: UnsafeMutablePointer<FILE>?
    /// Opened once; nil until then.
    var nothing: UnsafeMutablePointer<FILE>?
  }
  // nonisolated(unsafe): the pointers are used with the lock held.
  nonisolated(unsafe) private static var state = State()
  private static let lock = Mutex(())

  /// Calls `body`, in which such writing has no effect.
  static func withheld<Result>(_ body: () -> Result) -> Result {
    lock.withLock { _ in begin() }
    defer { lock.withLock { _ in end() } }
    return body()
  }

  private static func begin() {
    state.calls += 1
    guard state.calls == 1 else { return }
    state.nothing = state.nothing ?? fopen("/dev/null", "we")
    // Without a free descriptor, the words are seen.
    guard let nothing = state.nothing else { return }
    state.real = stderr
    stderr = nothing
  }

  private static func end() {
    state.calls -= 1
    guard state.calls == 0, let real = state.real else { return }
    stderr = real
    state.real = nil
  }
}
