import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

/// The mic modes, on audio; a double of known effect isolates the voice.
@Suite("Mic modes")
struct MicModeTests {
  static let rate = 48_000

  private static func plain(_ controls: CaptureControls) {
    controls.isHighPassFilterEnabled = false
    controls.isGainControlEnabled = false
    controls.isNoiseSuppressionEnabled = false
    controls.isEchoCancellationEnabled = false
  }

  private static func tone(seconds: Double, rate: Int = rate) -> [Float] {
    sine(300, frames: Int(seconds * Double(rate)), rate: rate, level: 0.5)
  }

  private static func level(_ samples: some Collection<Float>) -> Double { CaptureSignals.decibels(CaptureSignals.power(samples)) }

  // MARK: Noise

  @Test(
    "V12: wide spectrum leaves the noise of a room within 1 dB, whatever the switch of noise suppression says; standard takes 12 dB of it",
    arguments: EchoCanceller.engines)
  func wideSpectrum(engine: EchoCanceller) throws {
    let noise = CaptureSignals.noise(seconds: 4, rate: Self.rate, level: -40)
    func left(of mode: MicMode) throws -> (level: Double, latency: Int) {
      let rig = try CoreRig(isolator: IsolatorDouble()) {
        $0.engine = engine
        $0.isHighPassFilterEnabled = false
        $0.micMode = mode
      }
      let voice = try rig.run(noise, quantum: 256)
      return (Self.level(voice.suffix(Self.rate)) - Self.level(noise), rig.core.captureLatency(quantum: 256))
    }
    let (standard, wide) = (try left(of: .standard), try left(of: .wideSpectrum))
    print("V12 \(engine): of noise at −40 dBFS standard leaves \(standard.level) dB, wide spectrum \(wide.level) dB")
    #expect(standard.level < -12)
    #expect(abs(wide.level) < 1)
    #expect(standard.latency == wide.latency)
  }

  @Test("V12: wide spectrum cancels the echo as standard does", arguments: EchoCanceller.engines)
  func wideSpectrumCancels(engine: EchoCanceller) throws {
    let far = CaptureSignals.speech(seconds: 8, rate: Self.rate, level: -20)
    let echo = CaptureSignals.room(far, rate: Self.rate, delay: 480, gain: 0.5)
    let rig = try CoreRig(isolator: IsolatorDouble()) {
      $0.engine = engine
      $0.micMode = .wideSpectrum
    }
    let voice = try rig.run(echo, reference: far, quantum: 480)
    let removed = Self.level(echo.suffix(3 * Self.rate)) - Self.level(voice.suffix(3 * Self.rate))
    print("V12 \(engine): wide spectrum takes \(removed) dB of an echo")
    #expect(removed > 25)
  }

  // MARK: Isolation's place

  @Test(
    "V12, V8: isolated, the voice is the isolator's, and as late as is told to the sample, at every rate and quantum; nothing is late",
    arguments: [16_000, 44_100, 48_000, 96_000], [64, 256, 480, 1024])
  func isolatedLatency(rate: Int, quantum: Int) throws {
    let isolator = IsolatorDouble()
    let rig = try CoreRig(isolator: isolator, rate: rate) {
      Self.plain($0)
      $0.micMode = .voiceIsolation
    }
    let latency = rig.core.captureLatency(quantum: quantum)
    let speech = CaptureSignals.speech(seconds: 1.5, rate: rate, level: -20)
    let voice = try rig.run(speech, quantum: quantum)
    let (start, count) = (rate / 2, rate / 4)
    let lag = CaptureSignals.lag(of: voice, behind: speech, in: latency - 40...latency + 40, at: start, count: count)
    let gain =
      CaptureSignals.decibels(
        CaptureSignals.power(voice[(start + latency)..<(start + latency + count)]) / CaptureSignals.power(speech[start..<start + count]))
    #expect(lag == latency)
    #expect(abs(gain + 6.02) < 0.3, "\(gain) dB")
    let status = rig.core.isolation.status
    #expect(status.isHeard && status.isInPlace && status.lateBlocks == 0 && status.isolator == "double")
    #expect(isolator.blocks > 100)
  }

