internal import SoundFileLibrary

/// A mono sound file with 16-bit samples.
package struct WaveFile {
  /// Full scale ±1; in the file, samples beyond are clipped, and NaN becomes silence.
  package var samples: [Float]
  /// Frames per second.
  package var rate: Int

  /// Creates a file's content; `write` makes the file.
  package init(samples: [Float], rate: Int = 48_000) { (self.samples, self.rate) = (samples, rate) }

  /// Writes the file, and replaces an existing one.
  /// - Throws: `SessionError` that names the file.
  package func write(to path: String) throws {
    var info = SF_INFO()
    info.samplerate = Int32(rate)
    info.channels = 1
    info.format = Int32(SF_FORMAT_WAV) | Int32(SF_FORMAT_PCM_16)
    guard let file = sf_open(path, Int32(SFM_WRITE), &info) else {
      throw SessionError(.system, "writing \(path): \(String(cString: sf_strerror(nil)))")
    }
    let written = sf_writef_short(file, samples.map(Self.int16), sf_count_t(samples.count))
    let status = sf_close(file)
    guard written == samples.count, status == 0 else { throw SessionError(.system, "writing \(path): the file system took only a part") }
  }

  private static func int16(_ sample: Float) -> Int16 {
    let scaled = sample * 32_767
    return scaled.isNaN ? 0 : Int16(max(-32_768, min(32_767, scaled)))
  }
}
