import Foundation
import Testing

@testable import RealtimeCore

@Suite("Capture path: echo")
struct CaptureEchoTests {
  let rate = 16000

  @Test(
    "V6: echo is cancelled by 30 dB within 5 s, near or far, and the meters say so", arguments: [0, 2, 30, 60, 240], EchoCanceller.engines)
  func farEndAlone(milliseconds: Int, engine: EchoCanceller) throws {
    let delay = milliseconds * rate / 1000
    let far = CaptureSignals.speech(seconds: 7, rate: rate, level: -24, seed: 3)
    let microphone = CaptureSignals.room(far, rate: rate, delay: delay, gain: 0.5)
    var run = try CaptureRun(engine: engine, rate: rate)
    let voice = run.process(microphone, reference: far, quantum: 256)
    let erle = CaptureSignals.decibels(
      CaptureSignals.power(microphone[(5 * rate)...]) / CaptureSignals.power(voice[(5 * rate)...]))
    #expect(erle > (engine == .nearend ? 53 : 30), "\(erle) dB")
    let meters = run.meters.snapshot()
    #expect(meters.erle > 20 && meters.echoReduction > 30)
    #expect(abs((meters.echoDelay.known ?? -1) - Float(milliseconds) / 1000) < 0.003)
    #expect(meters.isFarEndActive)
    #expect(meters.echoVerdict == .cancelling)
    #expect(!meters.hasVoice)
  }

  @Test(
    "V10: a microphone that clips the echo by 6 or 12 dB costs no more than 15 dB, at whatever level it clips",
    arguments: [(6, 1), (6, 0.5), (12, 0.5)])
  func clipping(decibels: Float, rail: Float) throws {
    let far = CaptureSignals.speech(seconds: 7, rate: rate, level: -12, seed: 3)
    let echo = CaptureSignals.room(far, rate: rate, delay: 480, gain: 1)
    let loudest = echo.reduce(0) { max($0, abs($1)) }, gain = rail * pow(10, decibels / 20) / loudest
    func erle(_ microphone: [Float]) throws -> Double {
      var run = try CaptureRun(engine: .nearend, rate: rate)
      let voice = run.process(microphone, reference: far, quantum: 256)
      return CaptureSignals.decibels(CaptureSignals.power(microphone[(4 * rate)...]) / CaptureSignals.power(voice[(4 * rate)...]))
    }
    let whole = try erle(echo.map { $0 * gain * 0.2 }), clipped = try erle(echo.map { max(-rail, min(rail, $0 * gain)) })
    #expect(clipped > whole - 15 && clipped > 35, "\(clipped) dB, \(whole) dB without clipping")
  }

  @Test("V10: the echo of the first words after a ringing tone is cancelled as that of the first words of a call", arguments: [425, 440])
  func ringback(hertz: Float) throws {
    let rate = 48_000, begin = 7 * rate
    let speech = [Float](repeating: 0, count: begin) + CaptureSignals.speech(seconds: 2, rate: rate, level: -23, seed: 3)
    func erle(_ before: (Int) -> Float) throws -> Double {
      let far = speech.indices.map { $0 < 6 * rate ? before($0) : speech[$0] }
      let noise = CaptureSignals.noise(seconds: 9, rate: rate, level: -70, seed: 5)
      let microphone = zip(CaptureSignals.room(far, rate: rate, delay: 2_400, gain: 0.7), noise).map { $0 + $1 }
      var run = try CaptureRun(engine: .nearend, rate: rate)
      let voice = run.process(microphone, reference: far, quantum: 256), words = begin..<begin + rate
      return CaptureSignals.decibels(CaptureSignals.power(microphone[words]) / CaptureSignals.power(voice[words]))
    }
    let silence = try erle { _ in 0 }
    let tone = try erle { $0 / rate % 6 < 2 ? 0.07 * sin(2 * Float.pi * hertz / Float(rate) * Float($0 % rate)) : 0 }
    #expect(tone > min(silence, 40) - 10, "\(tone) dB after a tone, \(silence) after silence")
  }

