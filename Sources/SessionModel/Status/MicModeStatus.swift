/// The requested and the actual mode of the microphone (V12).
public struct MicModeStatus: Codable, Sendable, Equatable {
  /// The one that was asked for.
  public var requested: MicMode
  /// The one that processes the microphone now, heard or not; nil while nothing does.
  public var active: MicMode?
  /// The one that is heard; nil while the microphone is heard as it is, or not at all.
  public var effective: MicMode?
  /// Why the effective one is not the requested one, for people; otherwise nil.
  public var reason: String?
  /// Frames that the mode adds to the capture path's latency; part of `GraphStatus.captureLatency`.
  public var latency: Int
  /// Blocks of 10 ms for which the standard mode was heard, because the isolated voice came too late.
  public var lateBlocks: UInt64
  /// What isolates the voice, "DeepFilterNet 3"; nil while nothing does.
  public var isolator: String?

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
}
