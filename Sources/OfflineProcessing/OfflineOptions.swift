import Nearend
import RealtimeCore
import SessionModel

/// The inputs, settings and outputs of an `OfflineProcessor`.
package struct OfflineOptions: Sendable {
  /// Path of the raw microphone's file.
  package var microphone: String
  /// Path of the far end's signal, which the speaker played; nil is silence.
  package var farEnd: String?
  /// Path of the voice, a WAV file at the microphone's rate; it ends in .wav, or has no ending. Stereo where
  /// `channelCount` is 2, or the setting `microphoneChannels` `each`, and voice processing off or the mode wideSpectrum (V16); otherwise
  /// mono.
  package var output: String
  /// Path of a PNG of levels, ERLE, delay and spectra over time; nil draws none.
  package var plot: String?
  /// Whether to make spectrograms, for a plot that the caller draws.
  package var drawsSpectrograms = false
  /// Frames per cycle, 32–8192; nil is 10 ms.
  package var quantum: Int?
  /// The settings that differ from the defaults.
  package var settings: [Setting: EventValue] = [:]
  /// Channels of the voice, 1 or 2; refused where the microphone or the settings do not give them. Nil: as these give them.
  package var channelCount: Int?
  /// Keeps the voice's live delay, which makes the output longer.
  package var keepsDelay = false
  /// The output's sample type; nil for the microphone's.
  package var sampleType: SampleType?
  /// The constants of nearend's own canceller.
  package var tuning = Tuning.standard

  package init(microphone: String, farEnd: String? = nil, output: String) {
    self.microphone = microphone
    self.farEnd = farEnd
    self.output = output
  }

  /// Throws `OfflineError.options` or `.output` for errors that show before any file is read.
  func check() throws(OfflineError) {
    if output == "-" {
      throw .options(reason: "-: the voice is written to a file, not to standard output; give a name that ends in .wav")
    }
    if let ending = Self.ending(of: output), !["wav", "wave"].contains(ending) {
      throw .options(reason: "\(output): the voice is written as a WAV file; give a name that ends in .wav")
    }
    if let channelCount, !(1...2).contains(channelCount) { throw .options(reason: "\(channelCount) channels: the voice has 1 or 2") }
    if let quantum, !ManualRenderer.quanta.contains(quantum) { throw .options(reason: "\(ManualRenderingError.quantum(quantum))") }
    for file in [output, plot].compactMap({ $0 }) {
      for input in [microphone, farEnd].compactMap({ $0 }) where areSameFile(input, file) {
        throw .output(file: file, reason: "it is the input \(input); give another name")
      }
    }
    if let plot, plot == output || areSameFile(plot, output) { throw .output(file: plot, reason: "it is the output; give another name") }
  }

  /// Returns what follows the last point of a file's name, in lower case; nil without one.
  private static func ending(of path: String) -> String? {
    let name = path.split(separator: "/").last ?? ""
    guard let point = name.lastIndex(of: "."), point != name.startIndex else { return nil }
    return name[name.index(after: point)...].lowercased()
  }
}
