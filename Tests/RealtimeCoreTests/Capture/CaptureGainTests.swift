import Testing

@testable import RealtimeCore

@Suite("Capture path: gain control")
struct CaptureGainTests {
  /// Runs a near-end talker alone at this active level; returns the voice's active level, its peak, and the final meters.
  private func talker(
    _ engine: EchoCanceller, level: Float, seconds: Double = 9, isOn: Bool = true
  ) throws -> (level: Double, peak: Float, meters: CaptureMeters) {
    var run = try CaptureRun(engine: engine, rate: 16000) { $0.isGainControlEnabled = isOn }
    let voice = run.process(CaptureSignals.speech(seconds: seconds, rate: 16000, level: level), quantum: 160)
    let end = voice[(voice.count - 32000)...]
    return (CaptureSignals.decibels(CaptureSignals.activePower(end)), voice.reduce(0) { max($0, abs($1)) }, run.meters.snapshot())
  }

  @Test("V3: a talker of normal level is left within 3 dB of the microphone", arguments: [-26, -24, -20, -18], EchoCanceller.engines)
  func normalLevel(level: Float, engine: EchoCanceller) throws {
    #expect(abs(try talker(engine, level: level).level - Double(level)) < 3)
  }

  @Test("V3: without gain control a quiet talker and a loud one are left as they are", arguments: EchoCanceller.engines)
  func off(engine: EchoCanceller) throws {
    for level: Float in [-36, -9] { #expect(abs(try talker(engine, level: level, seconds: 4, isOn: false).level - Double(level)) < 3) }
  }

  @Test("V6: a quiet talker is raised, a loud one lowered, and the meter shows the gain", arguments: EchoCanceller.engines)
  func range(engine: EchoCanceller) throws {
    let quiet = try talker(engine, level: -36)
    #expect(quiet.level > -28)
    #expect(quiet.meters.gain > 8 && quiet.meters.gain <= 18)
    let loud = try talker(engine, level: -9, seconds: 4)
    #expect(loud.level < -12.5)
    #expect(loud.meters.gain < -4)
    #expect(loud.peak < 0.9)
  }

  @Test("V3: neither noise nor the far end's echo is raised, bypassed or alone", arguments: EchoCanceller.engines)
  func onlyTheNearEnd(engine: EchoCanceller) throws {
    // A quiet talker raises the gain; then only the far end talks.
    var run = try CaptureRun(engine: engine, rate: 16000)
    _ = run.process(CaptureSignals.speech(seconds: 7, rate: 16000, level: -36), quantum: 160)
    #expect(run.meters.snapshot().gain > 6)
    let far = CaptureSignals.speech(seconds: 3, rate: 16000, level: -24, seed: 3)
    let echo = CaptureSignals.room(far, rate: 16000, delay: 320, gain: 0.5)
    _ = run.process(echo, reference: far, quantum: 160)
    #expect(run.meters.snapshot().gain < 1)
    run.controls.isBypassed = true
    _ = run.process(CaptureSignals.speech(seconds: 1, rate: 16000, level: -36), quantum: 160)
    #expect(run.meters.snapshot().gain == 0, "gain control takes effect only where voice processing is not bypassed")
  }
}
