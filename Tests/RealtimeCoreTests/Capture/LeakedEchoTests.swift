import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

@Suite("Capture path: echo that leaks")
struct LeakedEchoTests {
  private static let rate = 16_000

  /// The last 14 of 28 s of a path that hears only the far end, this late.
  private func lateEcho(_ engine: EchoCanceller, delay: Double, rate: Int) throws -> LateEcho {
    let far = CaptureSignals.speech(seconds: 28, rate: rate, level: -24, seed: 3), half = far.count / 2
    let microphone = CaptureSignals.room(far, rate: rate, delay: Int(delay * Double(rate)), gain: 0.5)
    var run = try CaptureRun(engine: engine, rate: rate), found = LateEcho()
    let voice = run.process(microphone, reference: far, quantum: rate / 100) { [meters = run.meters] start, _ in
      guard start >= half else { return }
      let now = meters.snapshot()
      found.voices.append(now.hasVoice)
      found.gain = max(found.gain, now.gain)
    }
    found.meters = run.meters.snapshot()
    found.reduction = CaptureSignals.decibels(CaptureSignals.power(microphone[half...]) / CaptureSignals.power(voice[half...]))
    return found
  }

  private struct LateEcho {
    var voices: [Bool] = []
    var gain: Float = 0
    var meters = CaptureMeters()
    /// In dB, over all of these seconds.
    var reduction = 0.0
  }

  @Test(
    "V6: an echo that comes later than the canceller reaches is hidden, not raised nor taken for a voice, and never called cancelled",
    arguments: [0.52, 0.56, 0.7, 1.5, 2.7], EchoCanceller.engines)
  func late(delay: Double, engine: EchoCanceller) throws {
    let found = try lateEcho(engine, delay: delay, rate: 16_000), meters = found.meters
    #expect(found.reduction > 15, "\(meters)")
    // In a room this dry, what the filter still reaches may be all that is heard; AEC3, of newer libraries, reaches 0.7 s.
    let mayBeReached = delay < 0.6 || engine == .webrtc && delay < 0.8
    #expect(meters.echoVerdict == .suppressing || mayBeReached && meters.echoVerdict == .cancelling, "\(meters)")
    let told = try #require(meters.echoReduction.known), at = try #require(meters.echoDelay.known)
    #expect(told > 15 && min(Double(told), 40) < found.reduction + 6, "\(told) dB instead of \(found.reduction) dB")
    #expect(abs(Double(at) - delay) < 0.045, "\(at) s")
    #expect(found.voices.count { $0 } * 20 < found.voices.count, "\(found.voices.count { $0 }) of \(found.voices.count)")
    #expect(found.gain == 0)
  }

  @Test("V6: an echo that comes too late is told at 48 kHz as well, where frames are longer", arguments: [0.52, 0.7])
  func lateAt48(delay: Double) throws {
    let found = try lateEcho(.nearend, delay: delay, rate: 48_000), condition = found.meters.echoVerdict
    #expect(condition == .suppressing || delay < 0.6 && condition == .cancelling, "\(found.meters)")
    #expect(found.reduction > 15 && found.gain == 0 && found.voices.count { $0 } * 20 < found.voices.count, "\(found.meters)")
  }

  @Test("V10: somebody who talks over an echo that comes too late is heard, and counts as a voice")
  func nearEndOverLateEcho() throws {
    let rate = Self.rate, far = CaptureSignals.speech(seconds: 24, rate: rate, level: -30, seed: 3), start = 12 * rate
    let echo = CaptureSignals.room(far, rate: rate, delay: rate * 7 / 10, gain: 0.5)
    let near = [Float](repeating: 0, count: start) + CaptureSignals.speech(seconds: 12, rate: rate, level: -24, seed: 11)
    var run = try CaptureRun(engine: .nearend, rate: rate) { $0.isGainControlEnabled = false }
    var voices: [Bool] = [], condition = EchoVerdict.converging
    let voice = run.process(zip(echo, near).map { $0 + $1 }, reference: far, quantum: 160) { [meters = run.meters] frame, _ in
      if frame < start { condition = meters.snapshot().echoVerdict } else { voices.append(meters.snapshot().hasVoice) }
    }
    #expect(condition == .suppressing, "the case shows nothing")
    let heard = CaptureSignals.decibels(CaptureSignals.power(voice[start...]) / CaptureSignals.power(near[start...]))
    #expect(heard > -5, "\(heard) dB")
    #expect(voices.count { $0 } * 4 > voices.count * 3, "\(voices.count { $0 }) of \(voices.count)")
  }

