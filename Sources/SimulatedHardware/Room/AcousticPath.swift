internal import CRealtime

/// The air between loudspeaker and microphone: sound played at one position of the graph's clock is heard, convolved with the room's
/// response, at a later one. The two ends are separate nodes without a link, so that the graph has no loop to break.
///
/// `@unchecked Sendable`: one thread writes, one reads, and `written` orders them (release in `play`, acquire in `read`).
final class AcousticPath: @unchecked Sendable {
  /// In frames, a power of two; more than the longest delay and two of the longest quanta.
  private static let capacity = 65_536
  /// Quanta up to this one have the same delay.
  private static let commonQuantum = 1_024

  private let convolver: Convolver
  private let ring: UnsafeMutablePointer<Float>
  private let scratch: UnsafeMutablePointer<Float>
  /// The clock's position up to which the ring is filled.
  private let written: UnsafeMutablePointer<UInt64>

  init(response: RoomResponse) {
    convolver = Convolver(response: response.taps)
    ring = .allocate(capacity: Self.capacity)
    ring.initialize(repeating: 0, count: Self.capacity)
    scratch = .allocate(capacity: Self.capacity)
    scratch.initialize(repeating: 0, count: Self.capacity)
    written = .allocate(capacity: 1)
    written.initialize(to: 0)
  }

  deinit {
    ring.deallocate()
    scratch.deallocate()
    written.deallocate()
  }

  /// The path's delay in frames before the room's response begins: the convolver's block, and a quantum in case the microphone's end runs
  /// first in a cycle. Constant for quanta up to 1,024, like a device's buffers.
  func delay(quantum: Int) -> Int { convolver.latency + max(Self.commonQuantum, quantum) }

  /// Plays `frames` samples at `position`. [realtime]
  func play(_ left: UnsafePointer<Float>?, _ right: UnsafePointer<Float>?, at position: UInt64, frames: Int) {
    var next = written.pointee
    if position < next || position > next &+ UInt64(Self.capacity / 2) {
      // A different clock: audio played on the old one is not heard.
      convolver.reset()
      ring.update(repeating: 0, count: Self.capacity)
      next = position
    }
    if next < position {
      let lost = Int(position - next)
      scratch.update(repeating: 0, count: lost)
      store(at: next, frames: lost)
    }
    for k in 0..<frames { scratch[k] = 0.5 * ((left?[k] ?? 0) + (right?[k] ?? 0)) }
    store(at: position, frames: frames)
    rt_store_release_u64(written, position &+ UInt64(frames))
  }

  /// Convolves `scratch` and stores it in the ring.
  private func store(at position: UInt64, frames: Int) {
    convolver.process(scratch, scratch, frames: frames)
    for k in 0..<frames { ring[Int(position &+ UInt64(k)) & (Self.capacity - 1)] = scratch[k] }
  }

  /// Writes the sound heard at `position` to `output`; silence if nothing was played. [realtime]
  func read(_ output: UnsafeMutablePointer<Float>, at position: UInt64, frames: Int) {
    let end = rt_load_acquire_u64(written)
    let first = position &- UInt64(delay(quantum: frames) - convolver.latency)
    for k in 0..<frames {
      let wanted = first &+ UInt64(k)
      let isThere = wanted < end && end &- wanted <= UInt64(Self.capacity / 2)
      output[k] = isThere ? ring[Int(wanted & UInt64(Self.capacity - 1))] : 0
    }
  }
}
