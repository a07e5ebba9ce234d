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
    case .full: "the output's buffer is full; drop what did not fit, or let play(_:) wait for room"
    case .partialFrame(let bytes, let bytesPerFrame): "\(bytes) bytes are no whole number of frames, which have \(bytesPerFrame) each"
    case .ended(let id): "the output of call '\(id)' has ended; join it again, and make another"
    case .cancelled: "the task that waited for room was cancelled"
    }
  }
}
