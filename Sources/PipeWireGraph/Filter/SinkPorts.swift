internal import CRealtime
import PipeWireClient
import RealtimeCore

/// Participants' ports by slot, and their samples in this cycle.
// `@unchecked Sendable`: ports are atomic cells; a slot's memory exists before its first port, and stays; its content belongs to the audio
// thread alone.
struct SinkPorts: ~Copyable, @unchecked Sendable {
  private let slots: Int
  /// Two cells per slot: left, right; 0 without a port.
  private let ports: Buffer<UInt>
  /// Buffers for both channels of a slot, from its first use on.
  private let memory: Buffer<UnsafeMutablePointer<Float>?>
  /// One past the last slot in use.
  private let end: Buffer<UInt>
  private let inputs: Buffer<StereoInput>

  init(slots: Int) {
    self.slots = slots
    ports = Buffer(repeating: 0, count: 2 * slots)
    memory = Buffer(repeating: nil, count: slots)
    end = Buffer(repeating: 0, count: 1)
    inputs = Buffer(repeating: StereoInput(left: nil, right: nil), count: slots)
  }

  deinit { for slot in 0..<slots { memory.start[slot]?.deallocate() } }

  /// Sets a slot's ports. [control]
  func set(_ slot: Int, left: UnsafeMutableRawPointer?, right: UnsafeMutableRawPointer?) {
    if left != nil, memory.start[slot] == nil {
      let room = UnsafeMutablePointer<Float>.allocate(capacity: 2 * CycleProcessor.maximumQuantum)
      room.initialize(repeating: 0, count: 2 * CycleProcessor.maximumQuantum)
      memory.start[slot] = room
    }
    rt_store_release_pointer(ports.start + 2 * slot, UInt(bitPattern: left))
    rt_store_release_pointer(ports.start + 2 * slot + 1, UInt(bitPattern: right))
    if left != nil, UInt(slot) >= rt_load_relaxed_pointer(end.start) { rt_store_release_pointer(end.start, UInt(slot) + 1) }
  }

  /// Returns this cycle's samples, at the beginning of the cycle; nil if there never was a participant's port. [realtime]
  @_noLocks @_noAllocation
  func buffers(frames: Int) -> UnsafePointer<StereoInput>? {
    // Pairs with the releases in `set`.
    let count = Int(rt_load_acquire_pointer(end.start))
    guard count > 0 else { return nil }
    for slot in 0..<count {
      inputs.start[slot] = StereoInput(left: samples(slot, 0, frames: frames), right: samples(slot, 1, frames: frames))
    }
    return UnsafePointer(inputs.start)
  }

  @_noLocks @_noAllocation
  private func samples(_ slot: Int, _ channel: Int, frames: Int) -> UnsafePointer<Float>? {
    // Pairs with the releases in `set`, which follow the memory's allocation.
    guard let port = UnsafeMutableRawPointer(bitPattern: rt_load_acquire_pointer(ports.start + 2 * slot + channel)),
      let room = memory.start[slot]
    else { return nil }
    let target = room + channel * CycleProcessor.maximumQuantum
    return copyInput(port, to: target, frames: frames) ? UnsafePointer(target) : nil
  }
}
