import Testing

@testable import RealtimeCore

/// A change of loudspeaker or microphone: the echo path changes from one moment to the next.
@Suite("Capture path: a change of device")
struct CapturePathChangeTests {
  /// The echo path of a pair of devices.
  struct Way: Sendable, CustomTestStringConvertible {
    let milliseconds: Int
    let gain: Float
    var testDescription: String { "\(milliseconds) ms, gain \(gain)" }
  }

  /// Not among the test's arguments, because Swift 6.0 crashes on a closure within a closure there.
  private static let changes: [(Way, Way, EchoCanceller)] =
    [
      (Way(milliseconds: 22, gain: 0.5), Way(milliseconds: 25, gain: -0.7)),
      (Way(milliseconds: 70, gain: 0.5), Way(milliseconds: 22, gain: 0.5)),
      (Way(milliseconds: 5, gain: 0.5), Way(milliseconds: 150, gain: 0.5)),
    ].flatMap { before, after in EchoCanceller.engines.map { (before, after, $0) } } + [
      // To a delay beyond the reach of the filter's current window and back, as with a television.
      (Way(milliseconds: 22, gain: 0.5), Way(milliseconds: 400, gain: 0.5), .nearend),
      (Way(milliseconds: 400, gain: 0.5), Way(milliseconds: 22, gain: 0.5), .nearend),
    ]

  @Test(
    "V6, R1: after a change of loudspeaker or microphone the echo is down by 25 dB within 3 s of far-end speech",
    arguments: changes, [16_000, 48_000])
  func newWay(ways: (Way, Way, EchoCanceller), rate: Int) throws {
    let far = CaptureSignals.speech(seconds: 9, rate: rate, level: -24, seed: 3)
    func arriving(_ way: Way) -> [Float] { CaptureSignals.room(far, rate: rate, delay: way.milliseconds * rate / 1_000, gain: way.gain) }
    let change = 4 * rate
    let microphone = Array(arriving(ways.0)[..<change] + arriving(ways.1)[change...])
    var run = try CaptureRun(engine: ways.2, rate: rate)
    var hasChanged = false
    let voice = run.process(microphone, reference: far, quantum: 480) { start, controls in
      if start >= change, !hasChanged {
        controls.echoPathChanged()
        hasChanged = true
      }
    }
    func erle(_ seconds: Int, _ count: Int = 1) -> Double {
      let range = (change + seconds * rate)..<(change + (seconds + count) * rate)
      return CaptureSignals.decibels(CaptureSignals.power(microphone[range]) / CaptureSignals.power(voice[range]))
    }
    let course = (-4..<5).map { Int(erle($0).rounded()) }
    print(
      "V6: \(ways.2), \(rate) Hz, \(ways.0.testDescription) to \(ways.1.testDescription): ERLE by second \(course), the change after the fourth"
    )
    #expect(erle(2, 3) >= 25)
  }

  @Test("V6, V9: where the quantum changes, and the echo's delay with it, little is heard of the echo meanwhile", arguments: [3, 4, 5])
  func quantum(seed: UInt64) throws {
    let rate = 48_000, quanta = [256, 256, 1024, 256, 512, 2048, 256, 1024], span = 122_880, early = 24_576
    let far = CaptureSignals.speech(seconds: 22, rate: rate, level: -24, seed: seed)
    // Devices and their monitors are late by a cycle more or less.
    let echoes = Dictionary(
      uniqueKeysWithValues: Set(quanta).map { ($0, CaptureSignals.room(far, rate: rate, delay: 600 + $0, gain: 0.5)) })
    var microphone = CaptureSignals.noise(seconds: 22, rate: rate, level: -70)
    var run = try CaptureRun(rate: rate), reductions: [Double] = []
    for (index, quantum) in quanta.enumerated() {
      let range = index * span..<(index + 1) * span
      for frame in range { microphone[frame] += echoes[quantum]![frame] }
      let voice = run.process(Array(microphone[range]), reference: Array(far[range]), quantum: quantum)
      guard index > 0, quantum != quanta[index - 1] else { continue }
      let before = microphone[range.lowerBound..<range.lowerBound + early]
      reductions.append(CaptureSignals.decibels(CaptureSignals.power(before) / CaptureSignals.power(voice[..<early])))
    }
    let mean = reductions.reduce(0, +) / Double(reductions.count)
    print("V9: reduction in the first half second after each change of quantum \(reductions.map { Int($0) }), \(mean) dB on average")
    #expect(mean > 32)
  }
}
