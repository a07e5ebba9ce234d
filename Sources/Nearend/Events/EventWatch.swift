import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// Compares the counters of the audio thread and the writers, and posts the resulting events. [any]
///
/// The graph's control thread calls it five times a second while cycles run; otherwise nothing here runs (L4).
final class EventWatch: Sendable {
  private let detector = Mutex(EventDetector())
  private let hearing = Mutex((microphone: String?.none, silence: MicrophoneSilence()))
  private let core: AudioCore
  private let events: EventBus
  private let clock: @Sendable () -> Double
  private let unitRun: @Sendable () -> UnitRun?
  /// Called with each poll.
  let polled = Callback<@Sendable () -> Void>()

  /// - Parameters:
  ///   - clock: returns seconds of a monotonic clock.
  ///   - unitRun: returns the present run of the session's unit; nil while it does not run.
  init(
    core: AudioCore, events: EventBus, clock: @escaping @Sendable () -> Double = monotonicSeconds,
    unitRun: @escaping @Sendable () -> UnitRun? = { UnitRun() }
  ) {
    self.core = core
    self.events = events
    self.clock = clock
    self.unitRun = unitRun
  }

  /// The run in which the sinks are played; nil while the unit does not run, or playback is paused.
  private var playback: UnitRun? { core.isInterrupted || core.mixer.isPaused ? nil : unitRun() }

  func poll() {
    let meters = core.cycleMeters
    let playback = playback
    let sinks = core.mixer.ringSinks.map { AudioObservation.Sink($0, formerDrops: playback?.formerDrops[ObjectIdentifier($0)] ?? 0) }
    var observation = AudioObservation(
      sinks: sinks, xruns: meters.xruns, quantum: meters.quantum, rate: meters.rate, busyRatioPeak: meters.busyRatioPeak)
    observation.playback = playback?.number
    observation.isTalkingWhileMuted = core.isSending && core.isTalkingWhileMuted
    let now = clock()
    post(detector.withLock { $0.update(observation, at: now) })
    listen(at: now)
    polled.current?()
  }

  private func listen(at now: Double) {
    let isOpen = core.isSending && !core.isInterrupted && !core.controls.isMicrophoneMuted
    let meters = core.meters.snapshot()
    hearing.withLock {
      $0.silence.update(
        isOpen ? $0.microphone : nil, isRecording: core.isSending, peak: meters.microphonePeak, pauses: meters.microphonePauses, at: now)
    }
  }

  /// Seconds for which the microphone has given nothing but digital silence, although it should sound; nil otherwise. See
  /// `MicrophoneSilence`.
  var microphoneSilence: Double? {
    guard core.isSending else { return nil }
    let now = clock()
    return hearing.withLock { $0.silence.seconds(at: now) }
  }

  /// Updates with the devices that the graph now uses.
  func update(_ route: RouteEnds) {
    hearing.withLock { $0.microphone = route.microphone }
    if let event = detector.withLock({ $0.update(route) }) { post([event]) }
  }

  /// Reports the first refused write of a run (K6), unless nothing is played anyway: a ring that nobody empties is no sign of stress.
  func frameDrop(mediaId: String, consecutive: UInt64, total: UInt64, totalUnderruns: UInt64) {
    guard playback != nil else { return }
    let now = clock()
    let event = detector.withLock {
      $0.frameDrop(mediaId: mediaId, consecutive: consecutive, total: total, totalUnderruns: totalUnderruns, at: now)
    }
    if let event { post([event]) }
  }

  private func post(_ found: [EventDetector.Event]) {
    for event in found { events.post(event.kind, mediaId: event.mediaId, detail: event.detail) }
  }
}

extension AudioObservation.Sink {
  init(_ sink: RingSink, formerDrops: UInt64) {
    let status = sink.status()
    self.init(
      id: sink.id, consecutiveUnderruns: status.consecutiveUnderruns, totalUnderruns: status.totalUnderruns,
      consecutiveDrops: status.consecutiveDrops, totalDrops: status.totalDrops, jitterSpikes: status.jitterSpikes,
      lastJitterSpike: sink.lastJitterSpike, jitter: sink.jitter)
    self.formerDrops = formerDrops
  }
}