  @Test("V10: an echo path that changed while the far end paused lets little of its next words through")
  func movedInPause() throws {
    let rate = 48_000, resumed = 11 * rate
    let (far, microphone) = Self.pause(rate: rate, isMoved: true)
    var run = try CaptureRun(engine: .nearend, rate: rate)
    let voice = run.process(microphone, reference: far, quantum: 256), words = resumed..<resumed + rate
    let erle = CaptureSignals.decibels(CaptureSignals.power(microphone[words]) / CaptureSignals.power(voice[words]))
    #expect(erle > 60, "\(erle) dB")
  }

  @Test("V10: a talker stays audible when the far end speaks after a pause, because the path is verified, not feared")
  func talksAfterPause() throws {
    let rate = 48_000, resumed = 11 * rate
    let near = CaptureSignals.speech(seconds: 14, rate: rate, level: -26, seed: 9).enumerated().map { $0 < 7 * rate ? 0 : $1 }
    let (far, microphone) = Self.pause(rate: rate, isMoved: false)
    var run = try CaptureRun(engine: .nearend, rate: rate) { $0.isGainControlEnabled = false }
    let voice = run.process(zip(microphone, near).map { $0 + $1 }, reference: far, quantum: 256)
    let words = resumed..<resumed + rate, late = resumed + 280..<resumed + rate + 280
    let loss = CaptureSignals.decibels(CaptureSignals.power(near[words]) / CaptureSignals.power(voice[late]))
    #expect(abs(loss) < 3, "\(loss) dB")
  }

  /// A far end that pauses from 6 to 11 s, and its echo with some noise; if `isMoved`, by another path after the pause.
  private static func pause(rate: Int, isMoved: Bool) -> (far: [Float], microphone: [Float]) {
    let before = CaptureSignals.speech(seconds: 6, rate: rate, level: -23, seed: 3)
    let after = CaptureSignals.speech(seconds: 3, rate: rate, level: -23, seed: 4)
    let silence = [Float](repeating: 0, count: 5 * rate)
    let first = before + silence + after.map { _ in 0 }, second = before.map { _ in 0 } + silence + after
    let echo = CaptureSignals.room(first, rate: rate, delay: 1_200, gain: 0.7)
    let moved = CaptureSignals.room(second, rate: rate, delay: isMoved ? 1_900 : 1_200, gain: isMoved ? -0.5 : 0.7)
    let noise = CaptureSignals.noise(seconds: 14, rate: rate, level: -70, seed: 5)
    return (zip(first, second).map { $0 + $1 }, noise.indices.map { echo[$0] + moved[$0] + noise[$0] })
  }

  @Test("V10: noise from the far end is no noise of the room: its echo stays away, above 20 kHz, too", arguments: [44_100, 48_000, 96_000])
  func wideBand(rate: Int) throws {
    // In syllables, so that only the room's noise is steady.
    let far = CaptureSignals.noise(seconds: 13, rate: rate, level: -20, seed: 3).enumerated().map {
      $0 * 10 / rate % 3 == 0 ? 0.1 * $1 : $1
    }
    let microphone = zip(
      CaptureSignals.room(far, rate: rate, delay: rate / 50, gain: 0.5), CaptureSignals.noise(seconds: 13, rate: rate, level: -80, seed: 5)
    ).map { $0 + $1 }
    var run = try CaptureRun(engine: .nearend, rate: rate) {
      $0.isNoiseSuppressionEnabled = false
      $0.isGainControlEnabled = false
    }
    let voice = run.process(microphone, reference: far, quantum: 512)
    for second in [2, 6, 10] {
      let range = second * rate..<(second + 2) * rate
      let erle = CaptureSignals.decibels(CaptureSignals.power(microphone[range]) / CaptureSignals.power(voice[range]))
      #expect(erle > 55, "\(erle) dB from \(second) s on")
    }
  }

