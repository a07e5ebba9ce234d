/// The layout of a ring sink's PCM: interleaved, native-endian, Int16 by default.
package struct SinkFormat: Sendable, Equatable {
  /// Frames per second, 8000…192000.
  package let sampleRate: Int
  /// 1 (played on both speakers) or 2 (left, right).
  package let channelCount: Int
  /// The type of each sample; 16 bit by default.
  package let sampleType: SampleType

  /// The type of a sample. `rawValue` is its name on the control socket.
  package enum SampleType: String, Sendable, CaseIterable {
    case int16 = "s16"
    /// Full scale ±1; the limiter handles samples beyond it.
    case float32 = "f32"

    /// Size of a sample in bytes.
    package var bytes: Int { self == .int16 ? 2 : 4 }
  }

  /// Allowed frames per second (K1).
  package static let sampleRates = 8_000...192_000
  /// Allowed channel counts (K1).
  package static let channelCounts = 1...2

  /// Throws `SinkError.impossibleSampleRate` or `.impossibleChannelCount` outside the ranges above (K1). [any]
  package init(sampleRate: Int, channelCount: Int, sampleType: SampleType = .int16) throws(SinkError) {
    guard Self.sampleRates.contains(sampleRate) else { throw .impossibleSampleRate(sampleRate) }
    guard Self.channelCounts.contains(channelCount) else { throw .impossibleChannelCount(channelCount) }
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.sampleType = sampleType
  }

  /// Bytes of one frame.
  package var bytesPerFrame: Int { channelCount * sampleType.bytes }
}

/// Why a sink could not be made or registered (K1).
package enum SinkError: Error, Equatable, CustomStringConvertible {
  case impossibleSampleRate(Int)
  case impossibleChannelCount(Int)
  /// The size in bytes.
  case impossibleBufferSize(Int, minimum: Int)
  /// An id that no device can have, with the reason.
  case impossibleId(String, reason: String)
  case alreadyRegistered(id: String)
  /// The session refused.
  case refused(id: String, reason: String)
  /// The session is ending; the next one will accept.
  case sessionEnds(id: String, reason: String)
  case tooManySinks(limit: Int)

  package var description: String {
    switch self {
    case .impossibleSampleRate(let rate):
      "sample rate \(rate) Hz is impossible; give one from \(SinkFormat.sampleRates.lowerBound) to \(SinkFormat.sampleRates.upperBound)"
    case .impossibleChannelCount(let count): "\(count) channels are impossible; give 1 or 2"
    case .impossibleBufferSize(let size, let minimum):
      "a buffer of \(size) bytes is impossible; give at least \(minimum) and at most \(RingSink.maximumCapacityBytes) (200 ms is a good size)"
    case .impossibleId(let id, let reason): "invalid sink id '\(id)': \(reason)"
    case .alreadyRegistered(let id): "sink '\(id)' is already registered; unregister it first or choose another id"
    case .refused(let id, let reason), .sessionEnds(let id, let reason): "sink '\(id)' cannot be registered: \(reason)"
    case .tooManySinks(let limit): "\(limit) sinks are registered, which is the limit; unregister one first"
    }
  }
}
