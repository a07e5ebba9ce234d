import PipeWireClient
import Platform

/// The state of a room's thread, which retains it from `start` to `stop`. [any]
///
/// `@unchecked Sendable`: everything mutable is accessed on the loop's thread or inside `loop.locked`.
final class RoomWork: @unchecked Sendable {
  let options: RoomOptions
  private let loop = ThreadLoop(name: "room")
  private let audio: RoomAudio
  private var attachment: RoomAttachment?
  private var retry: LoopTimer?
  private var tick: LoopTimer?
  private var isObserving: Bool
  private var acoustics: Acoustics
  private var meter: RoomMeter
  /// As `RoomReport.round`.
  private var round = 0
  /// The first 10 ms window that has not been measured yet.
  private var nextWindow: UInt64?

  init(_ options: RoomOptions) throws {
    self.options = options
    isObserving = options.isObserving
    acoustics = options.acoustics
    meter = RoomMeter(conversation: options.conversation)
    let talker = try Speech(.nearEnd, rate: options.rate, cache: options.cache)
    let remote = try Speech(Voice.farEnd[0], rate: options.rate, cache: options.cache)
    let sample = Array(remote.samples.prefix(5 * options.rate))
    let unscaled = RoomResponse(rate: options.rate, seed: options.seed)
    let factor = unscaled.factor(toGain: options.echo, for: sample), response = unscaled.scaled(by: factor)
    // Further away, at a suitable level.
    let distant = RoomResponse(rate: options.rate, distance: 2.4, seed: options.seed &+ 1).scaled(toGain: options.echo, for: sample)
    audio = RoomAudio(
      response: response, distant: distant, nearEnd: talker, conversation: options.conversation, epoch: options.epoch, noise: options.noise,
      seed: options.seed, array: options.array.map { ArrayedMicrophone.all($0, options, talker, echo: factor) } ?? [])
  }

  func start(report: (@Sendable (RoomReport) -> Void)?) throws {
    try loop.start()
    loop.locked {
      retry = LoopTimer(loop: loop) { self.attach() }
      tick = LoopTimer(loop: loop) {
        self.measure()
        report?(self.currentReport)
      }
      tick?.schedule(after: 0.25, every: 0.25)
      attach()
    }
  }

  func stop() {
    // End the thread first: it may be about to call what is destroyed here.
    loop.stop()
    loop.locked {
      tick = nil
      retry = nil
      attachment = nil
    }
  }

  func observe(_ isOn: Bool) {
    loop.locked {
      isObserving = isOn
      attachment?.isObserving = isOn
      nextWindow = nil
    }
  }

  func measureAnew(_ round: Int) {
    loop.locked {
      self.round = round
      meter.measureAnew(at: monotonicSeconds() - options.epoch)
    }
  }

  func place(_ acoustics: Acoustics) {
    loop.locked {
      self.acoustics = acoustics
      attachment?.acoustics = acoustics
    }
  }

  func kill(microphone number: Int?) { audio.deadMicrophone.store(number ?? 0, ordering: .relaxed) }

  var report: RoomReport { loop.locked { currentReport } }

  var position: UInt64? { audio.time?.position }

  var breaks: Int { audio.breaks }

  func delay(quantum: Int) -> Int { audio.delay(quantum: quantum) }

  private func attach() {
    attachment = nil
    do {
      attachment = try RoomAttachment(
        loop: loop, options: options, audio: audio, acoustics: acoustics, isObserving: isObserving
      ) {
        // Deferred, because this is the connection's own event.
        self.retry?.schedule(after: 0.05)
      }
    } catch {
      retry?.schedule(after: 0.2)
    }
  }

  /// Passes every window that both ends have completed to the meter.
  private func measure() {
    guard isObserving, let (position, origin) = audio.time else { return }
    let window = UInt64(options.rate / 100)
    // Half a second late, so that both nodes have seen the window.
    let end = position / window - min(position / window, 50)
    let first = nextWindow ?? end
    nextWindow = end
    guard first < end, end - first < 500 else { return }
    for index in first..<end {
      guard let before = audio.microphone.power(index), let after = audio.output.power(index) else { continue }
      meter.add(microphone: before, output: after, at: origin + Double(index) * 0.01)
    }
  }

  private var currentReport: RoomReport {
    let seconds = monotonicSeconds() - options.epoch
    return RoomReport(
      round: round, seconds: seconds, phase: options.conversation.phase(at: seconds), isConnected: attachment != nil,
      isLinked: attachment?.isLinked ?? false,
      isObserving: isObserving, erle: meter.erle, nearEndLevel: meter.nearEndLevel, microphoneLevel: level(audio.microphone) ?? -120,
      outputLevel: isObserving ? level(audio.output) : nil)
  }

  /// The level over the last ten completed windows.
  private func level(_ trace: LevelTrace) -> Double? {
    guard let (position, _) = audio.time else { return nil }
    let last = position / UInt64(options.rate / 100)
    let powers = (1...20).compactMap { last > $0 ? trace.power(last - $0) : nil }.prefix(10)
    guard !powers.isEmpty else { return nil }
    return max(-120, Measures.level(powers.map { Float($0.squareRoot()) }))
  }
}
