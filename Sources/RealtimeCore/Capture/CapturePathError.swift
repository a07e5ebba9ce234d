/// Why a capture path cannot be made.
public enum CapturePathError: Error, Equatable, CustomStringConvertible {
  /// The graph's rate is outside 16000…192000 Hz.
  case unsupportedRate(Int)
  /// The largest quantum is outside 1…65536 frames.
  case unsupportedQuantum(Int)
  /// The engine `webrtc` was chosen, and no webrtc-audio-processing that is known is installed.
  case libraryMissing
  /// webrtc-audio-processing failed to start at this rate, or to process a block.
  case libraryRefused(rate: Int)

  public var description: String {
    switch self {
    case .unsupportedRate(let rate):
      "a capture path runs at 16000 to 192000 Hz, not at \(rate) Hz: set the graph's rate (clock.rate) within that range"
    case .unsupportedQuantum(let quantum):
      "a capture path's largest quantum is 1 to 65536 frames, not \(quantum)"
    case .libraryMissing:
      "the echo canceller webrtc takes the library webrtc-audio-processing (2.1, 1.3 or 0.3), and none is there: \(WebRTCLibrary.remedy)"
    case .libraryRefused(let rate):
      "\(CapturePath.library) would not process blocks of 10 ms at \(rate) Hz: set the graph's rate to 48000 Hz, or turn voice processing off"
    }
  }
}
