import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: linear canceller", .serialized)
struct LinearCancellerTests {
  private static let rate = 16_000

  @Test("V10: the echo of a room is cancelled by 20 dB within 3 s")
  func room() {
    let far = Noise.white(frames: 4 * Self.rate, seed: 3)
    let run = cancel(far, far, echo: echo(of: far, through: Self.path(seed: 7)))
    #expect(run.erle(3, 4) > 20, "\(run.erle(3, 4))")
  }

  @Test("V10: near-end speech passes, and costs the filter at most 6 dB of what it has learnt")
  func doubleTalk() {
    let far = Noise.white(frames: 8 * Self.rate, seed: 3)
    var near = Noise.white(frames: far.count, seed: 11)
    for i in 0..<4 * Self.rate { near[i] = 0 }
    let run = cancel(far, far, echo: echo(of: far, through: Self.path(seed: 7)), near: near)
    #expect(run.erle(6, 8) > min(run.erle(3, 4), 26) - 6, "\(run.erle(3, 4)) before, \(run.erle(6, 8)) after")
  }

  @Test("V11: two talkers, left and right, are both cancelled, and so is one who comes after another on both sides")
  func stereo() {
    let both = Noise.white(frames: 8 * Self.rate, seed: 3), other = Noise.white(frames: 8 * Self.rate, seed: 5)
    let half = 3 * Self.rate
    let right = both[..<half] + other[half...]
    let left = echo(of: both, through: Self.path(seed: 7)), rightEcho = echo(of: Array(right), through: Self.path(seed: 8))
    let run = cancel(both, Array(right), echo: zip(left, rightEcho).map { $0 + $1 })
    #expect(run.erle(2, 3) > 20, "\(run.erle(2, 3))")
    #expect(run.erle(7, 8) > 17, "\(run.erle(7, 8))")
  }

  @Test(
    "V10: a clock that is 150 ppm off costs nothing in the end, not even where the far end slips by more than a hop",
    arguments: [(1.5e-4, 0.0), (-1.5e-4, 0), (-1.5e-4, 0.06)])
  func drift(rate drift: Double, later delay: Double) {
    let seconds = 30.0, far = DriftingSignal.smooth(Noise.white(frames: Int(seconds * Double(Self.rate)), seed: 3))
    let path = [Float](repeating: 0, count: Int(delay * Double(Self.rate))) + Self.path(seed: 7)
    let near = Noise.white(frames: far.count, level: 0.001, seed: 11)
    let run = cancel(far, far, echo: echo(of: DriftingSignal.resampled(far, by: drift), through: path), near: near)
    #expect(abs(drift) * seconds * Double(Self.rate) > Double(FilterLayout(rate: Self.rate).hop))
    #expect(run.erle(27, 30) > 36, "\(run.erle(27, 30))")
  }

  @Test("V10: a clock that is 200 ppm off costs nothing while both talk, where the far end slips by a hop and has no treble")
  func driftInDoubleTalk() {
    let rate = 48_000, seconds = 7
    // Nothing above 8 kHz, as in calls.
    let narrow = Noise.white(frames: seconds * rate / 3, seed: 3) + [Float](repeating: 0, count: 2 * seconds * rate / 3)
    let far = DriftingSignal.resampled(narrow, by: 1.0 / 3 - 1)
    let path = [Float](repeating: 0, count: rate / 100) + Self.path(seed: 7)
    var near = Noise.white(frames: far.count, level: 0.1, seed: 11)
    for i in 0..<2 * rate { near[i] *= 0.05 }
    let run = cancel(far, far, echo: echo(of: DriftingSignal.resampled(far, by: 2e-4), through: path), near: near, rate: rate)
    let erle = run.erle(5, 7)
    #expect(erle > 15, "\(erle)")
  }

