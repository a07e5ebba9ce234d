import Testing

@testable import RealtimeCore

/// The graph continues without this process for a few cycles, while the far end talks.
@Suite("Capture path: lost cycles")
struct LostCycleTests {
  private static let rate = 48_000
  /// The first lost cycle begins at this frame, or up to a quantum earlier.
  private static let gap = 8 * rate

  /// Returns microphone and voice, with silence in place of lost frames.
  ///
  /// - Parameters:
  ///   - lost: frames that this process does not see.
  ///   - isPlayed: whether the loudspeaker plays the far end of that time; otherwise it is silent, for lack of data.
  private func run(
    _ engine: EchoCanceller = .nearend, quantum: Int, lost: Int, isPlayed: Bool = false, near: [Float]? = nil
  ) throws -> (microphone: [Float], voice: [Float]) {
    let rate = Self.rate, gap = Self.gap / quantum * quantum
    var far = CaptureSignals.speech(seconds: 10, rate: rate, level: -24, seed: 3)
    if !isPlayed { for i in gap..<gap + lost { far[i] = 0 } }
    var microphone = zip(
      CaptureSignals.room(far, rate: rate, delay: 960, gain: 0.5), CaptureSignals.noise(seconds: 10, rate: rate, level: -80)
    )
    .map { $0 + $1 }
    if let near { for i in near.indices { microphone[i] += near[i] } }
    let rig = try CoreRig()
    rig.core.controls.usesVoiceProcessing = true
    rig.core.controls.engine = engine
    try rig.core.prepare(rate: rate)
    var voice: [Float] = [], start = 0
    while start < far.count - quantum {
      if start == gap {
        rig.lose(frames: lost)
        voice += [Float](repeating: 0, count: lost)
        start += lost
      }
      let part = Array(far[start..<start + quantum])
      rig.cycle(Array(microphone[start..<start + quantum]), call: (part, part), reference: part)
      voice += rig.voice
      start += quantum
    }
    return (microphone, voice)
  }

  /// The attenuation of the microphone, in dB, in each tenth of a second after the gap.
  private func losses(_ run: (microphone: [Float], voice: [Float]), lost: Int) -> [Double] {
    let end = Self.gap + lost
    return stride(from: end, to: end + Self.rate / 2, by: Self.rate / 10).map {
      let range = $0..<$0 + Self.rate / 10
      return CaptureSignals.decibels(CaptureSignals.power(run.microphone[range]) / CaptureSignals.power(run.voice[range]))
    }
  }

  @Test(
    "V1, V10: a lost cycle is not heard as an echo, at any quantum",
    arguments: [(64, 1), (256, 1), (256, 5), (480, 1), (480, 4), (1_000, 1), (1_024, 1), (1_024, 10)])
  func echo(quantum: Int, cycles: Int) throws {
    let lost = cycles * quantum, losses = try losses(run(quantum: quantum, lost: lost), lost: lost)
    #expect(losses.allSatisfy { $0 > 35 }, "\(losses)")
  }

  @Test(
    "V1, V10, X1: frames that are no whole cycles, as a device loses them, or a quarter of a second and more, are not heard as an echo",
    arguments: [1, 100, 257, 11_999, 12_001, 47_999], EchoCanceller.engines)
  func frames(lost: Int, engine: EchoCanceller) throws {
    let losses = try losses(run(engine, quantum: 256, lost: lost), lost: lost)
    #expect(losses.allSatisfy { $0 > 30 }, "\(losses)")
  }

  @Test("V1, V10: of what the loudspeaker plays in a lost cycle no more is heard than of that cycle, and not for long")
  func unknown() throws {
    let losses = try losses(run(quantum: 256, lost: 256, isPlayed: true), lost: 256)
    #expect(losses[0] > 12 && losses[1] > 30 && losses[2...].allSatisfy { $0 > 50 }, "\(losses)")
  }

  @Test("V1, V10: the engine of WebRTC keeps the echo in its place, too")
  func webRTC() throws {
    let losses = try losses(run(.webrtc, quantum: 480, lost: 480), lost: 480)
    #expect(losses.allSatisfy { $0 > 40 }, "\(losses)")
  }

  @Test("V1, V2: with neither echo nor noise suppressed, a lost cycle takes nothing else of the microphone with it")
  func unprocessed() throws {
    let rig = try CoreRig(), quantum = 256, lost = 100 * quantum
    rig.core.controls.usesVoiceProcessing = true
    rig.core.controls.engine = .nearend
    rig.core.controls.isEchoCancellationEnabled = false
    rig.core.controls.isNoiseSuppressionEnabled = false
    rig.core.controls.isHighPassFilterEnabled = false
    rig.core.controls.isGainControlEnabled = false
    try rig.core.prepare(rate: Self.rate)
    let microphone = CaptureSignals.speech(seconds: 2, rate: Self.rate, level: -20, seed: 5)
    let far = [Float](repeating: 0, count: quantum)
    var voice: [Float] = [], heard: [Float] = []
    for start in stride(from: 0, to: microphone.count / quantum * quantum, by: quantum) {
      if start == lost {
        rig.lose(frames: quantum)
        continue
      }
      let part = Array(microphone[start..<start + quantum])
      rig.cycle(part, call: (far, far), reference: far)
      voice += rig.voice
      heard += part
    }
    // The beginning fades in; 280 frames are the engine's delay.
    #expect(Array(voice[lost / 2..<heard.count]) == Array(heard[lost / 2 - 280..<heard.count - 280]))
  }

  @Test("V1, V10: the near end stays audible after lost cycles", arguments: [256, 480, 1_000])
  func nearEnd(quantum: Int) throws {
    let near = [Float](repeating: 0, count: Self.gap - Self.rate) + CaptureSignals.speech(seconds: 2, rate: Self.rate, level: -20, seed: 5)
    let run = try run(quantum: quantum, lost: quantum, near: near)
    let talks = Self.gap + quantum..<Self.gap + quantum + Self.rate / 10
    let change = CaptureSignals.decibels(CaptureSignals.power(run.voice[talks]) / CaptureSignals.power(near[talks]))
    #expect(abs(change) < 3, "\(change) dB")
  }
}
