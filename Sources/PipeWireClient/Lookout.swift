import Platform
internal import Synchronization

/// A loop of its own that looks at something whenever that may have changed: nothing runs while nothing happens. [any]
///
/// `@unchecked Sendable`: the signal exists as long as this, and its `raise` may be called on any thread.
package final class Lookout: @unchecked Sendable {
  package let loop: ThreadLoop
  private let change: LoopSignal
  private let isEnabled = Atomic(false)
  /// Whether the thread runs, which is there from when it is first turned on.
  private let isStarted = Mutex(false)
  /// When it was looked last, in milliseconds of CLOCK_MONOTONIC.
  private let lastLook = Atomic(0)

  /// Milliseconds between two looks for what is not told but polled.
  private static let interval = 1000

  /// Makes it, off; `connect` says how to look.
  package init(name: String) {
    loop = ThreadLoop(name: name)
    change = LoopSignal(loop: loop)
  }

  /// Looks by `look`, on the loop's thread, for as long as `owner` exists. Before it is turned on.
  package func connect<Owner: AnyObject>(to owner: Owner, _ look: @escaping (Owner) -> Void) { change.connect(to: owner, look) }

  /// Whether it is on.
  package var isOn: Bool { isEnabled.load(ordering: .relaxed) }

  /// Turns it on or off, and looks.
  /// - Throws: `refused` if the system has no thread to spare; it stays off then.
  package func setEnabled(_ isEnabled: Bool) throws(PipeWireError) {
    if isEnabled {
      try isStarted.withLock { isStarted throws(PipeWireError) in
        if !isStarted { try loop.start() }
        isStarted = true
      }
    }
    self.isEnabled.store(isEnabled, ordering: .relaxed)
    somethingChanged()
  }

  /// Has it look soon, because something may have changed. Never waits.
  package func somethingChanged() { change.raise() }

  /// As `somethingChanged`, for whoever polls: at most once a second, and only while it is on.
  package func poll() {
    guard isOn else { return }
    if Self.milliseconds - lastLook.load(ordering: .relaxed) >= Self.interval { somethingChanged() }
  }

  /// Notes that it looks now: whoever polls waits from here. [control]
  package func noteLook() { lastLook.store(Self.milliseconds, ordering: .relaxed) }

  /// Turns it off for good, runs `finish` with the loop's lock held, and ends the thread. Once.
  package func stop(_ finish: () -> Void) {
    isEnabled.store(false, ordering: .relaxed)
    loop.locked(finish)
    loop.stop()
  }

  private static var milliseconds: Int { Int(monotonicSeconds() * 1000) }
}