  @Test("V10: the near end is heard up to 20 kHz in double talk, at any rate", arguments: [48_000, 96_000])
  func treble(rate: Int) throws {
    // The same syllables at the near end, once alone and once over the far end: noise with a tone of 17 kHz.
    func tone(_ frame: Int) -> (Float, Float) {
      let angle = 2 * Float.pi * Float(frame * 17_000 % rate) / Float(rate)
      return (cos(angle), sin(angle))
    }
    let syllables = CaptureSignals.noise(seconds: 2, rate: rate, level: -20, seed: 5).enumerated().map {
      $0 * 5 / rate % 2 == 0 ? $1 + 0.05 * tone($0).1 : 0
    }
    var far = CaptureSignals.noise(seconds: 14, rate: rate, level: -30, seed: 3).enumerated().map {
      $0 * 10 / rate % 3 == 0 ? 0.1 * $1 : $1
    }
    for i in 8 * rate..<11 * rate { far[i] = 0 }
    var microphone = CaptureSignals.room(far, rate: rate, delay: rate / 50, gain: 0.2)
    for (i, sample) in syllables.enumerated() {
      microphone[9 * rate + i] += sample
      microphone[11 * rate + rate / 2 + i] += sample
    }
    var run = try CaptureRun(engine: .nearend, rate: rate) { $0.isGainControlEnabled = false }
    let voice = run.process(microphone, reference: far, quantum: 512)
    func power(from second: Double) -> Double {
      var sum = (re: Float(0), im: Float(0))
      let first = Int(second * Double(rate))
      for i in 0..<2 * rate {
        let (re, im) = tone(i)
        sum.re += re * voice[first + i]
        sum.im += im * voice[first + i]
      }
      return Double(sum.re * sum.re + sum.im * sum.im)
    }
    let change = CaptureSignals.decibels(power(from: 11.5) / power(from: 9))
    #expect(change > -3, "\(change) dB")
  }

  @Test("V5: an echo whose delay jumps beyond the filter is found and cancelled again", arguments: EchoCanceller.engines)
  func delayJumps(engine: EchoCanceller) throws {
    let far = CaptureSignals.speech(seconds: 14, rate: rate, level: -20, seed: 3)
    let jump = 6 * rate
    let before = CaptureSignals.room(far, rate: rate, delay: rate / 40, gain: 1)
    let after = CaptureSignals.room(far, rate: rate, delay: rate * 7 / 100, gain: 1)
    let microphone = Array(before[..<jump] + after[jump...])
    var run = try CaptureRun(engine: engine, rate: rate)
    let voice = run.process(microphone, reference: far, quantum: 160)
    let end = 12 * rate
    #expect(CaptureSignals.decibels(CaptureSignals.power(microphone[end...]) / CaptureSignals.power(voice[end...])) > 25)
    #expect(abs((run.meters.snapshot().echoDelay.known ?? -1) - 0.07) < 0.003)
  }

  @Test("V2: the canceller goes on adapting in bypass, so that coming back is instant", arguments: EchoCanceller.engines)
  func adaptsInBypass(engine: EchoCanceller) throws {
    let far = CaptureSignals.speech(seconds: 6, rate: rate, level: -24, seed: 3)
    let microphone = CaptureSignals.room(far, rate: rate, delay: 320, gain: 0.5)
    var run = try CaptureRun(engine: engine, rate: rate) { $0.isBypassed = true }
    let voice = run.process(microphone, reference: far, quantum: 160) { start, controls in
      if start == 4 * 16000 { controls.isBypassed = false }
    }
    let latency = run.latency(quantum: 160)
    #expect(Array(voice[(latency + rate)..<(latency + 2 * rate)]) == Array(microphone[rate..<2 * rate]), "bypassed is the raw microphone")
    let back = 4 * rate + latency + 320
    let erle = CaptureSignals.decibels(
      CaptureSignals.power(microphone[back..<(back + rate)]) / CaptureSignals.power(voice[back..<(back + rate)]))
    #expect(erle > (engine == .nearend ? 53 : 30), "\(erle) dB")
  }

  @Test("V6: whatever the canceller, one that leaves the echo is reported as failing after 5 s of it, and one that cancels is not")
  func verdict() {
    #expect(conditions((seconds: 4, filtered: 1, left: 1)).last == .converging)
    #expect(conditions((seconds: 10, filtered: 1, left: 1)).last == .failing)
    #expect(conditions((seconds: 10, filtered: 0.5, left: 0.5)).last == .failing, "3 dB are no cancelling")
    #expect(conditions((seconds: 10, filtered: 0.001, left: 0.001)).last == .cancelling)
    let near = conditions(follows: false, (seconds: 30, filtered: 1, left: 0.9))
    #expect(near[8...].allSatisfy { $0 == .nothingToCancel }, "a talker with headphones: \(near)")
  }

