/// The requested and the actual mode of the microphone (V12).
package struct MicModeStatus: Codable, Sendable, Equatable {
  /// The requested mode.
  package var requested: MicMode
  /// The mode that processes the microphone now, heard or not; nil if none does.
  package var active: MicMode?
  /// The mode that is heard; nil while the raw microphone is heard, or nothing.
  package var effective: MicMode?
  /// Why the effective mode is not the requested one, for people, in words that do not name the mode; nil if it is.
  package var reason: String?
  /// Frames that the mode adds to the capture path's latency; part of `GraphStatus.captureLatency`.
  package var latency: Int
  /// Blocks of 10 ms replaced by the standard mode, because the isolated voice came too late.
  package var lateBlocks: UInt64
  /// The name of the isolator, "DeepFilterNet 3"; nil while there is none.
  package var isolator: String?

  package init(
    requested: MicMode = .standard, active: MicMode? = .standard, effective: MicMode? = .standard, reason: String? = nil, latency: Int = 0,
    lateBlocks: UInt64 = 0, isolator: String? = nil
  ) {
    self.requested = requested
    self.active = active
    self.effective = effective
    self.reason = reason
    self.latency = latency
    self.lateBlocks = lateBlocks
    self.isolator = isolator
  }

  /// The requested mode, what prevents it, and the late blocks of isolation, in words. Late blocks are reported in the other modes, too.
  package var words: String {
    let blocks = "\(lateBlocks)\(requested == .voiceIsolation ? "" : " isolated") block\(lateBlocks == 1 ? "" : "s") late"
    let late = lateBlocks > 0 ? ", \(blocks)\(requested == .voiceIsolation ? "" : " before")" : ""
    guard effective != requested, let reason else { return requested.words + late }
    return "\(requested.words), not heard: \(reason)\(late)"
  }
}
