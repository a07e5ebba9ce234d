internal import SoundFileLibrary

/// A sound file, mixed down to mono.
struct SoundFile {
  /// Frames per second.
  let rate: Int
  let samples: [Float]

  /// - Throws: `SessionError` that names the file.
  init(path: String) throws {
    var info = SF_INFO()
    guard let file = sf_open(path, Int32(SFM_READ), &info) else {
      throw SessionError(.system, "reading \(path): \(String(cString: sf_strerror(nil)))")
    }
    defer { sf_close(file) }
    let channels = Int(info.channels)
    var interleaved = [Float](repeating: 0, count: Int(info.frames) * channels)
    let frames = Int(sf_readf_float(file, &interleaved, info.frames))
    rate = Int(info.samplerate)
    samples = (0..<frames).map { frame in
      (0..<channels).reduce(Float(0)) { $0 + interleaved[frame * channels + $1] } / Float(channels)
    }
  }

  /// Returns the samples at another rate.
  /// - Throws: `SessionError` if libsamplerate fails.
  func samples(at wanted: Int) throws -> [Float] {
    guard wanted != rate else { return samples }
    return try resample(samples, ratio: Double(wanted) / Double(rate))
  }
}
