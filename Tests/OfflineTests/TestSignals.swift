import Foundation
import Nearend
import TestSupport

@testable import OfflineProcessing

enum TestSignals {
  /// The values of the setting that cancel echo.
  static let cancellers: [EchoCanceller] = [.nearend, .webrtc]

  /// Repeatable white noise at −14 dBFS; each value is exact in 16 bits.
  static func noise(frames: Int, seed: UInt64 = 5) -> [Float] {
    roundedTo16Bits(TestSupport.noise(frames: frames, level: 1 / 3, seed: seed))
  }

  /// Noise in bursts of 0.4 s with pauses, similar enough to speech for a canceller.
  static func bursts(frames: Int) -> [Float] {
    noise(frames: frames).enumerated().map { index, x in index % 24_000 < 19_200 ? x : 0 }
  }

  static func tone(_ frequency: Double, frames: Int, rate: Int) -> [Int16] {
    pcm(sine(frequency, frames: frames, rate: rate, level: 0.3))
  }

  static func rms(_ samples: some Collection<Float>) -> Double {
    samples.isEmpty ? 0 : (samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)).squareRoot()
  }

  /// Runs as many whole cycles as possible; returns the voice.
  static func cycles(_ renderer: ManualRenderer, microphone: [Float], quantum: Int) throws -> [Float] {
    var voice: [Float] = []
    for start in stride(from: 0, through: microphone.count - quantum, by: quantum) {
      voice += try renderer.cycle(microphone: Array(microphone[start..<start + quantum])).voice
    }
    return voice
  }
}

/// A folder that is removed with the test.
final class TestFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "nearend-offline-\(UInt64.random(in: 0 ... .max))").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }
  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

  /// A WAV file of interleaved 16-bit samples, or of floats; `rate` and `channels` are as in the header.
  @discardableResult
  func wave(_ name: String, _ samples: [Float], rate: Int = 48_000, channels: Int = 1, isFloat: Bool = false, cut: Int = 0) throws -> String
  {
    let size = isFloat ? 4 : 2
    var data = Data("RIFF".utf8)
    func append(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) } }
    append(UInt32(36 + samples.count * size))
    data.append(contentsOf: "WAVEfmt ".utf8)
    append(UInt32(16))
    append(UInt16(isFloat ? 3 : 1))
    append(UInt16(channels))
    append(UInt32(rate))
    append(UInt32(rate * channels * size))
    append(UInt16(channels * size))
    append(UInt16(8 * size))
    data.append(contentsOf: "data".utf8)
    append(UInt32(samples.count * size))
    for sample in samples {
      if isFloat { append(sample.bitPattern) } else { append(Int16(clamping: Int(sample * 32_768))) }
    }
    try data.dropLast(cut).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }

  /// All samples of a sound file, mono.
  func samples(_ name: String) throws -> [Float] {
    let input = try SoundInput(path: file(name))
    var all: [Float] = []
    while true {
      let part = try input.read(sides: 1)
      guard let samples = part.first else { return all }
      all += samples
    }
  }
}
