import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

/// A core whose engine is changed while cycles run, as the control side changes it in a call.
@Suite("Engines")
struct EngineSwitchTests {
  static let rate = 48_000
  static let quanta = [64, 128, 256, 480, 512, 1024]

  /// Passes the raw microphone at the processed voice's latency, so that the output is known to the sample.
  private static func rig(_ engine: EchoCanceller = .nearend, isBypassed: Bool = true) throws -> CoreRig {
    let rig = try CoreRig()
    rig.core.controls.usesVoiceProcessing = true
    rig.core.controls.isBypassed = isBypassed
    try change(rig, to: engine)
    return rig
  }

  private static func change(_ rig: CoreRig, to engine: EchoCanceller) throws {
    rig.core.controls.engine = engine
    try rig.renewCapturePath()
  }

  /// Runs whole cycles; returns the voice.
  private static func run(_ rig: CoreRig, _ microphone: some Collection<Float>, quantum: Int, each: (Int) throws -> Void = { _ in }) throws
    -> [Float]
  {
    let microphone = Array(microphone)
    var voice: [Float] = []
    for cycle in 0..<microphone.count / quantum {
      try each(cycle)
      rig.cycle(Array(microphone[cycle * quantum..<(cycle + 1) * quantum]))
      voice += rig.voice
    }
    return voice
  }

  /// A tone of 300 Hz, which repeats every 160 frames; no quantum is a multiple of that.
  private static func tone(seconds: Double) -> [Float] {
    sine(300, frames: Int(seconds * Double(rate)), rate: rate, level: 0.5)
  }

  @Test("V10, L7: the engine changes 24 times during a tone, and nothing clicks; the same measure finds a hard change", arguments: quanta)
  func noClicks(quantum: Int) throws {
    let rig = try Self.rig()
    let every = 7_200 / quantum + 1
    let tone = Self.tone(seconds: 4.2)
    var changes = 0
    let voice = try Self.run(rig, tone, quantum: quantum) { cycle in
      guard cycle > 0, cycle % every == 0 else { return }
      try Self.change(rig, to: rig.core.controls.engine == .nearend ? .webrtc : .nearend)
      changes += 1
    }
    let loudest = CaptureSignals.click(voice)
    print("V10 quantum \(quantum): \(changes) changes of engine, the loudest \(20 * log10(max(loudest, 1e-9) / 0.5)) dB above 5 kHz")
    #expect(changes >= 24)
    // −60 dB under the tone's peak.
    #expect(loudest < 0.0005)
    // There is sound before and after each change.
    for start in stride(from: 4_800, to: voice.count - 4_800, by: 2_400) {
      #expect(voice[start..<start + 2_400].contains { abs($0) > 0.4 }, "nothing is heard from \(start) on")
    }

    let hard = tone.indices.map { frame in tone[max(0, frame - (frame / 7_200 % 2 == 0 ? 0 : 118))] }
    #expect(CaptureSignals.click(hard) > 0.0005, "the measure does not find a change of latency by itself")
  }

  @Test("V10: a change during processed speech causes no step that speech does not have", arguments: EchoCanceller.engines)
  func processed(first: EchoCanceller) throws {
    let rig = try Self.rig(first, isBypassed: false)
    // 70 Hz: steps of 0.0023 at most.
    let hum = sine(70, frames: 96_000, level: 0.25)
    let every = 80
    let voice = try Self.run(rig, hum, quantum: 256) { cycle in
      guard cycle > 0, cycle % every == 0 else { return }
      try Self.change(rig, to: rig.core.controls.engine == .nearend ? .webrtc : .nearend)
    }
    let steps = zip(voice, voice.dropFirst()).map { abs($1 - $0) }
    #expect(steps[4_800...].max()! < 0.008)
    // There is sound before and after each change, although every engine takes a steady hum for noise, some sooner than others.
    for start in stride(from: 4_800, to: voice.count - 4_800, by: 2_400) {
      #expect(voice[start..<start + 2_400].contains { abs($0) > 0.002 }, "nothing is heard from \(start) on")
    }
  }

