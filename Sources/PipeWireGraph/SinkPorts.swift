internal import CRealtime
import PipeWireClient
import RealtimeCore

/// Participants' ports by slot, and their buffers in this cycle.
// Sound: ports are atomic cells; only the audio thread accesses the buffers.
struct SinkPorts: @unchecked Sendable {
  private let slots: Int
  /// Two cells per slot: left, right; 0 without a port.
  private let ports: UnsafeMutablePointer<UInt>
  /// The end of the slots in use.
  private let end: UnsafeMutablePointer<UInt>
  private let inputs: UnsafeMutablePointer<StereoInput>

  init(slots: Int) {
    self.slots = slots
    ports = .allocate(capacity: 2 * slots)
    ports.initialize(repeating: 0, count: 2 * slots)
    end = .allocate(capacity: 1)
    end.initialize(to: 0)
    inputs = .allocate(capacity: slots)
    inputs.initialize(repeating: StereoInput(left: nil, right: nil), count: slots)
  }

  func deallocate() {
    ports.deallocate()
    end.deallocate()
    inputs.deallocate()
  }

  /// Sets a slot's ports. [control]
  func set(_ slot: Int, left: UnsafeMutableRawPointer?, right: UnsafeMutableRawPointer?) {
    rt_store_release_pointer(ports + 2 * slot, UInt(bitPattern: left))
    rt_store_release_pointer(ports + 2 * slot + 1, UInt(bitPattern: right))
    if left != nil, UInt(slot) >= rt_load_relaxed_pointer(end) { rt_store_release_pointer(end, UInt(slot) + 1) }
  }

  /// Returns this cycle's buffers; nil if there never was a participant's port. [realtime]
  @_noLocks @_noAllocation
  func buffers(frames: Int) -> UnsafePointer<StereoInput>? {
    // Pairs with the releases in `set`.
    let count = Int(rt_load_acquire_pointer(end))
    guard count > 0 else { return nil }
    for slot in 0..<count {
      inputs[slot] = StereoInput(left: buffer(2 * slot, frames: frames), right: buffer(2 * slot + 1, frames: frames))
    }
    return UnsafePointer(inputs)
  }

  @_noLocks @_noAllocation
  private func buffer(_ cell: Int, frames: Int) -> UnsafePointer<Float>? {
    guard let port = UnsafeMutableRawPointer(bitPattern: rt_load_acquire_pointer(ports + cell)) else { return nil }
    return UnsafePointer(dspBuffer(port, frames: frames))
  }
}
