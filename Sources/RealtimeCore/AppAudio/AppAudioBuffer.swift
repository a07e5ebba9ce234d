/// A buffer of application audio for the outgoing microphone (D4), in any format. [any]
///
///     manager.mixer.capture(appAudio: try AppAudioBuffer(interleaved: samples, sampleRate: 44_100, channelCount: 2))
public struct AppAudioBuffer: Sendable {
  /// Frames per second, `SinkFormat.sampleRates`.
  public let sampleRate: Int
  /// 1 or 2; more channels are mixed down.
  public let channelCount: Int
  /// Interleaved, full scale ±1.
  let samples: [Float]

  /// The largest number of channels of a buffer.
  public static let mostChannels = 64

  /// Samples per channel.
  public var frameCount: Int { samples.count / channelCount }

  /// The interleaved 32-bit floating-point samples, as `SinkFormat.SampleType.float32` has them.
  public func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T { samples.withUnsafeBytes(body) }

  /// Creates a buffer of interleaved samples. Of more than two channels, the odd ones are averaged to the left and the even ones to the
  /// right.
  /// - Parameters:
  ///   - samples: a whole number of frames; full scale for integers, ±1 for floating point. NaN and infinity become silence.
  ///   - sampleRate: frames per second, `SinkFormat.sampleRates`.
  ///   - channelCount: 1–`mostChannels`.
  /// - Throws: `AppAudioError`.
  public init<Sample: AppAudioSample>(interleaved samples: [Sample], sampleRate: Int, channelCount: Int) throws(AppAudioError) {
    try Self.check(rate: sampleRate, channels: channelCount)
    guard samples.count % channelCount == 0 else { throw .partialFrame(samples: samples.count, channels: channelCount) }
    self.init(sampleRate: sampleRate, channels: channelCount, frames: samples.count / channelCount) { frame, channel in
      samples[frame * channelCount + channel].amplitude
    }
  }

  /// Creates a buffer from one list of samples per channel, all of the same length; otherwise as
  /// `init(interleaved:sampleRate:channelCount:)`.
  /// - Throws: `AppAudioError`.
  public init<Sample: AppAudioSample>(planar channels: [[Sample]], sampleRate: Int) throws(AppAudioError) {
    try Self.check(rate: sampleRate, channels: channels.count)
    guard channels.allSatisfy({ $0.count == channels[0].count }) else { throw .unequalChannels }
    self.init(sampleRate: sampleRate, channels: channels.count, frames: channels[0].count) { channels[$1][$0].amplitude }
  }

  private init(sampleRate: Int, channels: Int, frames: Int, _ amplitude: (_ frame: Int, _ channel: Int) -> Float) {
    let sides = min(channels, 2)
    // Number of channels averaged into each side.
    let counts = (0..<sides).map { (channels - $0 + sides - 1) / sides }
    samples = [Float](unsafeUninitializedCapacity: frames * sides) { buffer, count in
      for frame in 0..<frames {
        for side in 0..<sides {
          var sum: Float = 0
          for channel in stride(from: side, to: channels, by: sides) { sum += amplitude(frame, channel) }
          buffer.initializeElement(at: frame * sides + side, to: sum / Float(counts[side]))
        }
      }
      count = frames * sides
    }
    self.sampleRate = sampleRate
    channelCount = sides
  }

  private static func check(rate: Int, channels: Int) throws(AppAudioError) {
    guard SinkFormat.sampleRates.contains(rate) else { throw .impossibleSampleRate(rate) }
    guard (1...mostChannels).contains(channels) else { throw .impossibleChannelCount(channels) }
  }
}

/// A sample type of application audio: Int16, Int32, Float, Double.
public protocol AppAudioSample: Sendable {
  /// The value at full scale ±1.
  var amplitude: Float { get }
}

extension Int16: AppAudioSample { public var amplitude: Float { Float(self) * (1 / 32_768) } }
extension Int32: AppAudioSample { public var amplitude: Float { Float(Double(self) * (1 / 2_147_483_648)) } }
extension Float: AppAudioSample { public var amplitude: Float { isFinite ? self : 0 } }
extension Double: AppAudioSample { public var amplitude: Float { Float(self).amplitude } }

/// Why a buffer of application audio is invalid (D4).
public enum AppAudioError: Error, Sendable, Equatable, CustomStringConvertible {
  case impossibleSampleRate(Int)
  case impossibleChannelCount(Int)
  case partialFrame(samples: Int, channels: Int)
  case unequalChannels

  public var description: String {
    switch self {
    case .impossibleSampleRate(let rate): SinkError.impossibleSampleRate(rate).description
    case .impossibleChannelCount(let count): "\(count) channels are impossible; give 1 to \(AppAudioBuffer.mostChannels)"
    case .partialFrame(let samples, let channels):
      "\(samples) samples are no whole number of frames of \(channels) channels; give as many of each channel"
    case .unequalChannels: "the channels are of different lengths; give as many samples of each"
    }
  }
}
