import Synchronization

/// A replaceable function that any thread may call, for what one other is asked and answers. What happens is told by `EventBus`. [any]
///
///     let completion = Callback<@Sendable (inout Snapshot) -> Void>()
///     completion.current?(&snapshot)
final class Callback<Function: Sendable>: Sendable {
  /// Not the bare function: a closure in a generic container is wrapped in two more thunks each time it is borrowed, as by `withLock`,
  /// until calling it overflows the stack. Inside a structure it stays unwrapped, and only the copy that is handed out is wrapped.
  private struct Held { let function: Function }
  private let held = Mutex<Held?>(nil)

  /// Replaces the function; nil for none.
  func set(_ function: Function?) {
    // Released outside the lock: its deinitializer may call this.
    let last = held.withLock { held in
      defer { held = function.map(Held.init) }
      return held
    }
    withExtendedLifetime(last) {}
  }

  var current: Function? { held.withLock { $0?.function } }
}
