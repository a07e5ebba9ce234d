internal import CPipeWire

/// One cycle of the graph, as the audio thread sees it.
package struct Cycle {
  /// The driver's clock at the start of the cycle, in frames.
  package let position: UInt64
  /// CLOCK_MONOTONIC at the start of the cycle, in ns.
  package let nsec: UInt64
  /// The quantum in frames.
  package let frames: Int
  /// Frames per second.
  package let rate: Int
  /// Id of the driver's node.
  package let driver: UInt32

  /// Reads the argument of a `Filter.Process`. [realtime]
  @_noLocks @_noAllocation
  package init(_ cycle: UnsafeRawPointer) {
    let cycle = cycle.assumingMemoryBound(to: npw_cycle.self)
    position = cycle.pointee.position
    nsec = cycle.pointee.nsec
    frames = Int(cycle.pointee.frames)
    rate = Int(cycle.pointee.rate)
    driver = cycle.pointee.driver
  }
}

/// Copies this cycle's samples of a filter's input port, `FilterPort.pointer`, followed by silence if a peer's buffer is shorter. Returns
/// false if the port has no link. Call this once per port and cycle, at the cycle's beginning. [realtime]
///
/// A buffer from one of several links is the peer's memory, which libpipewire 0.3.65 unmaps on the control thread when the link ends, even
/// in mid-cycle. That takes longer than a copy at the cycle's beginning, and less than a cycle.
@_noLocks @_noAllocation
package func copyInput(_ port: UnsafeMutableRawPointer, to target: UnsafeMutablePointer<Float>, frames: Int) -> Bool {
  npw_filter_copy_input(port, target, UInt32(frames))
}

/// Returns this cycle's buffer of a filter's output port, which must be filled completely; nil if the port has no link, or a peer whose
/// buffers are too short. Call this once per port and cycle. [realtime]
@_noLocks @_noAllocation
package func outputBuffer(_ port: UnsafeMutableRawPointer, frames: Int) -> UnsafeMutablePointer<Float>? {
  npw_filter_output_buffer(port, UInt32(frames))
}

/// Returns this cycle's samples of a filter's port whose peers are trusted: an input is to be read, an output to be filled completely; nil
/// if the port has no link. Call this once per port and cycle. [realtime]
@_noLocks @_noAllocation
package func dspBuffer(_ port: UnsafeMutableRawPointer, frames: Int) -> UnsafeMutablePointer<Float>? {
  npw_filter_dsp_buffer(port, UInt32(frames))
}

/// Returns CLOCK_MONOTONIC in ns, without a system call. [realtime]
@_noLocks @_noAllocation
package func cycleNanoseconds() -> UInt64 { npw_now() }
