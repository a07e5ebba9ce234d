import Nearend
import SessionModel

/// The inputs, settings and outputs of an `OfflineProcessor`.
package struct OfflineOptions: Sendable {
  /// Path of the raw microphone's file.
  package var microphone: String
  /// Path of the far end's signal, which the speaker played; nil is silence.
  package var farEnd: String?
  /// Path of the voice, a mono WAV file at the microphone's rate.
  package var output: String
  /// Path of a PNG of levels, ERLE, delay and spectra over time; nil draws none.
  package var plot: String?
  /// A Boolean value indicating whether to make spectrograms, for a plot that the caller draws.
  package var drawsSpectrograms = false
  /// Frames per cycle, 32–8192; nil is 10 ms.
  package var quantum: Int?
  /// The settings that differ from the defaults.
  package var settings: [Setting: EventValue] = [:]
  /// Keeps the voice's live delay, which makes the output longer.
  package var keepsDelay = false
  /// The output's sample type; nil for the microphone's.
  package var sampleType: SampleType?

  package init(microphone: String, farEnd: String? = nil, output: String) {
    self.microphone = microphone
    self.farEnd = farEnd
    self.output = output
  }

  /// Throws `OfflineError.options` or `.output` for errors that show before any file is read.
  func check() throws(OfflineError) {
    if let quantum, !ManualRenderer.quanta.contains(quantum) { throw .options(reason: "\(ManualRenderingError.quantum(quantum))") }
    for file in [output, plot].compactMap({ $0 }) {
      for input in [microphone, farEnd].compactMap({ $0 }) where areSameFile(input, file) {
        throw .output(file: file, reason: "it is the input \(input); give another name")
      }
    }
    if let plot, plot == output || areSameFile(plot, output) { throw .output(file: plot, reason: "it is the output; give another name") }
  }
}
