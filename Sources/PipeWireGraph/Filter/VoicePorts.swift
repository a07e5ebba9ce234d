internal import CRealtime
import PipeWireClient
import RealtimeCore

/// The two ports of a voice in stereo, beside the one of a mono voice (V16).
// `@unchecked Sendable`: ports are atomic cells.
struct VoicePorts: ~Copyable, @unchecked Sendable {
  /// Left, right; 0 without ports.
  private let ports: Buffer<UInt>

  init() { ports = Buffer(repeating: 0, count: 2) }

  /// Sets both, which stay. [control]
  func set(left: UnsafeMutableRawPointer, right: UnsafeMutableRawPointer) {
    rt_store_release_pointer(ports.start, UInt(bitPattern: left))
    rt_store_release_pointer(ports.start + 1, UInt(bitPattern: right))
  }

  /// Gives the cycle the buffers of those that are linked. `mono`: that of the port of a mono voice. [realtime]
  @_noLocks @_noAllocation
  func begin(_ buffers: inout CycleBuffers, mono: UnsafeMutablePointer<Float>?, frames: Int) {
    buffers.voice = mono
    // Pairs with the releases in `set`.
    guard let left = UnsafeMutableRawPointer(bitPattern: rt_load_acquire_pointer(ports.start)),
      let right = UnsafeMutableRawPointer(bitPattern: rt_load_acquire_pointer(ports.start + 1))
    else { return }
    if let left = outputBuffer(left, frames: frames) { buffers.voice = left }
    buffers.voiceRight = outputBuffer(right, frames: frames)
  }

  /// Gives the port of a mono voice the mean of both sides, if something is linked there, too. [realtime]
  @_noLocks @_noAllocation
  func end(_ buffers: UnsafePointer<CycleBuffers>, mono: UnsafeMutablePointer<Float>?, frames: Int) {
    guard let mono, let left = buffers.pointee.voice else { return }
    if let right = buffers.pointee.voiceRight {
      for i in 0..<frames { mono[i] = 0.5 * (left[i] + right[i]) }
    } else if left != mono {
      for i in 0..<frames { mono[i] = left[i] }
    }
  }
}
