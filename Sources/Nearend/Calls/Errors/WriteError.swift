/// Why audio was not written. [any]
public enum WriteError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The buffer is full: the audio is dropped whole, and counted, because in a call a gap is better than lag.
  case full
  /// Not a whole number of frames.
  case partialFrame(bytes: Int, bytesPerFrame: Int)
  /// The output or its call has ended.
  case ended(id: String)
  /// The task that waited for room was cancelled.
  case cancelled

  public var description: String {
    switch self {
    case .full: "the output's buffer is full; drop the audio that did not fit, or use play(_:), which waits for room"
    case .partialFrame(let bytes, let bytesPerFrame): "\(bytes) bytes are not a multiple of the frame size, \(bytesPerFrame) bytes"
    case .ended(let id): "output '\(id)' has ended; make another, in a call that has not ended"
    case .cancelled: "the task that waited for room was cancelled"
    }
  }
}
