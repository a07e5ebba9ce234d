import Foundation
import PipeWireGraph
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

  /// What a subscriber hears, in words: an event's kind, a line of the log, or a participant's id.
  private final class Ear: Sendable {
    private let heard = Mutex<[String]>([])

    func hear(_ news: EventBus.News) {
      let word =
        switch news {
        case .event(let event): event.kind.rawValue
        case .log(let entry): entry.message
        case .participant(let id, let change): "\(id) \(change)"
        case .failed(let error): "\(error)"
        }
      heard.withLock { $0.append(word) }
    }
    var words: [String] { heard.withLock { $0 } }
  }

  @Test("X2: a thread's news come to every subscriber in their order, to the first subscriber first")
  func order() {
    let turns = Mutex<[String]>([])
    let first = Ear()
    let bus = EventBus { news in
      first.hear(news)
      turns.withLock { $0.append("first") }
    }
    let ears = (0..<8).map { _ in Ear() }
    let subscriptions = ears.enumerated().map { number, ear in
      bus.subscribe { news in
        ear.hear(news)
        turns.withLock { $0.append("\(number)") }
      }
    }
    let log = EventLog(bus)
    bus.post(.mediaRegistered)
    log.add(.info, "one")
    bus.post(.participant("alice", .came))
    bus.post(.failed(.refused(reason: "no room")))
    log.add(.warning, "two")
    let all = ["mediaRegistered", "one", "alice came", "\(GraphError.refused(reason: "no room"))", "two"]
    for ear in [first] + ears { #expect(ear.words == all) }
    #expect(turns.withLock { $0 } == Array(repeating: ["first"] + (0..<8).map { "\($0)" }, count: all.count).flatMap { $0 })
    #expect(log.all.map(\.message) == ["one", "two"])
    for subscription in subscriptions { subscription.cancel() }
    bus.post(.didRecover)
    #expect(first.words.count == all.count + 1, "subscribed for as long as the bus exists")
    #expect(ears.allSatisfy { $0.words == all })
  }

  @Test("X2: a subscriber that cancels in a delivery hears nothing more, and the others everything")
  func cancelsWithin() {
    let bus = EventBus()
    let (before, own, after) = (Ear(), Ear(), Ear())
    let subscription = Mutex<EventBus.Subscription?>(nil)
    let first = bus.subscribe { before.hear($0) }
    let new = bus.subscribe { news in
      own.hear(news)
      subscription.withLock { $0 }?.cancel()
    }
    subscription.withLock { $0 = new }
    let last = bus.subscribe { after.hear($0) }
    #expect(ends { for kind in [AudioEvent.Kind.mediaRegistered, .didRecover] { bus.post(kind) } })
    #expect(own.words == ["mediaRegistered"])
    #expect(before.words == ["mediaRegistered", "didRecover"] && after.words == before.words)
    withExtendedLifetime((first, last)) {}
  }

  @Test("X2: what a subscriber posts or who it subscribes is told of at once")
  func postsWithin() {
    let bus = EventBus()
    let (own, late) = (Ear(), Ear())
    let subscription = Mutex<EventBus.Subscription?>(nil)
    let first = bus.subscribe { news in
      own.hear(news)
      guard case .event(let event) = news, event.kind == .mediaRegistered else { return }
      let new = bus.subscribe { late.hear($0) }
      subscription.withLock { $0 = new }
      bus.post(.didRecover)
      #expect(own.words == ["mediaRegistered", "didRecover"])
    }
    #expect(ends { bus.post(.mediaRegistered) })
    #expect(own.words == ["mediaRegistered", "didRecover"])
    #expect(late.words == ["didRecover"], "not of what was posted before it subscribed")
    withExtendedLifetime(first) {}
  }

  @Test("X2: a subscription ends at once, whatever another thread is delivering to it")
  func endsMeanwhile() {
    let bus = EventBus()
    let ear = Ear()
    let (begun, gate, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let subscription = bus.subscribe { news in
      begun.signal()
      gate.wait()
      ear.hear(news)
    }
    Thread.detachNewThread {
      bus.post(.mediaRegistered)
      done.signal()
    }
    begun.wait()
    #expect(ends { subscription.cancel() })
    #expect(ends { bus.post(.didRecover) }, "it does not wait for the delivery either")
    gate.signal()
    done.wait()
    #expect(ear.words == ["mediaRegistered"])
  }

  @Test("X2: a service tells by one bus of media, its log, participants, and what can never be done")
  func service() throws {
    let world = GraphWorld()
    let ear = Ear()
    let bus = EventBus { ear.hear($0) }
    let service = try NearendService(NearendOptions(), log: EventLog(bus), events: bus, makeGraph: world.makeGraph)
    try service.addGraphSink(id: "alice")
    service.perform(.setSinkGain(id: "alice", 0.5))
    service.removeSink(id: "alice")
    service.session.send(.registerMedia(id: "ear", isSend: false, isReceive: true))
    let error = GraphError.unknownDevice(name: "desk", direction: .input, available: [])
    try #require(world.graph).fail(error)
    #expect(
      ear.words == [
        "participant alice: device nearend.sink.alice", "alice came", "alice changed", "participant alice left", "alice left",
        "mediaRegistered", "\(error)",
      ])
    #expect(service.snapshot().log.map(\.message) == ear.words.filter { $0.hasPrefix("participant") })
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