  @Test("V12: a standard microphone has no part of it: no frame later, no thread, the same voice bit by bit, before and after")
  func standardIsUntouched() throws {
    let speech = CaptureSignals.speech(seconds: 2, rate: Self.rate, level: -20)
    let isolator = IsolatorDouble()
    let rig = try CoreRig(isolator: isolator)
    var alone = try CaptureRun(rate: Self.rate)
    let silence = [Float](repeating: 0, count: speech.count)
    let expected = alone.process(speech + silence + silence + speech, reference: silence + silence + silence + silence, quantum: 256)
    let latency = rig.core.captureLatency(quantum: 256)
    var voice = try rig.run(speech, quantum: 256)
    #expect(isolator.blocks == 0)
    try rig.change(to: .voiceIsolation)
    voice += try rig.run(silence, quantum: 256)
    #expect(isolator.blocks > 0 && rig.core.isolation.status.isInPlace)
    try rig.change(to: .standard)
    voice += try rig.run(silence, quantum: 256)
    let blocks = isolator.blocks
    voice += try rig.run(speech, quantum: 256)
    #expect(isolator.blocks == blocks && rig.core.isolation.status.isolator == nil)
    #expect(rig.core.captureLatency(quantum: 256) == latency && alone.latency(quantum: 256) == latency)
    #expect(voice.prefix(speech.count / 256 * 256) == expected.prefix(speech.count / 256 * 256))
    #expect(voice.suffix(speech.count / 2) == expected[..<voice.count].suffix(speech.count / 2))
  }

  // MARK: Changes

  @Test("V12, L7: the mode changes twelve times during a tone, and nothing clicks; no frame is silent", arguments: [64, 256, 480, 1024])
  func noClicks(quantum: Int) throws {
    let rig = try CoreRig(isolator: IsolatorDouble(gain: 1), configure: Self.plain)
    let modes: [MicMode] = [.voiceIsolation, .wideSpectrum, .voiceIsolation, .standard]
    let every = Self.rate / 4 / quantum
    var changes = 0
    let voice = try rig.run(Self.tone(seconds: 3.3), quantum: quantum) { cycle in
      guard cycle > 0, cycle % every == 0 else { return }
      try rig.change(to: modes[changes % modes.count])
      changes += 1
    }
    let loudest = CaptureSignals.click(voice)
    print("V12 quantum \(quantum): \(changes) changes of mode, the loudest \(20 * log10(max(loudest, 1e-9) / 0.5)) dB above 5 kHz")
    #expect(changes >= 12)
    // −60 dB under the tone's peak.
    #expect(loudest < 0.0005)
    for start in stride(from: 4_800, to: voice.count - 4_800, by: 2_400) {
      #expect(voice[start..<start + 2_400].contains { abs($0) > 0.4 }, "nothing is heard from \(start) on")
    }
  }

  @Test("V12: the canceller keeps what it has learnt when the mode changes: no echo comes back")
  func cancellerStays() throws {
    let far = CaptureSignals.speech(seconds: 12, rate: Self.rate, level: -20)
    let echo = CaptureSignals.room(far, rate: Self.rate, delay: 480, gain: 0.5)
    let rig = try CoreRig(isolator: IsolatorDouble(gain: 1))
    let modes: [Int: MicMode] = [600: .voiceIsolation, 800: .wideSpectrum, 1000: .voiceIsolation]
    let voice = try rig.run(echo, reference: far, quantum: 480) { if let mode = modes[$0] { try rig.change(to: mode) } }
    let removed = Self.level(echo.suffix(6 * Self.rate)) - Self.level(voice.suffix(6 * Self.rate))
    print("V12: \(removed) dB of the echo are gone while the mode changes three times")
    #expect(removed > 25)
  }

