import Platform
import RealtimeCore
import Synchronization

/// Distributes the voice to joined programs and remote senders: each cycle from the audio thread goes to every listener. [any]
///
///     audio thread ─▶ tap ─▶ queue ─▶ relay ─┬▶ listener ─▶ connection
///                                            └▶ listener ─▶ connection
///
/// A timer, which adds at most `milliseconds`, runs only while there is a listener.
final class VoiceRelay: Sendable {
  /// A cycle of the voice.
  struct Cycle: Sendable {
    var frames: Int
    /// Hz.
    var rate: Int
    var hasAudio: Bool
    var samples: [Float]
  }
  private struct State {
    var listeners: [ObjectIdentifier: VoiceListener] = [:]
    var queue: SourceQueue?
    var ticker: Ticker?
    /// Cycles that the queue has lost.
    var overruns: UInt64 = 0
  }
  private let state = Mutex(State())
  private let tap: SourceTap

  static let milliseconds = 2

  init(tap: SourceTap) { self.tap = tap }

  func add(_ listener: VoiceListener) {
    state.withLock { state in
      state.listeners[ObjectIdentifier(listener)] = listener
      guard state.queue == nil else { return }
      let queue = SourceQueue()
      (state.queue, state.overruns) = (queue, 0)
      tap.forgetAudio()
      tap.attach(queue)
      state.ticker = Ticker(milliseconds: Self.milliseconds) { [weak self] in self?.distribute() }
    }
  }

  func remove(_ listener: VoiceListener) {
    state.withLock { state in
      state.listeners[ObjectIdentifier(listener)] = nil
      guard state.listeners.isEmpty else { return }
      tap.detach()
      (state.queue, state.ticker) = (nil, nil)
    }
  }

  /// Called on the timer's thread. The listeners are told outside the lock: whoever comes or goes does not wait for all of them.
  private func distribute() {
    let (cycles, lost, listeners) = state.withLock { state -> ([Cycle], Int, [VoiceListener]) in
      guard let queue = state.queue else { return ([], 0, []) }
      var cycles: [Cycle] = []
      var samples: [Float] = []
      while let cycle = queue.read(into: &samples) {
        let hasAudio = tap.hadAudio
        // Reset, so that later listeners learn of new audio, too.
        if hasAudio { tap.forgetAudio() }
        cycles.append(Cycle(frames: cycle.frames, rate: cycle.rate, hasAudio: hasAudio, samples: samples))
        samples = []
      }
      let overruns = queue.overruns
      defer { state.overruns = overruns }
      return (cycles, overruns > state.overruns ? Int(overruns - state.overruns) : 0, Array(state.listeners.values))
    }
    for listener in listeners {
      for cycle in cycles { listener.add(cycle) }
      if lost > 0 { listener.noteLost(lost) }
    }
  }
}

/// One listener's queue of the voice: cycles that wait until its connection or sender takes them. [any]
final class VoiceListener: Sendable {
  private struct State {
    var cycles: [VoiceRelay.Cycle] = []
    var frames = 0
    var lost = 0
  }
  /// Maximum number of waiting frames, beyond which the newest are lost: 1.3 s at 48 kHz, as in a source's own queue.
  static let capacity = SourceQueue.defaultCapacity

  private let state = Mutex(State())
  let wake: WakeSignal

  init() throws(RequestFailure) { wake = try .forClient() }

  fileprivate func add(_ cycle: VoiceRelay.Cycle) {
    let isFirst = state.withLock { state in
      guard state.frames + cycle.frames <= Self.capacity else {
        state.lost += 1
        return false
      }
      state.frames += cycle.frames
      state.cycles.append(cycle)
      return state.cycles.count == 1
    }
    if isFirst { wake.raise() }
  }

  fileprivate func noteLost(_ cycles: Int) { state.withLock { $0.lost += cycles } }

  /// Returns the cycles since the last call, oldest first, and how many have been lost since the beginning.
  func drain() -> (cycles: [VoiceRelay.Cycle], lost: Int) {
    wake.lower()
    return state.withLock { state in
      defer { (state.cycles, state.frames) = ([], 0) }
      return (state.cycles, state.lost)
    }
  }

  /// Streams the voice to a program until it disconnects.
  static func answer(_ request: ControlRequest) throws {
    guard try request.program() != nil else { throw RequestFailure(400, "say whose voice it is: program=<number>; or use GET /source") }
    let listener = try VoiceListener()
    try request.exchange.upgrade(to: HostProtocol.name)
    request.service.relay.add(listener)
    defer { request.service.relay.remove(listener) }
    let connection = request.exchange.connection
    while true {
      let (cycles, lost) = listener.drain()
      var bytes: [UInt8] = []
      for cycle in cycles {
        var record = HostProtocol.VoiceRecord()
        record.frames = UInt32(cycle.frames)
        record.rate = UInt32(cycle.rate)
        record.hasAudio = cycle.hasAudio ? 1 : 0
        record.lost = UInt32(clamping: lost)
        bytes += HostProtocol.bytes(of: record)
        cycle.samples.withUnsafeBytes { bytes.append(contentsOf: $0) }
      }
      try connection.send(bytes, stall: request.exchange.limits.stallSeconds)
      try connection.pause(seconds: 60, waking: listener.wake.descriptor)
    }
  }
}