  @Test("V6: an echo that the filter has lost and the suppressor hides is reported as hidden only, after 5 s of it")
  func hidden() {
    #expect(conditions((seconds: 10, filtered: 0.1, left: 0.001)).last == .cancelling, "10 dB, with a bad loudspeaker")
    #expect(conditions((seconds: 4, filtered: 0.5, left: 0.001)).last == .converging)
    #expect(conditions((seconds: 10, filtered: 0.5, left: 0.001)).last == .suppressing)
    let lost = conditions((seconds: 10, filtered: 0.01, left: 0.001), (seconds: 4, filtered: 1, left: 0.001))
    #expect(lost[9] == .cancelling && lost[13] == .converging, "\(lost)")
    let longer = conditions((seconds: 10, filtered: 0.01, left: 0.001), (seconds: 10, filtered: 1, left: 0.001))
    #expect(longer.last == .suppressing, "\(longer)")
    #expect(conditions(level: 1e-5, (seconds: 10, filtered: 1, left: 0.001)).last == .cancelling, "the echo of headphones harms nobody")
  }

  /// Returns the verdict after each second of syllables of the far end, after a second of the room alone.
  /// - Parameters:
  ///   - level: mean square of the echo's syllables.
  ///   - follows: whether these are the far end's, and not those of somebody with headphones.
  ///   - passages: with the shares of the microphone's power that the filter and the canceller as a whole leave.
  private func conditions(level: Float = 2.5e-4, follows: Bool = true, _ passages: (seconds: Int, filtered: Float, left: Float)...)
    -> [EchoVerdict]
  {
    let time = BlockTime(frames: 160, rate: 16_000), controls = CaptureControls()
    // The cells are the controls' memory.
    defer { withExtendedLifetime(controls) {} }
    var meter = EchoMeter(time), ends = ChainEnds(time, delay: 0, controls: controls.cells), readings = CaptureMeters()
    var found: [EchoVerdict] = []
    let silence = Samples(160)
    for _ in 0..<100 { meter.update(reference: 0, microphone: 1e-7, residual: 1e-7, voice: 1e-7, isNearEnd: false) }
    for passage in passages {
      for block in 0..<passage.seconds * 100 {
        let far = block % 25 < 18 ? 4 * level : 4e-3 * level
        let own = block % 37 < 29 ? level : 1e-3 * level
        let echo = follows ? 0.25 * far : own
        meter.update(
          reference: far, microphone: echo, residual: echo * passage.filtered, voice: echo * passage.left, isNearEnd: false)
        meter.tell(&readings)
        ends.end(silence.start, &readings, isNearEnd: false, farEnd: far, microphone: echo, unheard: nil, open: nil)
        if block % 100 == 99 { found.append(readings.echoVerdict) }
      }
    }
    return found
  }

  @Test("V6: the ERLE of nearend's engine is its filter's: a path that no filter can follow is not shown as cancelled, although hidden")
  func wanders() throws {
    let far = CaptureSignals.speech(seconds: 8, rate: rate, level: -24, seed: 3)
    let paths = [(20, 0.5), (27, -0.4), (35, -0.5), (43, 0.4)].map {
      CaptureSignals.room(far, rate: rate, delay: $0 * rate / 1000, gain: $1)
    }
    let microphone = far.indices.map { paths[$0 / (rate / 20) % 4][$0] }
    var run = try CaptureRun(engine: .nearend, rate: rate), measured: [(Float, Float)] = []
    _ = run.process(microphone, reference: far, quantum: 160) { [meters = run.meters] start, _ in
      let now = meters.snapshot()
      if start >= 2 * rate, let erle = now.erle.known, let reduction = now.echoReduction.known { measured.append((erle, reduction)) }
    }
    let greatest = measured.map(\.0).max() ?? .nan
    #expect(greatest < 6, "\(greatest) dB")
    #expect(measured.map(\.1).max() ?? 0 > 15, "the suppressor hides it")
    #expect(run.meters.snapshot().echoVerdict != .cancelling)
  }

