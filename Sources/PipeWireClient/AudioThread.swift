internal import CPipeWire

/// One cycle of the graph, as the audio thread sees it.
public struct Cycle {
  /// The driver's clock at the start of the cycle, in frames.
  public let position: UInt64
  /// CLOCK_MONOTONIC at the start of the cycle, in ns.
  public let nsec: UInt64
  /// The quantum in frames.
  public let frames: Int
  /// Frames per second.
  public let rate: Int
  /// Id of the driver's node.
  public let driver: UInt32

  /// Reads the argument of a `Filter.Process`. [realtime]
  @_noLocks @_noAllocation
  public init(_ cycle: UnsafeRawPointer) {
    let cycle = cycle.assumingMemoryBound(to: npw_cycle.self)
    position = cycle.pointee.position
    nsec = cycle.pointee.nsec
    frames = Int(cycle.pointee.frames)
    rate = Int(cycle.pointee.rate)
    driver = cycle.pointee.driver
  }
}

/// Returns this cycle's samples of a filter's port, `FilterPort.pointer`: read an input, fill an output completely; nil if the port has no
/// link. Call it once per port and cycle. [realtime]
@_noLocks @_noAllocation
public func dspBuffer(_ port: UnsafeMutableRawPointer, frames: Int) -> UnsafeMutablePointer<Float>? {
  npw_filter_dsp_buffer(port, UInt32(frames))
}

/// Returns CLOCK_MONOTONIC in ns, without a system call. [realtime]
@_noLocks @_noAllocation
public func monotonicNanoseconds() -> UInt64 { npw_now() }

/// Returns CLOCK_MONOTONIC in seconds: the clock that PipeWire and every process share. [any]
public func monotonicSeconds() -> Double { Double(monotonicNanoseconds()) / 1e9 }
