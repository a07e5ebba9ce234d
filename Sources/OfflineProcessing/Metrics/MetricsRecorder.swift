import Foundation
import RealtimeCore

/// Collects `ProcessingMetrics` cycle by cycle.
struct MetricsRecorder {
  /// In seconds.
  static let interval = 0.1

  /// Intervals before and after a voice that do not count as echo alone, 0.5 s: they may hold its beginning, its end or a pause of it.
  private static let margin = 5

  private let step: Int
  private let count: Int
  private let latency: Int
  private var microphone: Energy
  private var farEnd: Energy
  private var voice: Energy
  private var readings: [CaptureMeters] = []
  private var last: CaptureMeters?
  private var position = 0

  /// - Parameters:
  ///   - rate: Hz.
  ///   - latency: the voice's delay in frames.
  ///   - length: the microphone's length in frames.
  init(rate: Int, latency: Int, length: Int) {
    step = rate / 10
    count = (length + step - 1) / step
    self.latency = latency
    microphone = Energy(step: step, count: count)
    farEnd = microphone
    voice = microphone
  }

  /// Takes one cycle: input, output, and the meters afterwards.
  mutating func add(
    microphone: UnsafeBufferPointer<Float>, farEnd: UnsafeBufferPointer<Float>, voice: UnsafeBufferPointer<Float>,
    meters: CaptureMeters
  ) {
    self.microphone.add(microphone, at: position)
    self.farEnd.add(farEnd, at: position)
    self.voice.add(voice, at: position - latency)
    position += microphone.count
    while readings.count < count, position >= (readings.count + 1) * step { readings.append(meters) }
    last = meters
  }

  func finish(describing description: ProcessingMetrics.Description) -> ProcessingMetrics {
    var readings = readings
    if let last { while readings.count < count { readings.append(last) } }
    var series = ProcessingMetrics.Series()
    series.microphoneLevel = microphone.levels
    series.farEndLevel = farEnd.levels
    series.voiceLevel = voice.levels
    series.erle = readings.map { $0.erle.known.map { rounded(Double($0)) } }
    series.echoReduction = readings.map { $0.echoReduction.known.map { rounded(Double($0)) } }
    series.echoDelay = readings.map { $0.echoDelay.known.map { rounded(Double($0) * 1000) } }
    series.gain = readings.map { rounded(Double($0.gain)) }
    series.hasVoice = readings.map(\.hasVoice)
    series.isFarEndActive = readings.map(\.isFarEndActive)
    return ProcessingMetrics(description: description, interval: Self.interval, series: series, totals: totals(series, readings))
  }

  private func totals(_ series: ProcessingMetrics.Series, _ readings: [CaptureMeters]) -> ProcessingMetrics.Totals {
    let talking = series.hasVoice.indices.filter { series.hasVoice[$0] }
    // An echo that is not cancelled may be what is taken for a voice, and is no reason to leave it out.
    let voices = talking.filter { readings[$0].echoVerdict != .failing }
    var isNearVoice = [Bool](repeating: false, count: readings.count)
    for index in voices {
      for other in max(index - Self.margin, 0)...min(index + Self.margin, isNearVoice.count - 1) { isNearVoice[other] = true }
    }
    let isVoice = Set(voices)
    let onlyFar = series.isFarEndActive.indices.filter { series.isFarEndActive[$0] && !isVoice.contains($0) }.dropFirst(20)
      .filter { !isNearVoice[$0] }
    let before = onlyFar.reduce(0) { $0 + microphone.sums[$1] }
    let after = onlyFar.reduce(0) { $0 + voice.sums[$1] }
    return ProcessingMetrics.Totals(
      microphoneLevel: microphone.level, farEndLevel: farEnd.level, voiceLevel: voice.level,
      echoReduction: before > 0 ? rounded(10 * log10(before / max(after, 1e-12 * before))) : nil,
      echoSeconds: rounded(Double(onlyFar.count) * Self.interval), erle: series.erle.last ?? nil, echoDelay: series.echoDelay.last ?? nil,
      gain: talking.isEmpty ? nil : rounded(talking.reduce(0) { $0 + series.gain[$1] } / Double(talking.count)),
      voiceSeconds: rounded(Double(talking.count) * Self.interval),
      farEndSeconds: rounded(Double(series.isFarEndActive.filter { $0 }.count) * Self.interval), refusedBlocks: readings.last?.errors ?? 0)
  }
}

/// Two decimals exceed the accuracy of all values. Zero has no sign: −0 + 0 is 0.
private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 + 0 }

/// Sums of squares per interval.
private struct Energy {
  let step: Int
  private(set) var sums: [Double]
  private var frames: [Int]

  init(step: Int, count: Int) {
    self.step = step
    sums = [Double](repeating: 0, count: count)
    frames = [Int](repeating: 0, count: count)
  }

  /// Adds samples from `start` on; samples outside the intervals are ignored.
  mutating func add(_ samples: UnsafeBufferPointer<Float>, at start: Int) {
    var index = max(0, -start)
    while index < samples.count, (start + index) / step < sums.count {
      let interval = (start + index) / step
      let end = min(samples.count, (interval + 1) * step - start)
      var sum: Double = 0
      for i in index..<end { sum += Double(samples[i]) * Double(samples[i]) }
      sums[interval] += sum
      frames[interval] += end - index
      index = end
    }
  }

  /// In dBFS.
  var levels: [Double] { sums.indices.map { Self.level(sums[$0], frames[$0]) } }
  var level: Double { Self.level(sums.reduce(0, +), frames.reduce(0, +)) }

  private static func level(_ sum: Double, _ frames: Int) -> Double { rounded(max(-120, 10 * log10(sum / Double(max(1, frames)) + 1e-13))) }
}