  @Test("V6: without echo cancellation the far end is told, but no ERLE", arguments: EchoCanceller.engines)
  func farEndWithoutCancellation(engine: EchoCanceller) throws {
    var far = CaptureSignals.speech(seconds: 7, rate: rate, level: -24, seed: 3)
    for i in 5 * rate..<far.count { far[i] = 0 }
    let microphone = CaptureSignals.room(far, rate: rate, delay: 320, gain: 0.5)
    var run = try CaptureRun(engine: engine, rate: rate) { $0.isEchoCancellationEnabled = false }
    var isActive: [Bool] = []
    _ = run.process(microphone, reference: far, quantum: 160) { [meters = run.meters] start, _ in
      if start % rate == 0 { isActive.append(meters.snapshot().isFarEndActive) }
    }
    #expect(isActive[1..<5].contains(true) && !isActive[6])
    if engine == .nearend { #expect(run.meters.snapshot().erle.isNaN) }
  }

  @Test("V6: with headphones there is nothing to cancel", arguments: EchoCanceller.engines)
  func headphones(engine: EchoCanceller) throws {
    let far = CaptureSignals.speech(seconds: 3, rate: 16000, level: -24, seed: 3)
    var run = try CaptureRun(engine: engine, rate: 16000)
    _ = run.process(CaptureSignals.noise(seconds: 3, rate: 16000, level: -75), reference: far, quantum: 160)
    #expect(run.meters.snapshot().isFarEndActive)
    #expect(run.meters.snapshot().echoVerdict == .nothingToCancel)
  }

  @Test(
    "V6: with headphones no echo counts as hidden or not cancelled, although both talk for a minute", arguments: [-24, -30, -36],
    [false, true])
  func headphonesInDoubleTalk(level: Float, pauses: Bool) throws {
    let far = CaptureSignals.speech(seconds: 60, rate: rate, level: -24, seed: 3)
    // With a rhythm of their own: generated talkers have the same.
    let talk = CaptureSignals.speech(seconds: 60, rate: rate, level: level, seed: 9), other = talk.count / 3
    let near = far.indices.map { index -> Float in
      let slow = index * 37 / 50
      return pauses ? talk[slow] : talk[slow] + talk[(slow + other) % talk.count]
    }
    let noise = CaptureSignals.noise(seconds: 60, rate: rate, level: -75)
    var run = try CaptureRun(engine: .nearend, rate: rate), conditions: Set<EchoVerdict> = [], known = 0
    _ = run.process(zip(near, noise).map(+), reference: far, quantum: 160) { [meters = run.meters, rate] start, _ in
      let now = meters.snapshot()
      if start > 15 * rate { conditions.insert(now.echoVerdict) }
      known += now.erle.isNaN && now.echoReduction.isNaN ? 0 : 1
    }
    #expect(conditions == [.nothingToCancel] && known == 0, "\(conditions); of no echo there is no measurement, not \(known)")
  }

  @Test("V6: voice is detected in speech and not in noise", arguments: EchoCanceller.engines)
  func voiceActivity(engine: EchoCanceller) throws {
    var run = try CaptureRun(engine: engine, rate: 16000)
    var blocks = 0
    _ = run.process(CaptureSignals.noise(seconds: 3, rate: 16000, level: -40), quantum: 160) { [meters = run.meters] start, _ in
      if start > 16000 && meters.snapshot().hasVoice { blocks += 1 }
    }
    #expect(blocks == 0)
    let speech = zip(
      CaptureSignals.speech(seconds: 2, rate: 16000, level: -26), CaptureSignals.noise(seconds: 2, rate: 16000, level: -50, seed: 5))
    _ = run.process(speech.map(+), quantum: 160) { [meters = run.meters] start, _ in
      if start > 8000 && meters.snapshot().hasVoice { blocks += 1 }
    }
    #expect(blocks > 100, "of 150 blocks, seven syllables in nine are voice")
  }
}
