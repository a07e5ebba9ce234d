import Nearend
import SessionModel

/// What `OfflineProcessor` reads, how it processes and what it writes.
public struct OfflineOptions: Sendable {
  /// The raw microphone.
  public var microphone: String
  /// What the far end sent, to be played by the speaker that the microphone hears; nil is silence.
  public var farEnd: String?
  /// Where the voice goes, a mono WAV file at the microphone's rate.
  public var output: String
  /// Where levels, ERLE and delay over time go, a PNG; nil draws none.
  public var plot: String?
  /// Frames of a cycle, 32–8192; nil is 10 ms.
  public var quantum: Int?
  /// What is not as it is by default.
  public var settings: [Setting: EventValue] = [:]
  /// Leaves the voice as late as it is live, and is longer by that.
  public var keepsDelay = false
  /// Of the output; nil is the microphone's.
  public var sampleType: SampleType?

  public init(microphone: String, farEnd: String? = nil, output: String) {
    self.microphone = microphone
    self.farEnd = farEnd
    self.output = output
  }

  /// Throws `OfflineError.options` or `.output` for what is wrong before any file is looked into.
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
