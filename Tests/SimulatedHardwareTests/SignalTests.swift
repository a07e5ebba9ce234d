import Foundation
import SeededSignals
import Testing

@testable import SimulatedHardware

@Suite("Signals")
struct SignalTests {
  @Test("O3: the convolver equals direct convolution, one block later, at any quantum", arguments: [32, 100, 256, 480, 1_024, 8_192])
  func convolverEqualsDirect(quantum: Int) {
    var generator = SeededGenerator(seed: 7)
    let taps = (0..<700).map { _ in Float(generator.gaussian()) * 0.1 }
    // A few impulses and a stretch of noise: dense enough to reach every partition, sparse enough for direct convolution.
    var input = [Float](repeating: 0, count: 16_384)
    for k in [0, 1, 255, 256, 257, 3_000] { input[k] = Float(generator.gaussian()) }
    for k in 5_000..<5_200 { input[k] = Float(generator.gaussian()) }
    let convolver = Convolver(response: taps)
    var output = input
    output.withUnsafeMutableBufferPointer { buffer in
      for start in stride(from: 0, to: buffer.count, by: quantum) {
        let samples = buffer.baseAddress! + start
        convolver.process(samples, samples, frames: min(quantum, buffer.count - start))
      }
    }
    var expected = [Float](repeating: 0, count: input.count)
    for (k, sample) in input.enumerated() where sample != 0 {
      for (j, tap) in taps.enumerated() where k + j + convolver.latency < expected.count {
        expected[k + j + convolver.latency] += sample * tap
      }
    }
    #expect(zip(output, expected).allSatisfy { abs($0 - $1) < 1e-4 })
  }

  @Test(
    "O3: a room's response lasts 150 ms or more, begins after 2 ms, decays, and is the same for the same seed",
    arguments: [1, 2, 3] as [UInt64])
  func roomResponse(seed: UInt64) throws {
    let response = RoomResponse(seed: seed)
    let taps = response.taps
    #expect(taps == RoomResponse(seed: seed).taps)
    #expect(taps != RoomResponse(seed: seed + 1).taps)
    let first = try #require(taps.firstIndex { $0 != 0 })
    #expect(first >= 96 && first < 150)
    let total = taps.reduce(0) { $0 + $1 * $1 }
    func share(_ range: Range<Int>) -> Double { 10 * log10(Double(taps[range].reduce(0) { $0 + $1 * $1 } / total)) }
    #expect(share(7_200..<taps.count) > -60, "nothing is left after 150 ms")
    #expect(share(0..<2_400) > share(2_400..<4_800) + 3)
    #expect(share(2_400..<4_800) > share(7_200..<9_600) + 10)
  }

  @Test("O3: a room is scaled until speech arrives at the wanted level")
  func roomGain() throws {
    let speech = try Speech(Voice.farEnd[0], rate: 16_000, cache: speechCache)
    let part = Array(speech.samples.prefix(3 * 16_000))
    let response = RoomResponse(rate: 16_000).scaled(toGain: -3, for: part)
    let convolver = Convolver(response: response.taps)
    var arriving = part
    arriving.withUnsafeMutableBufferPointer { convolver.process($0.baseAddress!, $0.baseAddress!, frames: $0.count) }
    let before = try #require(Measures.activeLevel(part, rate: 16_000))
    let after = try #require(Measures.activeLevel(arriving, rate: 16_000))
    #expect(abs(after - before + 3) < 0.1)
  }

  @Test("O3: levels: a full-scale sine has −3.01 dBFS, and pauses do not lower the active level")
  func levels() throws {
    let sine = SeededSignals.sine(1_000, frames: 48_000)
    #expect(abs(Measures.level(sine) + 3.01) < 0.01)
    let steady = try #require(Measures.activeLevel(sine, rate: 48_000))
    #expect(abs(steady + 3.01) < 0.3)
    let halting = try #require(Measures.activeLevel(sine + [Float](repeating: 0, count: 96_000) + sine, rate: 48_000))
    // The standard counts the first 0.2 s of a pause as speech; if pauses counted in full, these would cost 3 dB.
    #expect(abs(halting - steady) < 0.8)
    #expect(Measures.activeLevel([0, 0, 0], rate: 48_000) == nil)
  }

  @Test("O3: the lag of a delayed, inverted signal in noise is found to the sample", arguments: [0, 1, 383, 4_000])
  func lag(delay: Int) throws {
    var generator = SeededGenerator(seed: 3)
    let signal = (0..<9_600).map { _ in Float(generator.gaussian()) }
    let late = [Float](repeating: 0, count: delay) + signal.map { -0.3 * $0 + 0.1 * Float(generator.gaussian()) }
    let lag = try #require(Measures.lag(of: late, after: signal, most: 4_800))
    #expect(lag.frames == delay)
    #expect(lag.correlation < -0.9)
  }

  @Test("O3: echo return loss enhancement of a signal that is halved is 6 dB")
  func erle() throws {
    let signal: [Float] = [0.5, -0.5, 0.25]
    #expect(abs(try #require(Measures.erle(microphone: signal, processed: signal.map { $0 / 2 })) - 6.02) < 0.01)
  }

  @Test("O3: voices are synthesised once, at −24 dBFS active level, at any rate", arguments: [16_000, 44_100, 48_000])
  func speech(rate: Int) throws {
    let voice = Voice(name: "en+f2", text: "One two three.")
    let speech = try Speech(voice, rate: rate, cache: speechCache)
    #expect(speech.rate == rate)
    #expect(abs(try #require(Measures.activeLevel(speech.samples, rate: rate)) - Speech.level) < 0.1)
    #expect(speech.samples.allSatisfy { abs($0) < 1 })
    let file = try Speech.file(of: voice, cache: speechCache)
    #expect(try Speech.file(of: voice, cache: speechCache) == file)
    let native = try SoundFile(path: file)
    #expect(abs(Double(speech.samples.count) / Double(rate) - Double(native.samples.count) / Double(native.rate)) < 0.001)
  }

  @Test("O3: a sound file has every sample in its place: samples beyond full scale are clipped, NaN is silence")
  func waveFile() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).wav").path
    defer { unlink(path) }
    try WaveFile(samples: [0.5, 1.5, -9, .infinity, -.infinity, .nan, 1e30, -1e30, -0.5], rate: 16_000).write(to: path)
    let file = try SoundFile(path: path)
    #expect(file.rate == 16_000)
    let steps = file.samples.map { Int($0 * 32_768) }
    #expect(steps == [16_383, 32_767, -32_768, 32_767, -32_768, 0, 32_767, -32_768, -16_383])
  }

  @Test("O3: a rate conversion keeps a sine in place")
  func resampling() throws {
    let sine = SeededSignals.sine(440, frames: 22_050, rate: 22_050)
    let converted = try resample(sine, ratio: 48_000 / 22_050)
    let wanted = SeededSignals.sine(440, frames: 48_000)
    #expect(try #require(Measures.lag(of: converted, after: wanted, most: 100)).frames <= 1)
    #expect(abs(Measures.level(converted[1_000..<47_000]) + 3.01) < 0.05)
  }
}

/// A folder that is kept between runs.
let speechCache = FileManager.default.temporaryDirectory.appendingPathComponent("nearend-test-speech").path
