import Foundation
import Testing

@testable import OfflineProcessing

internal import SoundFileLibrary

extension TestFolder {
  /// Writes noise as a mono sound file at 48 kHz, in any format that libsndfile writes, and returns its bytes.
  func sound(_ name: String, _ format: Int, frames: Int) throws -> Data {
    var info = SF_INFO()
    (info.samplerate, info.channels, info.format) = (48_000, 1, Int32(format))
    let sound = try #require(sf_open(file(name), Int32(SFM_WRITE), &info))
    #expect(sf_writef_float(sound, TestSignals.noise(frames: frames), sf_count_t(frames)) == sf_count_t(frames))
    sf_close(sound)
    return try Data(contentsOf: URL(fileURLWithPath: file(name)))
  }
}

/// Returns the number of samples that `play-into-mic` would play of a mono file.
func samplesPlayed(_ path: String) throws -> Int {
  let reader = try SoundReader(path: path)
  var count = 0
  while let samples = try reader.read() { count += samples.count }
  return count
}
