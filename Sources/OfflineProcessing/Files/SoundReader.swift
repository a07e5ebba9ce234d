/// Reads a sound file's samples from beginning to end, in one or two channels. One thread.
package final class SoundReader {
  private let input: SoundInput
  /// Frames per second.
  package var rate: Int { input.rate }
  /// 1, or 2 if the file has two; more are mixed down to one.
  package var channelCount: Int { input.channelCount == 2 ? 2 : 1 }

  /// - Throws: `OfflineError.input` if it is not a readable sound file.
  package init(path: String) throws(OfflineError) { input = try SoundInput(path: path, needsLength: false) }

  /// What people are told about the file, once it is read.
  package var notes: [String] { input.notes() }

  /// Returns the next samples, interleaved, full scale ±1; nil at the end.
  /// - Throws: `OfflineError.input` if a sample is NaN or far beyond full scale, or the file ends too soon.
  package func read() throws(OfflineError) -> [Float]? {
    let sides = try input.read(sides: channelCount)
    guard let left = sides.first else { return nil }
    guard sides.count == 2 else { return left }
    return zip(left, sides[1]).flatMap { [$0, $1] }
  }
}