  @Test("V10: an echo of less than a hop that a clock 200 ppm off brings nearer stays cancelled, until it would come too early")
  func nearer() {
    let rate = 48_000, far = DriftingSignal.smooth(Noise.white(frames: 10 * rate, level: 0.2, seed: 3))
    let early = DriftingSignal.resampled(far, by: 2e-4)
    let heard = early.indices.map { $0 < 110 ? 0 : 0.5 * early[$0 - 110] }, near = Noise.white(frames: far.count, level: 1e-4, seed: 11)
    let run = cancel(far, far, echo: heard, near: near, rate: rate)
    // The resampler can follow by 14 frames, which the clock has taken after 1.5 s.
    let erle = (1..<9).map { run.erle(Double($0), Double($0) + 1) }
    #expect(erle[4...].min()! > 38, "\(erle)")
  }

  @Test(
    "V11: the far end is cancelled alike, and its delay told, whichever side plays it, whatever the clocks", arguments: [0, 5e-5, -1e-4])
  func sides(drift: Double) throws {
    let rate = 48_000, far = DriftingSignal.smooth(Noise.white(frames: 10 * rate, level: 0.2, seed: 3))
    let silence = [Float](repeating: 0, count: far.count), late = DriftingSignal.resampled(far, by: drift)
    let heard = late.indices.map { $0 < 2_400 ? 0 : 0.5 * late[$0 - 2_400] }, near = Noise.white(frames: far.count, level: 1e-4, seed: 11)
    let left = cancel(far, silence, echo: heard, near: near, rate: rate), right = cancel(silence, far, echo: heard, near: near, rate: rate)
    #expect(right.erle(7, 9) > left.erle(7, 9) - 1, "\(left.erle(7, 9)) from the left, \(right.erle(7, 9)) from the right")
    let leftDelay = try #require(left.echoDelay), rightDelay = try #require(right.echoDelay)
    #expect(abs(leftDelay - rightDelay) < 1e-4 && abs(rightDelay - 0.05) < 2e-3, "\(leftDelay) and \(rightDelay)")
  }

  @Test("V10: an echo that comes later than the filter reaches is found, up to 0.5 s", arguments: [0.35, 0.5])
  func late(seconds: Double) throws {
    let far = Noise.white(frames: 6 * Self.rate, seed: 3), delay = Int(seconds * Double(Self.rate))
    let direct = echo(of: far, through: Self.path(seed: 7))
    let run = cancel(far, far, echo: [Float](repeating: 0, count: delay) + direct.dropLast(delay))
    #expect(run.erle(5, 6) > 17, "\(run.erle(5, 6))")
    // The path itself begins after 5 ms.
    #expect(abs(try #require(run.echoDelay) - seconds - 0.005) < 0.002)
  }

  @Test("V11: an echo as late as the window allows is still cancelled when its clock has slipped by more than the resampler remembers")
  func lateDrift() {
    let seconds = 70, far = DriftingSignal.smooth(Noise.white(frames: seconds * Self.rate, seed: 3))
    let path = [Float](repeating: 0, count: Int(0.45 * Double(Self.rate))) + Self.path(seed: 7)
    let near = Noise.white(frames: far.count, level: 0.001, seed: 11)
    let run = cancel(far, far, echo: echo(of: DriftingSignal.resampled(far, by: -2e-4), through: path), near: near)
    #expect(2e-4 * Double(seconds * Self.rate) > 3 * Double(FilterLayout(rate: Self.rate).hop))
    #expect(run.residual.allSatisfy { $0.isFinite })
    #expect(run.erle(20, 40) > 36, "\(run.erle(20, 40))")
    #expect(run.erle(65, 70) > 36, "\(run.erle(65, 70))")
  }

  @Test("V10: an echo that begins after the far end has played unheard for 10 s is cancelled within 0.5 s", arguments: [false, true])
  func onset(afterEcho: Bool) {
    let far = Noise.white(frames: 20 * Self.rate, seed: 3)
    var heard = echo(of: far, through: Self.path(seed: 7))
    for i in (afterEcho ? 4 * Self.rate : 0)..<14 * Self.rate { heard[i] = 0 }
    let run = cancel(far, far, echo: heard, near: Noise.white(frames: far.count, level: 0.0003, seed: 11))
    #expect(run.erle(14.5, 15) > 15, "\(run.erle(14.5, 15))")
    #expect(run.erle(16, 18) > 20, "\(run.erle(16, 18))")
  }

