/// The program that receives the processed microphone (L5). [any]
public struct SourceStatus: Codable, Sendable, Equatable {
  /// `microphoneInputMediaId`.
  public var mediaId: String
  /// A Boolean value indicating whether it waits for the session to run (S3).
  public var isDeferred: Bool
  /// Cycles lost since registration because the consumer was too slow.
  public var overruns: UInt64
  /// Rate of the voice in the graph, in Hz; 0 before the first cycle.
  public var captureRate: Int
  /// Rate delivered to the program, in Hz; `captureRate` if it is called on the audio thread.
  public var outputRate: Int
  /// A Boolean value indicating whether the rates differ.
  public var isResampling: Bool
  /// A Boolean value indicating whether it has received audio other than silence.
  public var hadAudio: Bool

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
