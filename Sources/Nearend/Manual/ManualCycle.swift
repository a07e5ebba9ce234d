import RealtimeCore

/// A block of two channels, full scale ±1.
public struct StereoBlock: Sendable, Equatable {
  /// The left channel, one sample for each frame.
  public var left: [Float]
  /// The right channel, as long as `left`.
  public var right: [Float]

  /// Creates a block. The cycle that takes it checks that both channels are as long as the microphone's.
  public init(left: [Float], right: [Float]) {
    self.left = left
    self.right = right
  }

  /// Creates a block with the same samples on both sides.
  public init(mono: [Float]) { self.init(left: mono, right: mono) }

  /// Calls `body` with pointers to the channels, valid during the call; nil pointers for a nil block.
  static func withPointers<Value>(to block: StereoBlock?, _ body: (StereoInput) -> Value) -> Value {
    guard let block else { return body(StereoInput(left: nil, right: nil)) }
    return block.left.withUnsafeBufferPointer { left in
      block.right.withUnsafeBufferPointer { right in body(StereoInput(left: left.baseAddress, right: right.baseAddress)) }
    }
  }
}

/// The output of a cycle.
public struct ManualCycle: Sendable, Equatable {
  /// The processed microphone, mono, `ManualRenderer.latency` frames late.
  public var voice: [Float]
  /// The mix after the limiter, with no frame added.
  public var speaker: StereoBlock

  static func silence(frames: Int) -> (voice: [Float], left: [Float], right: [Float]) {
    let silence = [Float](repeating: 0, count: frames)
    return (silence, silence, silence)
  }
}

/// Why a manual renderer cannot be made, or refuses a cycle.
public enum ManualRenderingError: Error, Equatable, CustomStringConvertible {
  case capturePath(CapturePathError)
  /// A number of frames outside `ManualRenderer.quanta`.
  case quantum(Int)
  case blockLength(Int, expected: Int)

  public var description: String {
    switch self {
    case .capturePath(let error): "\(error)"
    case .quantum(let frames):
      "a cycle of \(frames) frames is impossible: give \(ManualRenderer.quanta.lowerBound) to \(ManualRenderer.quanta.upperBound)"
    case .blockLength(let frames, let expected): "a block of \(frames) frames beside a microphone of \(expected): give as many of each"
    }
  }
}
