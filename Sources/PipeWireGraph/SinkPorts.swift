internal import CRealtime
import PipeWireClient
import RealtimeCore

/// Participants' ports by slot, and this cycle's buffers of them.
// Sound: ports are atomic cells; the buffers are the audio thread's alone.
struct SinkPorts: @unchecked Sendable {
  private let slots: Int
  /// Two cells a slot: left, right; 0 where there is no port.
  private let ports: UnsafeMutablePointer<UInt>
  /// Slots in use end before this.
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

  /// [control]
  func set(_ slot: Int, left: UnsafeMutableRawPointer?, right: UnsafeMutableRawPointer?) {
    rt_store_release_pointer(ports + 2 * slot, UInt(bitPattern: left))
    rt_store_release_pointer(ports + 2 * slot + 1, UInt(bitPattern: right))
    if left != nil, UInt(slot) >= rt_load_relaxed_pointer(end) { rt_store_release_pointer(end, UInt(slot) + 1) }
  }

  /// This cycle's buffers; nil where there never was a participant's port. [realtime]
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
