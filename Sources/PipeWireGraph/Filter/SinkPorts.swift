internal import CRealtime
import PipeWireClient
import RealtimeCore

/// Participants' ports by slot, and their samples in this cycle.
// `@unchecked Sendable`: ports are atomic cells; a slot's memory exists before its first port, and stays; its content belongs to the audio
// thread alone.
struct SinkPorts: @unchecked Sendable {
  private let slots: Int
  /// Two cells per slot: left, right; 0 without a port.
  private let ports: UnsafeMutablePointer<UInt>
  /// Buffers for both channels of a slot, from its first use on.
  private let memory: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  /// One past the last slot in use.
  private let end: UnsafeMutablePointer<UInt>
  private let inputs: UnsafeMutablePointer<StereoInput>

  init(slots: Int) {
    self.slots = slots
    ports = .allocate(capacity: 2 * slots)
    ports.initialize(repeating: 0, count: 2 * slots)
    memory = .allocate(capacity: slots)
    memory.initialize(repeating: nil, count: slots)
    end = .allocate(capacity: 1)
    end.initialize(to: 0)
    inputs = .allocate(capacity: slots)
    inputs.initialize(repeating: StereoInput(left: nil, right: nil), count: slots)
  }

  func deallocate() {
    ports.deallocate()
    for slot in 0..<slots { memory[slot]?.deallocate() }
    memory.deallocate()
    end.deallocate()
    inputs.deallocate()
  }

  /// Sets a slot's ports. [control]
  func set(_ slot: Int, left: UnsafeMutableRawPointer?, right: UnsafeMutableRawPointer?) {
    if left != nil, memory[slot] == nil {
      let room = UnsafeMutablePointer<Float>.allocate(capacity: 2 * CycleProcessor.maximumQuantum)
      room.initialize(repeating: 0, count: 2 * CycleProcessor.maximumQuantum)
      memory[slot] = room
    }
    rt_store_release_pointer(ports + 2 * slot, UInt(bitPattern: left))
    rt_store_release_pointer(ports + 2 * slot + 1, UInt(bitPattern: right))
    if left != nil, UInt(slot) >= rt_load_relaxed_pointer(end) { rt_store_release_pointer(end, UInt(slot) + 1) }
  }

  /// Returns this cycle's samples, at the beginning of the cycle; nil if there never was a participant's port. [realtime]
  @_noLocks @_noAllocation
  func buffers(frames: Int) -> UnsafePointer<StereoInput>? {
    // Pairs with the releases in `set`.
    let count = Int(rt_load_acquire_pointer(end))
    guard count > 0 else { return nil }
    for slot in 0..<count {
      inputs[slot] = StereoInput(left: samples(slot, 0, frames: frames), right: samples(slot, 1, frames: frames))
    }
    return UnsafePointer(inputs)
  }

  @_noLocks @_noAllocation
  private func samples(_ slot: Int, _ channel: Int, frames: Int) -> UnsafePointer<Float>? {
    // Pairs with the releases in `set`, which follow the memory's allocation.
    guard let port = UnsafeMutableRawPointer(bitPattern: rt_load_acquire_pointer(ports + 2 * slot + channel)), let room = memory[slot]
    else { return nil }
    let target = room + channel * CycleProcessor.maximumQuantum
    return copyInput(port, to: target, frames: frames) ? UnsafePointer(target) : nil
  }
}