  @Test("V10: of an engine that was replaced while nobody recorded, nothing is heard", arguments: EchoCanceller.engines)
  func replacedWhileIdle(first: EchoCanceller) throws {
    let rig = try Self.rig(first)
    let before = try Self.run(rig, Self.tone(seconds: 0.3), quantum: 256)
    let latency = rig.core.captureLatency(quantum: 256)
    #expect(before.contains { abs($0) > 0.4 })
    rig.core.isSending = false
    rig.cycle([Float](repeating: 0, count: 256))
    rig.core.isSending = true
    try Self.change(rig, to: first == .nearend ? .webrtc : .nearend)
    let after = try Self.run(rig, [Float](repeating: 0, count: 9_600), quantum: 256)
    #expect(after.allSatisfy { abs($0) < 1e-4 }, "\(after.max() ?? 0)")
    // It has been replaced: the other one passes sound at its own latency.
    #expect(rig.core.captureLatency(quantum: 256) != latency)
    let again = try Self.run(rig, Self.tone(seconds: 0.3), quantum: 256)
    #expect(again.contains { abs($0) > 0.4 })
  }

  @Test("V8, V13: the reported latency is the measured one, for both engines, after every change", arguments: quanta)
  func latency(quantum: Int) throws {
    let rig = try Self.rig()
    for engine in [EchoCanceller.nearend, .webrtc, .nearend, .webrtc] {
      try Self.change(rig, to: engine)
      _ = try Self.run(rig, [Float](repeating: 0, count: 8_192), quantum: quantum)
      var microphone = [Float](repeating: 0, count: 8_192)
      microphone[2_100] = 0.5
      let voice = try Self.run(rig, microphone, quantum: quantum)
      let told = rig.core.captureLatency(quantum: quantum)
      #expect(rig.core.captureLatency == told)
      #expect(voice.firstIndex { $0 != 0 } == 2_100 + told, "\(engine) at \(quantum)")
      #expect(voice.filter { $0 != 0 } == [0.5], "the impulse comes out once and whole")
      if engine == .nearend {
        #expect(quantum & (quantum - 1) != 0 || told <= 512)
        #expect(quantum != 256 || told <= 480)
      }
      rig.core.controls.usesVoiceProcessing = false
      #expect(rig.core.captureLatency(quantum: quantum) == 0)
      rig.core.controls.usesVoiceProcessing = true
    }
  }