  @Test("V10: an echo of speech that begins after 8 s unheard is cancelled within 0.5 s", arguments: [3, 5, 9, 12] as [UInt64])
  func onsetOfSpeech(seed: UInt64) {
    let far = CaptureSignals.speech(seconds: 11, rate: Self.rate, level: -26, seed: seed)
    var heard = echo(of: far, through: Self.path(seed: 7))
    for i in 0..<8 * Self.rate { heard[i] = 0 }
    let run = cancel(far, far, echo: heard, near: Noise.white(frames: far.count, level: 0.0003, seed: 11))
    #expect(run.erle(8.5, 9.5) > 14, "\(run.erle(8.5, 9.5))")
  }

  @Test("V11: an echo that begins where the filters' first window ends is found")
  func echoAtTheEnd() {
    let delay = 0.276, rate = 48_000, far = CaptureSignals.speech(seconds: 4, rate: rate, level: -26, seed: 9)
    let path = [Float](repeating: 0, count: Int(delay * Double(rate))) + Self.path(seed: 7)
    let near = Noise.white(frames: far.count, level: 0.0003, seed: 11)
    let run = cancel(far, far, echo: echo(of: far, through: path), near: near, rate: rate)
    #expect(run.erle(1.5, 2.5) > 37, "\(run.erle(1.5, 2.5))")
  }

  @Test(
    "V10: a near end that talks where no echo is heard makes the filters forget nothing",
    arguments: [3, 5, 9, 12, 21, 22, 23, 24, 31, 32, 33, 34] as [UInt64])
  func noOnset(seed: UInt64) {
    let far = CaptureSignals.speech(seconds: 16, rate: Self.rate, level: -26, seed: seed)
    var near = CaptureSignals.speech(seconds: 16, rate: Self.rate, level: -26, seed: seed + 100)
    for i in 0..<6 * Self.rate { near[i] = 0 }
    let noise = Noise.white(frames: far.count, level: 0.0003, seed: 11)
    var canceller = LinearCanceller(layout: FilterLayout(rate: Self.rate))
    let heard = zip(near, noise).map { $0 + $1 }, delay = [Float](repeating: 0, count: canceller.farEndDelay)
    var guarded = 0
    _ = canceller.run(delay + heard, left: far, right: far) { if $0 > 6, $1 { guarded += 1 } }
    #expect(guarded == 0, "\(guarded) hops")
  }

  @Test(
    "V10: an echo that is 20 or 30 dB louder than what is played is cancelled within 3 s, also a late one",
    arguments: [(-20, 0.0), (-30, 0), (-30, 0.4)])
  func softFarEnd(decibels: Float, later delay: Double) {
    let far = CaptureSignals.speech(seconds: 6, rate: Self.rate, level: -26, seed: 3)
    let gain = pow(10, decibels / 20), soft = far.map { $0 * gain }
    let noise = Noise.white(frames: far.count, level: 1e-4, seed: 11)
    let run = cancel(
      soft, soft, echo: echo(of: far, through: [Float](repeating: 0, count: Int(delay * Double(Self.rate))) + Self.path(seed: 7)),
      near: noise)
    #expect(run.erle(3, 6) > 30, "\(run.erle(3, 6))")
  }

