import Synchronization

/// A function that others set, and that any thread calls. [any]
///
///     private let tell = Callback<@Sendable (Int) -> Void>()
///     tell.current?(1)
final class Callback<Function: Sendable>: Sendable {
  /// Not the bare function: a closure in a generic container is wrapped in two thunks more each time that it is borrowed from there, as `withLock` does,
  /// until calling it is more than the stack can hold. In a structure it stays as it is, and only the copy that is handed out is wrapped.
  private struct Held { let function: Function }
  private let held = Mutex<Held?>(nil)

  /// Takes the place of the one before; nil for none.
  func set(_ function: Function?) {
    // Let go of behind the lock: what the last one holds may end with it, and call this.
    let last = held.withLock { held in
      defer { held = function.map(Held.init) }
      return held
    }
    withExtendedLifetime(last) {}
  }

  var current: Function? { held.withLock { $0?.function } }
}
