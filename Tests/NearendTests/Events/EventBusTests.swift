import Foundation
import SessionModel
import Synchronization
import Testing

@testable import Nearend

@Suite("Event bus")
struct EventBusTests {
  /// Posts an event when it is released, as an object captured by a program's closure may.
  private final class LastWords: Sendable {
    let bus: EventBus
    init(_ bus: EventBus) { self.bus = bus }
    deinit { bus.post(.settingChanged) }
  }

  /// Returns whether `body` ends within 10 s.
  private func ends(_ body: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      done.signal()
    }
    return done.wait(timeout: .now() + 10) == .success
  }

  @Test("X2: an object held by an ended subscription may post in its deinitializer")
  func cancels() {
    let bus = EventBus()
    let heard = Mutex(0)
    let other = bus.subscribe { _ in heard.withLock { $0 += 1 } }
    let subscription = Mutex<EventBus.Subscription?>(nil)
    do {
      let words = LastWords(bus)
      let new = bus.subscribe { _ in withExtendedLifetime(words) {} }
      subscription.withLock { $0 = new }
    }
    #expect(ends { subscription.withLock { $0 }?.cancel() })
    #expect(heard.withLock { $0 } == 1)
    other.cancel()
  }

  @Test("X2: an object held by a replaced callback may call it in its deinitializer")
  func callbacks() {
    final class Caller: Sendable {
      let callback: Callback<@Sendable () -> Void>
      init(_ callback: Callback<@Sendable () -> Void>) { self.callback = callback }
      deinit { callback.current?() }
    }
    let callback = Callback<@Sendable () -> Void>()
    let count = Mutex(0)
    do {
      let caller = Caller(callback)
      callback.set { withExtendedLifetime(caller) {} }
    }
    #expect(ends { callback.set { count.withLock { $0 += 1 } } })
    #expect(count.withLock { $0 } == 1)
  }
}