  @Test("V12, V10: the engine changes while the voice is isolated: nothing clicks, and it stays isolated")
  func engineChanges() throws {
    let rig = try CoreRig(isolator: IsolatorDouble(gain: 1)) {
      Self.plain($0)
      $0.micMode = .voiceIsolation
    }
    let voice = try rig.run(Self.tone(seconds: 2), quantum: 256) { cycle in
      guard cycle % 90 == 89 else { return }
      rig.core.controls.engine = rig.core.controls.engine == .nearend ? .webrtc : .nearend
      try rig.renewCapturePath()
    }
    #expect(CaptureSignals.click(voice) < 0.0005)
    #expect(rig.core.isolation.status.isHeard && rig.core.isolation.status.lateBlocks == 0)
  }

  @Test("V12, V2: bypassed, the raw microphone is heard at the isolated voice's latency, and coming back is instant")
  func bypass() throws {
    let rig = try CoreRig(isolator: IsolatorDouble()) {
      Self.plain($0)
      $0.micMode = .voiceIsolation
    }
    let speech = CaptureSignals.speech(seconds: 3, rate: Self.rate, level: -20)
    let voice = try rig.run(speech, quantum: 256) { cycle in rig.core.controls.isBypassed = (190..<380).contains(cycle) }
    let latency = rig.core.captureLatency(quantum: 256), bypassed = 256 * 190 + 2 * latency..<256 * 380
    #expect(zip(voice[bypassed], speech[(bypassed.lowerBound - latency)...]).allSatisfy { $0 == $1 })
    let after = 256 * 380 + 480..<256 * 500
    let expected = speech[after.lowerBound - latency..<after.upperBound - latency]
    #expect(zip(voice[after], expected).allSatisfy { abs($0 - 0.5 * $1) < 1e-3 })
  }

  // MARK: Lateness

  @Test("V12: where the isolator is late, the standard voice goes on as late as before without a click, and the blocks are counted")
  func late() throws {
    let rig = try CoreRig(isolator: IsolatorDouble()) {
      Self.plain($0)
      $0.micMode = .voiceIsolation
    }
    // A pause of 213 ms in every second.
    let voice = try rig.run(Self.tone(seconds: 3.2), quantum: 256, drains: { $0 % 187 < 147 })
    let blocks = rig.core.isolation.status.lateBlocks
    print("V12: \(blocks) blocks late in three pauses of 40 cycles")
    // 40 cycles, plus the blocks in store, minus those that the next round brings.
    #expect((51...66).contains(blocks))
    // −54 dB: 6 dB within 2.5 ms.
    #expect(CaptureSignals.click(voice) < 0.001)
    var levels: [Double] = []
    for start in stride(from: 9_600, to: voice.count - 960, by: 480) { levels.append(Self.level(voice[start..<start + 480])) }
    // A tone of −9 dBFS, or of half that amplitude.
    #expect(levels.allSatisfy { $0 > -15.6 && $0 < -8.5 })
    #expect(levels.contains { $0 > -9.5 } && levels.contains { $0 < -14.5 })
    rig.core.clearCounters()
    #expect(rig.core.isolation.status.lateBlocks == 0)
  }

  @Test("V12: an isolator that stands still for two seconds holds up nobody, and is heard again when it has caught up")
  func stuck() throws {
    let isolator = IsolatorDouble()
    let rig = try CoreRig(isolator: isolator, hasThread: true) {
      Self.plain($0)
      $0.micMode = .voiceIsolation
    }
    let tone = Self.tone(seconds: 1)
    var voice: [Float] = []
    /// Runs cycles at about real time until a fact holds.
    func run(until isSo: () -> Bool) throws -> Bool {
      for round in 0..<30 {
        voice += try rig.run(tone, quantum: 480) { _ in usleep(3_000) }
        if isSo() { return true }
        if round == 29 { return false }
      }
      return false
    }
    #expect(try run { rig.core.isolation.status.isHeard }, "the worker's thread does not keep up")
    isolator.isStuck = true
    let before = rig.core.isolation.status.lateBlocks
    for _ in 0..<2 { voice += try rig.run(tone, quantum: 480) }
    #expect(rig.core.isolation.status.lateBlocks - before > 150 && !rig.core.isolation.status.isHeard)
    isolator.isStuck = false
    #expect(try run { rig.core.isolation.status.isHeard }, "it does not come back")
    // −54 dB: 6 dB within 2.5 ms.
    #expect(CaptureSignals.click(voice) < 0.001)
  }

