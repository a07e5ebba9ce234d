import Foundation

/// A mono sound file with 16-bit samples.
package struct WaveFile {
  /// Full scale ±1; in the file, samples beyond are clipped, and NaN becomes silence.
  package var samples: [Float]
  /// Frames per second.
  package var rate: Int

  /// Creates a file's content; `write` makes the file.
  package init(samples: [Float], rate: Int = 48_000) { (self.samples, self.rate) = (samples, rate) }

  /// Writes the file, and replaces an existing one.
  /// - Throws: Foundation's error.
  package func write(to path: String) throws {
    let bytes = samples.count * 2
    var data = Data("RIFF".utf8)
    func append(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) } }
    append(UInt32(36 + bytes))
    data.append(contentsOf: "WAVEfmt ".utf8)
    append(UInt32(16))
    append(UInt16(1))  // PCM
    append(UInt16(1))
    append(UInt32(rate))
    append(UInt32(rate * 2))
    append(UInt16(2))
    append(UInt16(16))
    data.append(contentsOf: "data".utf8)
    append(UInt32(bytes))
    samples.map { Self.int16($0).littleEndian }.withUnsafeBytes { data.append(contentsOf: $0) }
    try data.write(to: URL(fileURLWithPath: path))
  }

  private static func int16(_ sample: Float) -> Int16 {
    let scaled = sample * 32_767
    return scaled.isNaN ? 0 : Int16(max(-32_768, min(32_767, scaled)))
  }
}
