internal import CRealtime
import PipeWireClient
import RealtimeCore

/// The ports of a microphone's channels, where it has several, and their samples in this cycle (V15).
// `@unchecked Sendable`: ports are atomic cells; a channel's memory exists before its port, and stays; its content belongs to the audio
// thread alone.
struct ChannelPorts: ~Copyable, @unchecked Sendable {
  /// By channel; 0 without a port.
  private let ports: Buffer<UInt>
  private let memory: Buffer<UnsafeMutablePointer<Float>?>
  /// Channels that have a port.
  private let end: Buffer<UInt>
  private let inputs: Buffer<UnsafePointer<Float>?>

  init() {
    ports = Buffer(repeating: 0, count: MicrophoneChannels.most)
    memory = Buffer(repeating: nil, count: MicrophoneChannels.most)
    end = Buffer(repeating: 0, count: 1)
    inputs = Buffer(repeating: nil, count: MicrophoneChannels.most)
  }

  deinit { for channel in 0..<MicrophoneChannels.most { memory.start[channel]?.deallocate() } }

  /// Adds the next channel's port, which stays. [control]
  func add(_ port: UnsafeMutableRawPointer) {
    let channel = Int(rt_load_relaxed_pointer(end.start))
    guard channel < MicrophoneChannels.most else { return }
    let room = UnsafeMutablePointer<Float>.allocate(capacity: CycleProcessor.maximumQuantum)
    room.initialize(repeating: 0, count: CycleProcessor.maximumQuantum)
    memory.start[channel] = room
    ports.start[channel] = UInt(bitPattern: port)
    rt_store_release_pointer(end.start, UInt(channel) + 1)
  }

  /// Passes this cycle's samples on, at the beginning of the cycle. [realtime]
  @_noLocks @_noAllocation
  func read(into buffers: inout CycleBuffers, frames: Int) {
    // Pairs with the release in `add`.
    let count = Int(rt_load_acquire_pointer(end.start))
    if count == 0 { return }
    for channel in 0..<count { inputs.start[channel] = samples(channel, frames: frames) }
    (buffers.microphones, buffers.microphoneCount) = (UnsafePointer(inputs.start), count)
  }

  @_noLocks @_noAllocation
  private func samples(_ channel: Int, frames: Int) -> UnsafePointer<Float>? {
    guard let port = UnsafeMutableRawPointer(bitPattern: ports.start[channel]), let room = memory.start[channel] else { return nil }
    return copyInput(port, to: room, frames: frames) ? UnsafePointer(room) : nil
  }
}