  // MARK: Obstacles

  @Test("V12: without what it takes the mode says so, and the voice is the standard mode's, bit by bit and as late")
  func missing() throws {
    let speech = CaptureSignals.speech(seconds: 1, rate: Self.rate, level: -20)
    let (rig, standard) = (try CoreRig(isolator: IsolatorDouble()), try CoreRig(isolator: IsolatorDouble()))
    rig.core.isolation.use { () throws(IsolationError) in throw .notInstalled }
    try rig.change(to: .voiceIsolation)
    #expect(try rig.run(speech, quantum: 256) == standard.run(speech, quantum: 256))
    #expect(rig.core.isolation.status.failure == .notInstalled)
    #expect(rig.core.isolation.status.failure?.description.contains("nearend isolation install") == true)
    #expect(rig.core.captureLatency(quantum: 256) == standard.core.captureLatency(quantum: 256))
    // Once the library is there it is used without a new request.
    rig.core.isolation.use { () throws(IsolationError) in IsolatorDouble() }
    for _ in 0..<30 { try rig.renewCapturePath() }
    _ = try rig.run(speech, quantum: 256)
    #expect(rig.core.isolation.status.isHeard && rig.core.isolation.status.failure == nil)
  }

  @Test("V12: nothing of one call is heard in the next: isolation begins it with silence", arguments: [256, 480])
  func nothingStays(quantum: Int) throws {
    let rig = try CoreRig(isolator: IsolatorDouble()) {
      Self.plain($0)
      $0.micMode = .voiceIsolation
    }
    _ = try rig.run(Self.tone(seconds: 1), quantum: quantum)
    rig.core.isSending = false
    _ = try rig.run([Float](repeating: 0, count: 20 * quantum), quantum: quantum)
    rig.core.isSending = true
    let silence = [Float](repeating: 0, count: Self.rate / 4)
    let chain = rig.core.captureLatency(quantum: quantum) - rig.core.isolation.latency(quantum: quantum)
    let voice = try rig.run(silence, quantum: quantum)
    // Sound already in the chain's blocks comes with or without isolation.
    let loud = voice.indices.filter { abs(voice[$0]) > 1e-3 }
    #expect(loud.count <= chain + quantum, "\(loud.count) frames, \(loud.first ?? 0) to \(loud.last ?? 0)")
  }

  @Test("V12, V9: the graph's rate and quantum change while the voice is isolated, and it is isolated again")
  func ratesChange() throws {
    let rig = try CoreRig(isolator: IsolatorDouble()) {
      Self.plain($0)
      $0.micMode = .voiceIsolation
    }
    for (rate, quantum) in [(48_000, 256), (48_000, 1024), (44_100, 512), (16_000, 128), (48_000, 480)] {
      rig.rate = rate
      let speech = CaptureSignals.speech(seconds: 1.5, rate: rate, level: -20)
      _ = try rig.run(speech.prefix(4 * quantum), quantum: quantum)
      try rig.renewCapturePath()
      _ = try rig.run(speech, quantum: quantum)
      #expect(rig.core.isolation.status.isHeard, "\(rate) Hz, quantum \(quantum)")
      #expect(rig.core.isolation.status.lateBlocks == 0, "\(rate) Hz, quantum \(quantum)")
    }
  }
}
