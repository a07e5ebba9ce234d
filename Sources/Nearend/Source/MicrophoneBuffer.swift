/// About 10 ms of processed microphone audio. [any]
public struct MicrophoneBuffer: Sendable, Equatable {
  /// Interleaved native-endian samples.
  public var samples: [Int16]
  /// Rate in Hz.
  public var sampleRate: Int
  /// 1, or 2: left and right, or the mono voice on both where there is no stereo.
  public var channels: Int
  /// Frames since the stream was opened that precede this buffer, at `sampleRate`, including those lost to overruns, so that a jump reveals
  /// a loss.
  public var position: UInt64

  /// Creates a buffer of whole frames: `samples` has a multiple of `channels`, which is 1 or 2.
  public init(samples: [Int16], sampleRate: Int, channels: Int, position: UInt64) {
    self.samples = samples
    self.sampleRate = sampleRate
    self.channels = channels
    self.position = position
  }

  /// Samples per channel.
  public var frames: Int { samples.count / channels }
}
