import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

@Suite("Ring resampler")
struct RingResamplerTests {
  /// Resamples a signal in cycles of `quantum`, at `step(cycle)` sink frames per graph frame.
  private func resample(_ signal: (Int) -> Float, frames: Int, quantum: Int = 256, step: (Int) -> Double) -> [Float] {
    var resampler = RingResampler(channelCount: 1)
    resampler.reset(step: step(0))
    var (output, next) = ([Float](), 0)
    let block = UnsafeMutablePointer<Float>.allocate(capacity: quantum)
    defer { block.deallocate() }
    for cycle in 0..<frames / quantum {
      resampler.steer(step: step(cycle))
      var done = 0
      while true {
        done += resampler.make(quantum - done, left: block + done, right: block + done)
        if done == quantum { break }
        let count = min(resampler.missing(for: quantum - done), resampler.room)
        for i in 0..<count { resampler.end(0)[i] = signal(next + i) }
        resampler.push(count)
        next += count
      }
      output += UnsafeBufferPointer(start: block, count: quantum)
    }
    return output
  }

  private func tone(_ frequency: Double, rate: Double) -> (Int) -> Float { { Float(sin(2 * .pi * frequency * Double($0) / rate)) } }

  /// Relative to a sine of full scale, in dB.
  private func level(_ output: ArraySlice<Float>) -> Double {
    var power = 0.0
    for sample in output { power += Double(sample) * Double(sample) }
    return 10 * log10(2 * power / Double(output.count))
  }

  @Test(
    "K3: a sine of 1 kHz is at least 94 dB above all that resampling adds, at any rate, drifting or not",
    arguments: [16_000.0, 32_000, 44_100, 48_000, 96_000, 192_000], [0, 240e-6, 300e-6, -2_000e-6])
  func purity(rate: Double, drift: Double) {
    let step = rate / 48_000 * (1 + drift)
    let output = resample(tone(1_000, rate: rate), frames: 48_000) { _ in step }
    #expect(Measures.purity(ofTone: 1_000 * (1 + drift), in: output[8_192...], rate: 48_000) > 94)
  }

  @Test("K3: a ratio that is steered as fast as it may is heard as no step: the noise beside the sine stays 90 dB below it")
  func steering() {
    // 250 ppm a second, up and down between the limits; within 8192 frames the sine's own frequency moves by 0.04 Hz.
    let duration = 256.0 / 48_000
    let output = resample(tone(1_000, rate: 48_000), frames: 10 * 48_000) { cycle in
      1 + DriftSteering.limit * sin(Double(cycle) * duration * DriftSteering.slew / DriftSteering.limit)
    }
    // The second difference of this sine is a sine of 0.0171 of its amplitude, above which a step in phase or value would stand out.
    let turn = 2 * Double.pi * 1_000 * 1.002 / 48_000
    var largest: Float = 0
    for i in 64..<output.count - 1 {
      let bend = output[i - 1] - 2 * output[i] + output[i + 1]
      largest = max(largest, abs(bend))
    }
    #expect(Double(largest) < turn * turn + 3e-5)
  }

  @Test(
    "K3: sound below 6.4 kHz of a 16 kHz sink, and below 17 kHz of one at 48 kHz, keeps its level; images are 75 dB down",
    arguments: [16_000.0, 48_000])
  func response(rate: Double) {
    for share in [0.05, 0.2, 0.35] {
      let frequency = share * rate
      let output = resample(tone(frequency, rate: rate), frames: 24_000) { _ in rate / 48_000 }
      #expect(abs(level(output[4_096...])) < 0.1, "\(frequency) Hz")
      #expect(Measures.purity(ofTone: frequency, in: output[4_096...], rate: 48_000) > 75, "\(frequency) Hz")
    }
  }

  @Test("K3: nothing above half of the graph's rate is heard of a sink at 96 or 192 kHz", arguments: [96_000.0, 192_000])
  func aliases(rate: Double) {
    let output = resample(tone(30_000, rate: rate), frames: 24_000) { _ in rate / 48_000 }
    #expect(level(output[4_096...]) < -75)
  }

  @Test("K2 K3: the first frame that comes is the first that is made, a constant stays exactly as loud, and no frame is lost or doubled")
  func alignment() {
    for rate in [8_000.0, 16_000, 44_100, 48_000, 96_000] {
      let output = resample({ $0 == 0 ? 1 : 0 }, frames: 2_560) { _ in rate / 48_000 }
      #expect(output.indices.max { abs(output[$0]) < abs(output[$1]) } == 0, "\(rate) Hz")
      let constant = resample({ _ in 0.5 }, frames: 2_560) { _ in rate / 48_000 }
      #expect(constant.dropFirst(1_024).allSatisfy { abs($0 - 0.5) < 2e-4 }, "\(rate) Hz")
    }
    for quantum in [1, 31, 32, 441, 8_192] {
      let whole = resample(tone(440, rate: 44_100), frames: 16_384, quantum: 256) { _ in 44_100 / 48_000 }
      let other = resample(tone(440, rate: 44_100), frames: 16_384, quantum: quantum) { _ in 44_100 / 48_000 }
      let differences = zip(whole, other).map { abs($0 - $1) }
      let first = differences.firstIndex { $0 >= 1e-5 }
      #expect(first == nil, "cycles of \(quantum): frame \(first ?? 0) by \(differences[first ?? 0])")
    }
  }
}