  @Test(
    "V13: at every rate, own engine: no more than 10.7 ms at every quantum that is a power of two",
    arguments: [16_000, 44_100, 48_000, 96_000, 192_000])
  func latencyAtEveryRate(rate: Int) throws {
    let run = try CaptureRun(rate: rate)
    for quantum in [64, 128, 256, 512, 1024] {
      #expect(
        Double(run.latency(quantum: quantum)) / Double(rate) <= 512.0 / 44_100, "quantum \(quantum): \(run.latency(quantum: quantum))")
    }
  }

  @Test("V10: a second change while a path is being made yields the last choice, and nothing of the other is heard")
  func changeOfMind() throws {
    let rig = try Self.rig()
    let latency = rig.core.captureLatency(quantum: 256)
    _ = try Self.run(rig, Self.tone(seconds: 0.1), quantum: 256)
    rig.core.controls.engine = .webrtc
    try rig.core.renewCapturePath()
    #expect(rig.core.isMakingCapturePath)
    rig.core.controls.engine = .nearend
    try rig.renewCapturePath()
    #expect(rig.core.captureLatency(quantum: 256) == latency)
    // A new rate is requested, and a different engine before its path has been made.
    rig.rate = 96_000
    _ = try Self.run(rig, Self.tone(seconds: 0.1), quantum: 256)
    try rig.core.renewCapturePath()
    rig.core.controls.engine = .webrtc
    try rig.renewCapturePath()
    // The switch to bypass fades at its beginning.
    let microphone = [Float](repeating: 0, count: 8_192) + [0.5] + [Float](repeating: 0, count: 8_191)
    let voice = try Self.run(rig, microphone, quantum: 256), told = rig.core.captureLatency
    #expect(told > 0 && voice[8_192...].firstIndex { $0 != 0 } == 8_192 + told)
  }

  @Test("V10: a muted microphone stays silent, and a held one, while the engine changes")
  func muted() throws {
    let rig = try Self.rig()
    rig.core.controls.isMicrophoneMuted = true
    let tone = Self.tone(seconds: 1)
    _ = try Self.run(rig, tone.prefix(4_800), quantum: 256)
    let voice = try Self.run(rig, tone, quantum: 256) { cycle in
      if cycle % 40 == 0 { try Self.change(rig, to: cycle % 80 == 0 ? .webrtc : .nearend) }
    }
    #expect(voice.allSatisfy { $0 == 0 })
  }

  @Test("V1, V10: with voice processing off a change of engine is not heard at all")
  func off() throws {
    let rig = try Self.rig()
    rig.core.controls.usesVoiceProcessing = false
    let noise = CaptureSignals.noise(seconds: 0.5, rate: Self.rate, level: -20)
    let voice = try Self.run(rig, noise, quantum: 256) { cycle in
      if cycle % 20 == 0 { try Self.change(rig, to: cycle % 40 == 0 ? .webrtc : .nearend) }
    }
    #expect(voice == Array(noise.prefix(voice.count)))
  }

  @Test("V9, V10: quantum, rate, sending and voice processing change in the middle of a change of engine, and the path is whole afterwards")
  func interrupted() throws {
    let interruptions: [(CoreRig) throws -> Void] = [
      { rig in _ = try Self.run(rig, Self.tone(seconds: 0.01), quantum: 128) },
      { rig in
        rig.rate = 44_100
        _ = try Self.run(rig, Self.tone(seconds: 0.02), quantum: 256)
        try rig.renewCapturePath()
        rig.rate = 48_000
        _ = try Self.run(rig, Self.tone(seconds: 0.02), quantum: 256)
        try rig.renewCapturePath()
      },
      { rig in
        rig.core.isSending = false
        _ = try Self.run(rig, Self.tone(seconds: 0.02), quantum: 256)
        rig.core.isSending = true
      },
      { rig in
        rig.core.controls.usesVoiceProcessing = false
        _ = try Self.run(rig, Self.tone(seconds: 0.005), quantum: 256)
        rig.core.controls.usesVoiceProcessing = true
      },
      { rig in for engine in [EchoCanceller.nearend, .webrtc, .nearend, .webrtc, .webrtc] { try Self.change(rig, to: engine) } },
    ]
    for (index, interruption) in interruptions.enumerated() {
      let rig = try Self.rig()
      _ = try Self.run(rig, Self.tone(seconds: 0.1), quantum: 256)
      try Self.change(rig, to: .webrtc)
      _ = try Self.run(rig, Self.tone(seconds: 0.006), quantum: 256)
      try interruption(rig)
      _ = try Self.run(rig, Self.tone(seconds: 0.2), quantum: 256)
      try rig.renewCapturePath()
      let noise = CaptureSignals.noise(seconds: 0.2, rate: Self.rate, level: -20)
      let voice = try Self.run(rig, noise, quantum: 256), latency = rig.core.captureLatency(quantum: 256)
      #expect(Array(voice[(latency + 480)...]) == Array(noise[480..<(voice.count - latency)]), "interruption \(index)")
      #expect(rig.core.controls.engine == .webrtc && latency > 480)
    }
  }

  @Test("V3, V10: what gain control knows of a talker is kept", arguments: EchoCanceller.engines)
  func gainIsKept(first: EchoCanceller) throws {
    let rig = try Self.rig(first, isBypassed: false)
    // The suppressors' different effects on a talker do not matter here.
    rig.core.controls.isNoiseSuppressionEnabled = false
    let talk = CaptureSignals.speech(seconds: 8, rate: Self.rate, level: -36)
    _ = try Self.run(rig, talk, quantum: 480)
    let before = rig.core.meters.snapshot().gain
    try Self.change(rig, to: first == .nearend ? .webrtc : .nearend)
    _ = try Self.run(rig, talk.prefix(9_600), quantum: 480)
    #expect(before > 6)
    #expect(abs(rig.core.meters.snapshot().gain - before) < 1.5)
  }
}
