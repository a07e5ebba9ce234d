import Foundation
import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// Keeps the last minutes of the audio for plots (U5). [any]
///
/// The graph's control thread calls it five times a second while cycles run; otherwise nothing here runs (L4).
final class HistoryRecorder: Sendable {
  private let core: AudioCore
  private let clock: @Sendable () -> Double
  private let state = Mutex(State())

  private struct State {
    var history = CallHistory()
    var number: UInt64 = 0
    /// The time of `clock` at which the next point is due.
    var next = -Double.infinity
    var xruns: UInt64 = 0
    var underruns: [String: UInt64] = [:]
    /// The bands for the sample rate of the last point.
    var bands: (rate: Int, bands: SpectrogramBands)?
    /// What was drained last: its memory is reused.
    var heard = SpectrumTap.Heard()
  }

  /// - Parameter clock: returns seconds of a monotonic clock.
  init(core: AudioCore, clock: @escaping @Sendable () -> Double = monotonicSeconds) {
    self.core = core
    self.clock = clock
  }

  /// Returns the points after point `number`; all for 0.
  func history(after number: UInt64) -> CallHistory { state.withLock { $0.history.after(number) } }

  /// Adds a point if one is due.
  func poll() {
    let now = clock()
    state.withLock { state in
      guard now >= state.next else { return }
      // Due at the next call, even if this one came late, or that comes early.
      state.next = now + 0.5 * CallHistory.interval
      state.number += 1
      var point = HistoryPoint(number: state.number, time: Date().timeIntervalSince1970)
      if core.isSending {
        let meters = core.meters.snapshot()
        point.microphoneLevel = decibels(meters.microphonePeak)
        point.voiceLevel = decibels(meters.voicePeak)
        if core.controls.isEchoCancelled { point.erle = meters.erle.known.map { Double($0) } }
        point.echoDelay = meters.echoDelay.known.map { Double($0) * 1_000 }
      }
      point.speakerLevel = decibels(core.mixer.speakerPeak)
      let cycles = core.cycleMeters
      point.busyRatio = cycles.busyRatioPeak
      point.xruns = Int(clamping: cycles.xruns &- min(cycles.xruns, state.xruns))
      state.xruns = cycles.xruns
      point.sinks = sinks(&state.underruns)
      core.spectra.drain(into: &state.heard)
      point.microphone = Self.bytes(state.heard.microphone, &state.bands)
      point.voice = Self.bytes(state.heard.voice, &state.bands)
      state.history.append(contentsOf: [point])
    }
  }

  private func sinks(_ underruns: inout [String: UInt64]) -> [HistoryPoint.Sink] {
    var counts: [String: UInt64] = [:]
    defer { underruns = counts }
    return core.mixer.ringSinks.prefix(CallHistory.mostSinks).map { sink in
      let status = sink.status()
      counts[sink.id] = status.totalUnderruns
      let before = underruns[sink.id] ?? status.totalUnderruns
      return HistoryPoint.Sink(
        id: sink.id, fill: min(1, status.fill),
        underruns: Int(clamping: status.totalUnderruns &- min(before, status.totalUnderruns)))
    }
  }

  private static func bytes(_ windows: SpectrumTap.Windows, _ kept: inout (rate: Int, bands: SpectrogramBands)?) -> [UInt8] {
    guard windows.rate > 0 else { return [] }
    if kept?.rate != windows.rate { kept = (windows.rate, SpectrogramBands(rate: windows.rate, count: SpectrogramScale.bands)) }
    return kept?.bands.levels(ofWindows: windows.samples).map(SpectrogramScale.byte) ?? []
  }
}

extension NearendService {
  /// Returns the last ten minutes of the audio; only the points after `number`, for a client that has the earlier ones.
  package func history(after number: UInt64 = 0) -> CallHistory { recorder.history(after: number) }
}