  @Test("V6, D2: an echo that comes too late is nobody's voice, is not raised, and its delay is told", arguments: [0.6, 0.7, 1.5])
  func tooLate(delay: Double) throws {
    let far = CaptureSignals.speech(seconds: 30, rate: Self.rate, level: -24, seed: 4)
    // Soft enough for gain control to want it 18 dB louder, if it were a talker.
    let microphone = CaptureSignals.room(far, rate: Self.rate, delay: Int(delay * Double(Self.rate)), gain: 0.1)
    var run = try CaptureRun(engine: .nearend, rate: Self.rate), voiced = 0, highest: Float = 0
    let step = Self.rate / 10
    for start in stride(from: 0, to: far.count - step, by: step) {
      _ = run.process(Array(microphone[start..<start + step]), reference: Array(far[start..<start + step]), quantum: step)
      let meters = run.meters.snapshot()
      if start >= 10 * Self.rate {
        voiced += meters.hasVoice ? 1 : 0
        highest = max(highest, meters.gain)
      }
    }
    let told = try #require(run.meters.snapshot().echoDelay.known)
    #expect(abs(Double(told) - delay) < 0.06, "\(told) s")
    #expect(voiced < 20, "\(voiced) of 200 tenths of a second are taken for a voice")
    #expect(highest < 3, "raised by \(highest) dB")
  }

  @Test("V6: a late echo is not taken for somebody who talks for ever, because it was first looked for a frame before it came")
  func forecastBeginsTooLow() {
    let speech = levels(seed: 5)
    // A far end that begins at once, as with a plosive; frames of 20 ms.
    let frames = stride(from: 0, to: speech.count - 4, by: 4).map { speech[$0..<$0 + 4].reduce(0, +) / 4 }
    let far = [Float](repeating: 0, count: 10) + [0.01, 0.01, 0.01] + frames
    var forecast = EchoForecast(BlockTime(frames: 320, rate: 16_000))
    var taken = 0, audible = 0
    for index in 1..<far.count - 1 {
      let signal = 0.1 * far[index] + 1e-8
      forecast.update(farEnd: far[index - 1...index + 1].max()!, signal: signal, isSure: false)
      guard Double(index) * 4 * Self.block > 10, signal > 1e-6 else { continue }
      audible += 1
      taken += forecast.hasNearEnd ? 1 : 0
    }
    #expect(audible > 500 && taken * 20 < audible, "\(taken) of \(audible) frames are taken for somebody who talks")
  }

  @Test("V6: who talks after the far end is heard at once, although the voice followed the far end until then")
  func answer() {
    let far = levels(seed: 1), half = far.count / 2
    let echo = far.indices.map { $0 < half ? far[$0] : 0 }, near = levels(seed: 101)
    let voice = far.indices.map { $0 < half ? 0.5 * far[$0] : near[min($0, near.count - 1)] }
    var leak = LeakedEcho(BlockTime(frames: 80, rate: 16_000)), heard: [Bool] = []
    for i in far.indices {
      leak.update(farEnd: echo[i], microphone: voice[i], voice: voice[i], isCancelling: true)
      heard.append(leak.isOnlyEcho)
    }
    let seconds = { (from: Double, to: Double) in heard[Int(from / Self.block)..<Int(to / Self.block)] }
    let turn = Double(half) * Self.block
    #expect(seconds(10, turn).count { $0 } > Int(0.8 * (turn - 10) / Self.block))
    // In pauses nobody is heard.
    let talking = seconds(turn + 0.5, turn + 20).indices.filter { voice[$0] > 1e-4 }
    let missed = talking.count { heard[$0] }
    #expect(missed < talking.count / 20, "\(missed) of \(talking.count) blocks are taken for echo")
  }

