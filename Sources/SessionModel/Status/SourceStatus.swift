/// The program that takes the processed microphone (L5). [any]
public struct SourceStatus: Codable, Sendable, Equatable {
  /// `microphoneInputMediaId`.
  public var mediaId: String
  /// It waits for the session to run (S3).
  public var isDeferred: Bool
  /// Cycles lost since it was registered, because it did not take its audio in time.
  public var overruns: UInt64
  /// Hz of the voice as it comes from the graph; 0 before the first cycle.
  public var captureRate: Int
  /// Hz of what the program is given; `captureRate` where it is called on the audio thread.
  public var outputRate: Int
  /// The one is converted to the other.
  public var isResampling: Bool
  /// It has been given audio that is not silence.
  public var hadAudio: Bool

  public init(
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
