import Foundation
import TestSupport

@testable import RealtimeCore

/// Signals and measures for the capture path's tests.
enum CaptureSignals {
  /// The part above 5 kHz, which contains the clicks of a switch and nothing of a low tone.
  static func high(of voice: some Collection<Float>, rate: Int) -> [Float] {
    var high = Array(voice)
    let frames = high.count
    var filters = [Biquad.highPass(5_000, rate: rate), .highPass(5_000, rate: rate)]
    for index in filters.indices {
      high.withUnsafeMutableBufferPointer { filters[index].process($0.baseAddress!, into: $0.baseAddress!, frames: frames) }
    }
    return high
  }

  /// The largest sample above 5 kHz, where a low tone has no power, once the path has settled from silence. At 48 kHz.
  static func click(_ voice: some Collection<Float>) -> Float { high(of: voice, rate: 48_000)[4_800...].reduce(0) { max($0, abs($1)) } }

  /// Speech-like: voiced syllables of changing pitch and formants with pauses between phrases, and some hiss.
  ///
  /// - Parameter level: of the active parts, dBFS.
  static func speech(seconds: Double, rate: Int, level: Float, seed: UInt64 = 1) -> [Float] {
    let count = Int(seconds * Double(rate))
    var noise = SeededGenerator(seed: seed, .congruential), result = [Float](repeating: 0, count: count)
    var phase: Float = 0, formants = [Resonator(), Resonator(), Resonator()]
    var start = 0, syllable = 0
    while start < count {
      let length = Int(Float(rate) * (0.16 + 0.06 * noise.sample()))
      let pitch = 130 + 35 * noise.sample(), glide = 30 * noise.sample()
      let isPause = syllable % 9 >= 7
      for (index, (centre, spread)) in [(500, 220), (1500, 600), (2600, 300)].enumerated() {
        formants[index].tune(frequency: Float(centre) + Float(spread) * noise.sample(), rate: Float(rate))
      }
      let loudness = 0.8 + 0.2 * noise.sample()
      for i in 0..<min(length, count - start) where !isPause {
        let t = Float(i) / Float(length)
        phase += (pitch + glide * t) / Float(rate)
        var source: Float = 0.02 * noise.sample()
        if phase >= 1 {
          phase -= 1
          source += 1
        }
        let envelope = min(1, 12 * t) * min(1, 4 * (1 - t)) * loudness
        var sum: Float = 0
        for index in 0..<3 { sum += formants[index].process(source) / Float(index + 1) }
        result[start + i] = sum * envelope
      }
      start += length
      syllable += 1
    }
    let gain = Float(pow(10, Double(level) / 20)) / max(Float(activePower(result)).squareRoot(), 1e-9)
    return result.map { $0 * gain }
  }

  /// White noise of this RMS level in dBFS.
  static func noise(seconds: Double, rate: Int, level: Float, seed: UInt64 = 7) -> [Float] {
    TestSupport.noise(
      frames: Int(seconds * Double(rate)), level: Float(pow(10, Double(level) / 20) * 3.0.squareRoot()), seed: seed, .congruential)
  }

  /// A loudspeaker as a microphone hears it: a direct path of `delay` frames, and a tail of four combs and two allpasses (Schroeder) that
  /// decays by 60 dB in 0.3 s.
  static func room(_ far: [Float], rate: Int, delay: Int, gain: Float) -> [Float] {
    var combs = [29.7, 37.1, 41.1, 43.7].map { Comb(delay: Int($0 * Double(rate) / 1000), seconds: 0.3, rate: rate) }
    var allpasses = [5.0, 1.7].map { Allpass(delay: Int($0 * Double(rate) / 1000)) }
    return far.indices.map { i in
      let direct = i >= delay ? far[i - delay] : 0
      var tail: Float = 0
      for index in combs.indices { tail += 0.15 * combs[index].process(direct) }
      for index in allpasses.indices { tail = allpasses[index].process(tail) }
      return gain * (direct + tail)
    }
  }

  /// Mean square over those blocks of 20 ms (at 48 kHz) that are within 16 dB of the loudest.
  static func activePower(_ samples: some Collection<Float>) -> Double {
    let all = Array(samples), size = 960
    let powers = stride(from: 0, to: max(all.count - size, 1), by: size).map { start in power(all[start..<min(start + size, all.count)]) }
    let loudest = powers.max() ?? 0, active = powers.filter { $0 > 0.025 * loudest }
    return active.isEmpty ? 0 : active.reduce(0, +) / Double(active.count)
  }

