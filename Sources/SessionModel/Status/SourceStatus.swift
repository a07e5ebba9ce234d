/// The program that receives the processed microphone (L5). [any]
package struct SourceStatus: Codable, Sendable, Equatable {
  /// `microphoneInputMediaId`.
  package var mediaId: String
  /// A Boolean value indicating whether it waits for the session to run (S3).
  package var isDeferred: Bool
  /// Cycles lost since registration because the consumer was too slow.
  package var overruns: UInt64
  /// Rate of the voice in the graph, in Hz; 0 before the first cycle.
  package var captureRate: Int
  /// Rate delivered to the program, in Hz; `captureRate` if it is called on the audio thread.
  package var outputRate: Int
  /// A Boolean value indicating whether the rates differ.
  package var isResampling: Bool
  /// A Boolean value indicating whether it has received audio other than silence.
  package var hadAudio: Bool

  package init(
    mediaId: String, isDeferred: Bool = false, overruns: UInt64 = 0, captureRate: Int = 0, outputRate: Int = 0, isResampling: Bool = false,
    hadAudio: Bool = false
  ) {
    self.mediaId = mediaId
    self.isDeferred = isDeferred
    self.overruns = overruns
    self.captureRate = captureRate
    self.outputRate = outputRate
    self.isResampling = isResampling
    self.hadAudio = hadAudio
  }
}