  @Test("V6: a near end that answers the far end, talks over it or takes turns with it is not taken for echo", arguments: 1...20)
  func conversation(seed: UInt64) {
    let far = levels(seed: seed), near = levels(seed: seed + 100)
    // The same measure finds the echo of this far end.
    #expect(erles(farEnd: far, voice: [Float](repeating: 1e-7, count: 200) + far).contains { !$0.isNaN })
    #expect(erles(farEnd: far, voice: near).allSatisfy { $0.isNaN }, "double talk")
    for turn in [0.8, 1.5, 3] {
      var noise = SeededGenerator(seed: seed, .congruential), farTurns = far, nearTurns = near, start = 0, isFarEnd = true
      while start < min(far.count, near.count) {
        let end = start + Int(turn * (1 + 0.5 * Double(noise.sample())) / Self.block)
        for block in start..<min(end, far.count, near.count) { if isFarEnd { nearTurns[block] = 0 } else { farTurns[block] = 0 } }
        (start, isFarEnd) = (end, !isFarEnd)
      }
      #expect(erles(farEnd: farTurns, voice: nearTurns).allSatisfy { $0.isNaN }, "turns of \(turn) s")
    }
  }

  @Test("V6: the voice follows the far end, with as much of the echo as is left", arguments: [0, 0.3, 1.5, 2.9], [Float(0), 6, 20])
  func leak(delay: Double, enhancement: Float) throws {
    let far = levels(seed: 1), blocks = Int(delay / Self.block)
    let echo = far.indices.map { $0 >= blocks ? 0.25 * far[$0 - blocks] + 1e-7 : 1e-7 }
    let voice = echo.map { $0 * pow(10, -enhancement / 10) }
    let measured = try #require(erles(farEnd: far, microphone: echo, voice: voice).last)
    #expect(abs(measured - enhancement) < 0.5, "\(measured) dB")
  }

  @Test("V6: an echo that was cancelled does not count any more after seconds, and none while cancelling is off")
  func forgets() {
    let far = levels(seed: 1), half = far.count / 2
    let voice = far.indices.map { $0 < half ? far[$0] : 1e-7 }
    let measured = erles(farEnd: far, microphone: far, voice: voice)
    #expect(measured[half] < 0.1)
    #expect(measured.last.map { $0.isNaN || $0 > 30 } == true)
    #expect(erles(farEnd: far, voice: far, isCancelling: false).allSatisfy { $0.isNaN })
  }

  @Test("V6: an echo that was heard does not count any more while cancelling is off, although the voice was silent")
  func forgetsWithoutVoice() {
    let far = levels(seed: 1)
    var leak = LeakedEcho(BlockTime(frames: 80, rate: 16_000))
    // Of whole frames of 20 ms.
    for power in far.prefix(far.count / 4 * 4) { leak.update(farEnd: power, microphone: 0.5 * power, voice: 0, isCancelling: true) }
    let before = leak.isEchoHeard
    leak.update(farEnd: 0, microphone: 0, voice: 0, isCancelling: false)
    let after = leak.isEchoHeard
    #expect(before && !after)
  }

  /// Seconds of a block.
  private static let block = 0.005

  /// Mean squares, by block, of a minute of a talker: syllables of 0.1 to 0.4 s, each with its own level, and pauses.
  private func levels(seed: UInt64) -> [Float] {
    var noise = SeededGenerator(seed: seed, .congruential), levels: [Float] = []
    while Double(levels.count) * Self.block < 60 {
      let blocks = Int((0.25 + 0.15 * Double(noise.sample())) / Self.block), peak = pow(10, -2.5 + 0.8 * noise.sample())
      for block in 0..<blocks {
        let rise = sin(Float.pi * Float(block) / Float(blocks))
        levels.append(peak * rise * rise)
      }
      if noise.sample() > 0.6 { levels += [Float](repeating: 0, count: Int((0.3 + 0.25 * noise.sample()) / Float(Self.block))) }
    }
    return levels
  }

  /// The measurement after each block. The microphone equals the voice unless given.
  private func erles(farEnd: [Float], microphone: [Float]? = nil, voice: [Float], isCancelling: Bool = true) -> [Float] {
    var leak = LeakedEcho(BlockTime(frames: 80, rate: 16_000)), erles: [Float] = []
    for i in 0..<min(farEnd.count, voice.count) {
      leak.update(farEnd: farEnd[i], microphone: microphone?[i] ?? voice[i], voice: voice[i], isCancelling: isCancelling)
      erles.append(leak.erle)
    }
    return erles
  }
}