  static func power(_ samples: some Collection<Float>) -> Double {
    var sum: Float = 0
    for sample in samples { sum += sample * sample }
    return samples.isEmpty ? 0 : Double(sum) / Double(samples.count)
  }

  static func decibels(_ powerRatio: Double) -> Double { 10 * log10(max(powerRatio, 1e-20)) }

  /// The lag within `range` at which `output` resembles `input` most.
  static func lag(of output: [Float], behind input: [Float], in range: ClosedRange<Int>, at start: Int, count: Int) -> Int {
    output.withUnsafeBufferPointer { output in
      input.withUnsafeBufferPointer { input in
        range.max { a, b in product(output, input, start, count, a) < product(output, input, start, count, b) }!
      }
    }
  }

  private static func product(
    _ output: UnsafeBufferPointer<Float>, _ input: UnsafeBufferPointer<Float>, _ start: Int, _ count: Int, _ lag: Int
  ) -> Float {
    var sum: Float = 0
    for i in start..<(start + count) { sum += input[i] * output[i + lag] }
    return sum
  }

  private struct Resonator {
    private var a1: Float = 0, a2: Float = 0, y1: Float = 0, y2: Float = 0
    mutating func tune(frequency: Float, rate: Float) {
      let r = exp(-Float.pi * 90 / rate)
      a1 = 2 * r * cos(2 * .pi * frequency / rate)
      a2 = -r * r
    }
    mutating func process(_ x: Float) -> Float {
      let y = x + a1 * y1 + a2 * y2
      (y2, y1) = (y1, y)
      return y
    }
  }

  private struct Comb {
    private var line: [Float], position = 0
    private let feedback: Float
    init(delay: Int, seconds: Double, rate: Int) {
      line = Array(repeating: 0, count: delay)
      feedback = Float(pow(10, -3 * Double(delay) / (seconds * Double(rate))))
    }
    mutating func process(_ x: Float) -> Float {
      let y = line[position]
      line[position] = x + feedback * y
      position = position + 1 == line.count ? 0 : position + 1
      return y
    }
  }

  private struct Allpass {
    private var line: [Float], position = 0
    init(delay: Int) { line = Array(repeating: 0, count: delay) }
    mutating func process(_ x: Float) -> Float {
      let y = line[position] - 0.7 * x
      line[position] = x + 0.7 * y
      position = position + 1 == line.count ? 0 : position + 1
      return y
    }
  }
}

/// A capture path with its controls and meters, fed cycle by cycle.
struct CaptureRun: ~Copyable {
  let controls: CaptureControls
  let meters: SequenceLocked<CaptureMeters>
  private var path: CapturePath

  init(engine: EchoCanceller = .nearend, rate: Int = 48000, configure: (CaptureControls) -> Void = { _ in }) throws {
    let (controls, meters) = (CaptureControls(), SequenceLocked(CaptureMeters()))
    controls.engine = engine
    configure(controls)
    path = try CapturePath(engine: controls.engine, rate: rate, maximumQuantum: 8192, controls: controls, meters: meters)
    self.controls = controls
    self.meters = meters
  }

  func latency(quantum: Int) -> Int { path.latency(quantum: quantum) }

  /// Runs whole cycles, and drops the remainder. `each` is called before every cycle with the index of its first frame.
  mutating func process(
    _ microphone: [Float], reference: [Float]? = nil, quantum: Int, each: (Int, CaptureControls) -> Void = { _, _ in }
  ) -> [Float] {
    var voice = [Float](repeating: .nan, count: microphone.count / quantum * quantum)
    for start in stride(from: 0, to: voice.count, by: quantum) {
      each(start, controls)
      microphone.withUnsafeBufferPointer { microphone in
        voice.withUnsafeMutableBufferPointer { voice in
          guard let reference else {
            path.process(
              microphone: microphone.baseAddress! + start, reference: nil, right: nil, voice: voice.baseAddress! + start, frames: quantum)
            return
          }
          reference.withUnsafeBufferPointer { reference in
            path.process(
              microphone: microphone.baseAddress! + start, reference: reference.baseAddress! + start,
              right: reference.baseAddress! + start, voice: voice.baseAddress! + start, frames: quantum)
          }
        }
      }
    }
    return voice
  }

  /// Runs cycles without any input.
  mutating func processNothing(frames: Int, quantum: Int) -> [Float] {
    var voice = [Float](repeating: .nan, count: frames / quantum * quantum)
    for start in stride(from: 0, to: voice.count, by: quantum) {
      voice.withUnsafeMutableBufferPointer {
        path.process(microphone: nil, reference: nil, right: nil, voice: $0.baseAddress! + start, frames: quantum)
      }
    }
    return voice
  }
}