  @Test("V10: a tone before the far end's first words costs them 6 dB at most")
  func ringback() {
    func erle(_ before: (Int) -> Float) -> [Double] {
      var far = Noise.white(frames: 8 * Self.rate, seed: 3)
      for i in 0..<4 * Self.rate { far[i] = before(i) }
      let near = Noise.white(frames: far.count, level: 0.0003, seed: 11)
      let run = cancel(far, far, echo: echo(of: far, through: Self.path(seed: 7)), near: near)
      return [run.erle(4.5, 5), run.erle(5, 6), run.erle(6, 7)]
    }
    let silence = erle { _ in 0 }
    let tone = erle { i -> Float in
      let turns: Float = 425 * Float(i) / Float(Self.rate)
      return i / Self.rate % 2 == 0 ? 0.1 * sin(2 * Float.pi * turns) : 0
    }
    for (tone, silence) in zip(tone, silence) { #expect(tone > silence - 6, "\(tone) after a tone, \(silence) after silence") }
  }

  @Test("V10, V11: short answers between long pauses stay cancelled, where no clock drifts", arguments: [4, 10])
  func shortAnswers(pause: Int) {
    let rate = Self.rate, lead = 8, answers = 20, period = pause * rate + 2 * rate / 5
    var far = Noise.white(frames: lead * rate + answers * period, seed: 3)
    for i in lead * rate..<far.count where (i - lead * rate) % period < pause * rate { far[i] = 0 }
    let near = Noise.white(frames: far.count, level: 0.0003, seed: 11)
    let run = cancel(far, far, echo: echo(of: far, through: Self.path(seed: 7)), near: near)
    let worst = (0..<answers).map { answer in
      let end = Double(lead) + Double((answer + 1) * period) / Double(rate)
      return run.erle(end - 0.4, end)
    }
    #expect(worst.min()! > 15, "\(worst)")
  }

  @Test(
    "V10: a microphone that was muted at its source for half a minute, or lost its sound to noise, hears the echo cancelled again at once, or soon",
    arguments: [(0, 0.0), (1e-4, 1.5)] as [(Float, Double)])
  func muted(noise: Float, within seconds: Double) {
    let far = Noise.white(frames: 40 * Self.rate, seed: 3), muted = 5 * Self.rate..<35 * Self.rate
    var heard = echo(of: far, through: Self.path(seed: 7)).map { 0.25 * $0 }
    for i in muted { heard[i] = 0 }
    var near = Noise.white(frames: far.count, level: noise, seed: 11)
    if noise == 0 { near = near.map { _ in 0 } }
    let run = cancel(far, far, echo: heard, near: near)
    #expect(run.erle(3, 5) > 20, "\(run.erle(3, 5)) before")
    #expect(run.erle(35 + seconds + 0.1, 38) > 20, "\(run.erle(35 + seconds + 0.1, 38)) after")
  }

  @Test(
    "V10, V11: a speaker turned down or up while both talk costs nothing, because the canceller is told", arguments: [0.35, 3] as [Float])
  func volume(gain: Float) {
    let far = Noise.white(frames: 6 * Self.rate, seed: 3), change = 4 * Self.rate
    let heard = echo(of: far, through: Self.path(seed: 7)).enumerated().map { $0 < change ? $1 : gain * $1 }
    var near = Noise.white(frames: far.count, level: 0.2, seed: 11)
    for i in 0..<2 * Self.rate { near[i] *= 0.01 }
    let told = cancel(far, far, echo: heard, near: near, gains: [(4, gain)]), untold = cancel(far, far, echo: heard, near: near)
    let (after, without) = (told.erle(4.02, 4.2), untold.erle(4.02, 4.2))
    #expect(after > told.erle(3, 4) - 4, "\(told.erle(3, 4)) before, \(after) after")
    #expect(after > without + 6, "\(without) where it is not told")
  }

  @Test("V10: a speaker turned up in a steady far end costs little, told 60 to 200 ms late or never", arguments: [0.06, 0.1, 0.2])
  func volumeToldLate(seconds: Double) {
    let rate = 48_000, far = DriftingSignal.smooth(Noise.white(frames: 8 * rate, level: 0.2, seed: 3)), change = 6 * rate
    let heard = far.indices.map { i in i < 2_400 ? 0 : (i < change ? 0.1 : 0.28) * far[i - 2_400] }
    let near = Noise.white(frames: far.count, level: 1e-4, seed: 11)
    let never = cancel(far, far, echo: heard, near: near, rate: rate).erle(6.1, 6.5)
    let late = cancel(far, far, echo: heard, near: near, rate: rate, gains: [(6 + seconds, 2.8)]).erle(6.1, 6.5)
    #expect(never > 20 && late > never - 3, "\(late) told late, \(never) untold")
  }

  @Test(
    "V10: a volume that is turned, or a microphone whose level jumps, by up to 30 dB leaves the echo 10 dB down after 50 ms",
    arguments: [0.1, 0.2, 5, 30] as [Float])
  func turned(gain: Float) {
    let far = Self.words(Noise.white(frames: 5 * Self.rate, level: 0.02, seed: 3)), change = 4 * Self.rate
    let heard = echo(of: far, through: Self.path(seed: 7)).enumerated().map { $0 < change ? $1 : gain * $1 }
    let run = cancel(far, far, echo: heard, near: Noise.white(frames: far.count, level: 1e-5, seed: 11))
    #expect(run.erle(4.05, 4.2) > 16, "\(run.erle(4.05, 4.2))")
  }

  @Test("V10: a volume that is turned down by 14 dB while both talk is not taken for another path")
  func turnedInDoubleTalk() {
    let far = Self.words(Noise.white(frames: 5 * Self.rate, seed: 3)), change = 4 * Self.rate
    let heard = echo(of: far, through: Self.path(seed: 7)).enumerated().map { $0 < change ? $1 : 0.2 * $1 }
    var near = Noise.white(frames: far.count, level: 0.03, seed: 11)
    for i in 0..<3 * Self.rate { near[i] *= 0.01 }
    let run = cancel(far, far, echo: heard, near: near)
    #expect(run.erle(4.2, 5) > 10, "\(run.erle(4.2, 5))")
  }

  @Test("V10, R1: the echo of a loudspeaker is cancelled within 2 s, where a headset without any was used before")
  func headset() {
    let far = Noise.white(frames: 11 * Self.rate, seed: 3)
    var heard = echo(of: far, through: Self.path(seed: 7))
    for i in 0..<7 * Self.rate { heard[i] = 0 }
    let run = cancel(far, far, echo: heard, near: Noise.white(frames: far.count, level: 0.0003, seed: 11), doubts: [7])
    #expect(run.erle(9, 10) > 18, "\((7..<11).map { run.erle(Double($0), Double($0) + 1) })")
  }

  @Test("V10: a far end that stops at once is not heard again when it goes on softly", arguments: [0.66, 0.7, 0.8, 1, 1.35])
  func abruptPause(seconds: Double) {
    let rate = 48_000, stop = 5 * rate, resume = stop + Int(seconds * Double(rate))
    var far = Noise.white(frames: 7 * rate, level: 0.1, seed: 3)
    for i in stop..<far.count { far[i] *= i < resume ? 0 : 0.002 }
    let heard = far.indices.map { $0 < 2_400 ? 0 : 0.5 * far[$0 - 2_400] }
    let run = cancel(far, far, echo: heard, near: Noise.white(frames: far.count, level: 1e-4, seed: 11), rate: rate)
    let after = resume + 100..<resume + rate / 5
    let loudest = peak(run.residual[after]), microphone = after.map { run.echo[$0] + run.near[$0] }
    #expect(loudest < 2 * peak(microphone[...]), "\(loudest), the microphone \(peak(microphone[...]))")
  }

  @Test("V10: a path that changes in a pause of the far end is learnt in half a second")
  func movedInPause() {
    let far = Noise.white(frames: 9 * Self.rate, seed: 3).enumerated().map {
      (4 * Self.rate..<7 * Self.rate).contains($0.offset) ? 0 : $0.element
    }
    let former = Self.path(seed: 7), other = Self.path(seed: 8)
    let moved = zip(former, other).map { 0.3 * $0 + 0.9 * $1 }
    let before = echo(of: far, through: former), after = echo(of: far, through: moved)
    let heard = before.indices.map { $0 < 6 * Self.rate ? before[$0] : after[$0] }
    let run = cancel(far, far, echo: heard, near: Noise.white(frames: far.count, level: 0.001, seed: 11))
    let erle = run.erle(7.4, 7.6)
    #expect(erle > 19, "\(erle)")
  }

  @Test("V10: a loudspeaker that is switched off does not leave the negated estimate of its echo")
  func switchedOff() {
    let far = Noise.white(frames: 6 * Self.rate, seed: 3), off = 5 * Self.rate
    var heard = echo(of: far, through: Self.path(seed: 7))
    for i in off..<heard.count { heard[i] = 0 }
    let run = cancel(far, far, echo: heard, near: Noise.white(frames: far.count, level: 0.001, seed: 11))
    // Once the window no longer holds the echo.
    #expect(peak(run.residual[(off + Self.rate / 20)...]) <= 0.0021, "\(peak(run.residual[(off + Self.rate / 20)...]))")
  }

  @Test("V10: while the far end is silent the microphone passes untouched")
  func silence() {
    let near = Noise.white(frames: Self.rate, seed: 5), silence = [Float](repeating: 0, count: near.count)
    let run = cancel(silence, silence, echo: silence, near: near)
    #expect(run.residual == run.near)
  }

  // MARK: -

  private struct Run {
    var rate: Int
    var echo, residual: [Float]
    var near: [Float]
    /// The delay that the canceller reports at the end, in seconds.
    var echoDelay: Double?

    /// Returns the ERLE between two times in seconds, the near end subtracted.
    func erle(_ from: Double, _ to: Double) -> Double {
      let range = Int(from * Double(rate))..<min(Int(to * Double(rate)), residual.count)
      let before = range.reduce(0.0) { $0 + Double(echo[$1] * echo[$1]) }
      let after = range.reduce(0.0) { $0 + pow(Double(residual[$1] - near[$1]), 2) }
      return 10 * log10(before / max(after, 1e-12))
    }
  }

  private func cancel(
    _ left: [Float], _ right: [Float], echo: [Float], near: [Float]? = nil, rate: Int = LinearCancellerTests.rate, doubts: [Double] = [],
    gains: [(time: Double, factor: Float)] = []
  ) -> Run {
    let near = near ?? [Float](repeating: 0, count: echo.count)
    // The microphone is delayed by as much as the far end.
    var canceller = LinearCanceller(layout: FilterLayout(rate: rate))
    let late = [Float](repeating: 0, count: canceller.farEndDelay)
    let delayedEcho = late + echo, delayedNear = late + near
    let microphone = zip(delayedEcho, delayedNear).map { $0 + $1 }
    let residual = canceller.run(microphone, left: left, right: right, doubts: doubts, gains: gains)
    return Run(
      rate: rate, echo: Array(delayedEcho[..<residual.count]), residual: residual, near: Array(delayedNear[..<residual.count]),
      echoDelay: canceller.echoDelay.isNaN ? nil : Double(canceller.echoDelay))
  }

  private func peak(_ samples: ArraySlice<Float>) -> Float { samples.reduce(0) { max($0, abs($1)) } }

  /// The response of a room, 0.1 s long: decaying reflections from 5 ms on.
  private static func path(seed: UInt64) -> [Float] {
    let noise = Noise.white(frames: rate / 10, level: 0.3, seed: seed), delay = rate / 200
    return [Float](repeating: 0, count: delay) + noise.enumerated().map { $0 % 9 == 0 ? 3 * $1 * exp(-Float($0) / Float(rate / 60)) : 0 }
  }

  /// Silences every other 0.2 s.
  private static func words(_ samples: [Float]) -> [Float] { samples.enumerated().map { $0 / (rate / 5) % 2 == 0 ? $1 : 0 } }

  private func echo(of far: [Float], through path: [Float]) -> [Float] {
    let taps = path.enumerated().filter { $0.element != 0 }
    var result = [Float](repeating: 0, count: far.count)
    result.withUnsafeMutableBufferPointer { result in
      far.withUnsafeBufferPointer { far in
        for (delay, tap) in taps {
          for n in delay..<far.count { result[n] += tap * far[n - delay] }
        }
      }
    }
    return result
  }
}
