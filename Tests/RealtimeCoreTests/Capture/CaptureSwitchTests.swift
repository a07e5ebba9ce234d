import Testing

@testable import RealtimeCore

@Suite("Capture path: switches")
struct CaptureSwitchTests {
  static let switches: [(String, @Sendable (CaptureControls) -> Void)] = [
    ("bypass", { $0.isBypassed.toggle() }),
    ("AGC", { $0.isGainControlEnabled.toggle() }),
    ("NS", { $0.isNoiseSuppressionEnabled.toggle() }),
    ("AEC", { $0.isEchoCancellationEnabled.toggle() }),
    ("HPF", { $0.isHighPassFilterEnabled.toggle() }),
    ("mute", { $0.isMicrophoneMuted.toggle() }),
    ("voice processing", { $0.usesVoiceProcessing.toggle() }),
  ]

  @Test("L7: a switch thrown ten times during speech never clicks", arguments: switches.indices, EchoCanceller.engines)
  func noClicks(index: Int, engine: EchoCanceller) throws {
    let (name, toggle) = CaptureSwitchTests.switches[index]
    let microphone = CaptureSignals.speech(seconds: 2.4, rate: 16000, level: -30)
    // Gain control follows the level, which the other switches change: the voice differs, without a click.
    let hasGainControl = name == "AGC"
    var plain = try CaptureRun(engine: engine, rate: 16000) { $0.isGainControlEnabled = hasGainControl }
    var switched = try CaptureRun(engine: engine, rate: 16000) { $0.isGainControlEnabled = hasGainControl }
    let before = plain.process(microphone, quantum: 96)
    let voice = switched.process(microphone, quantum: 96) { start, controls in
      // Not at multiples of a syllable, a block or a cycle.
      if start >= 96 * 40 && start < 96 * 380 && (start / 96 - 40) % 35 == 0 { toggle(controls) }
    }
    // The steps of the signal itself nearby, processed or not, at any latency in use.
    let own = zip(localJumps(before), localJumps(microphone)).map(max)
    for (slot, jump) in jumps(voice).enumerated() {
      #expect(jump <= own[slot] + 0.01, "\(name) at \(slot * 96): a jump of \(jump), the signal's own is \(own[slot])")
    }
  }

  @Test("L7: a switch does not click during a hum, which hides no click", arguments: switches.indices, EchoCanceller.engines)
  func noClicksInHum(index: Int, engine: EchoCanceller) throws {
    let (name, toggle) = CaptureSwitchTests.switches[index]
    // 70 Hz at −15 dBFS: steps of 0.007 at most.
    let microphone = (0..<16000).map { 0.25 * Float.sine(70 * Float($0) / 16000) }
    var run = try CaptureRun(engine: engine, rate: 16000)
    let voice = run.process(microphone, quantum: 96) { start, controls in
      if start >= 96 * 40 && (start / 96 - 40) % 12 == 0 { toggle(controls) }
    }
    // The path starts from silence; it has settled after 0.1 s.
    #expect(jumps(voice)[17...].allSatisfy { $0 <= 0.017 }, "\(name): a jump of \(jumps(voice)[17...].max()!)")
  }

  /// The largest step between neighbouring samples in each 96 frames.
  private func jumps(_ samples: [Float]) -> [Float] {
    stride(from: 0, to: samples.count - 96, by: 96).map { start in
      var largest: Float = 0
      for i in max(start, 1)..<start + 96 { largest = max(largest, abs(samples[i] - samples[i - 1])) }
      return largest
    }
  }

  /// The largest jump within the last 50 ms, which cover every latency in use, and the next 20 ms.
  private func localJumps(_ samples: [Float]) -> [Float] {
    let all = jumps(samples)
    return all.indices.map { all[max($0 - 8, 0)...min($0 + 3, all.count - 1)].max()! }
  }

  @Test("D1, D2: mute is silence within 10 ms of its latency, unmute too, and voice is still detected", arguments: EchoCanceller.engines)
  func mute(engine: EchoCanceller) throws {
    var run = try CaptureRun(engine: engine)
    let microphone = CaptureSignals.speech(seconds: 1.5, rate: 48000, level: -22)
    var heard = false
    let voice = run.process(microphone, quantum: 256) { start, controls in
      if start == 256 * 180 { controls.isMicrophoneMuted = true }
      if start > 256 * 190 { heard = heard || controls.isMicrophoneMuted }
    }
    #expect(voice[..<(256 * 180)].contains { abs($0) > 0.05 })
    #expect(voice[(256 * 180 + 480)...].allSatisfy { $0 == 0 })
    let loudest = voice.reduce(0) { max($0, abs($1)) }
    #expect(run.meters.snapshot().voicePeak < 0.5 * loudest, "0.5 s after the mute the meter has fallen")
    #expect(run.meters.snapshot().hasVoice)
    run.controls.isMicrophoneMuted = false
    #expect(run.process(microphone, quantum: 256)[480...].contains { abs($0) > 0.05 })
  }

  @Test("V1: switching voice processing off and on costs a short gap, and the path is whole afterwards", arguments: EchoCanceller.engines)
  func voiceProcessingSwitch(engine: EchoCanceller) throws {
    var run = try CaptureRun(engine: engine) { $0.isBypassed = true }
    let microphone = CaptureSignals.noise(seconds: 0.5, rate: 48000, level: -20)
    _ = run.process(microphone, quantum: 256)
    run.controls.usesVoiceProcessing = false
    let off = run.process(microphone, quantum: 256)
    #expect(Array(off[480...]) == Array(microphone[480..<off.count]), "nothing is added once off")
    #expect(!run.meters.snapshot().hasVoice)
    run.controls.usesVoiceProcessing = true
    let on = run.process(microphone, quantum: 256), latency = run.latency(quantum: 256)
    #expect(Array(on[(latency + 480)...]) == Array(microphone[480..<(on.count - latency)]), "whole within 5 ms of its latency")
  }

  @Test("X1: missing input is silence, and NaN, infinite and huge samples leave no trace", arguments: EchoCanceller.engines)
  func badInput(engine: EchoCanceller) throws {
    var run = try CaptureRun(engine: engine), clean = try CaptureRun(engine: engine)
    #expect(run.processNothing(frames: 4800, quantum: 256).allSatisfy { abs($0) < 1e-4 })
    _ = clean.processNothing(frames: 4800, quantum: 256)
    var bad = [Float](repeating: .nan, count: 4096)
    for i in stride(from: 0, to: 4096, by: 3) { bad[i] = i % 2 == 0 ? .infinity : 1e30 }
    #expect(run.process(bad, reference: bad, quantum: 256).allSatisfy { abs($0) < 1e-4 })
    let nothing = [Float](repeating: 0, count: 4096)
    _ = clean.process(nothing, reference: nothing, quantum: 256)
    let speech = CaptureSignals.speech(seconds: 0.5, rate: 48000, level: -20)
    #expect(run.process(speech, quantum: 256) == clean.process(speech, quantum: 256))
    run.controls.usesVoiceProcessing = false
    #expect(run.process(bad, quantum: 256).allSatisfy { $0.isFinite })
  }
}

extension Float {
  /// An approximate sine of a phase in turns.
  fileprivate static func sine(_ turns: Float) -> Float {
    // A parabola is within 6 % of a sine and smooth enough: no step, no corner.
    let t = turns - turns.rounded(.down) - 0.5
    return -8 * t * (1 - 2 * Swift.abs(t))
  }
}
