internal import CNCurses
import Glibc

/// A flag that any thread raises once and that wakes a polling thread: an eventfd that stays readable.
final class StopSignal: Sendable {
  /// Readable once raised; −1 if the system provided none.
  let descriptor: Int32
  /// errno of the failure if `descriptor` is −1.
  let failure: Int32

  init() {
    descriptor = nearend_wake_descriptor()
    failure = descriptor < 0 ? errno : 0
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Raises the flag. [any]
  func raise() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout.size(ofValue: one))
  }
}
