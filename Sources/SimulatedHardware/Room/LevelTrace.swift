internal import CRealtime

/// The energy of a signal in windows of 10 ms, by the graph's clock: written on the audio thread, read on other threads a little later.
///
/// `@unchecked Sendable`: each slot's tag is stored (release) after its energy, and read (acquire) before and after it.
final class LevelTrace: @unchecked Sendable {
  private static let capacity: UInt64 = 1_024

  private let tags: UnsafeMutablePointer<UInt64>
  private let energies: UnsafeMutablePointer<UInt32>
  private let window: UInt64
  private var current: UInt64 = 0
  private var sum: Float = 0
  private var count: UInt64 = 0

  /// - Parameter rate: frames per second.
  init(rate: Int) {
    window = UInt64(rate / 100)
    tags = .allocate(capacity: Int(Self.capacity))
    tags.initialize(repeating: .max, count: Int(Self.capacity))
    energies = .allocate(capacity: Int(Self.capacity))
    energies.initialize(repeating: 0, count: Int(Self.capacity))
  }

  deinit {
    tags.deallocate()
    energies.deallocate()
  }

  /// Adds the signal from `position` on. Incomplete windows are omitted. [realtime]
  func add(_ samples: UnsafePointer<Float>, at position: UInt64, frames: Int) {
    var done = 0
    while done < frames {
      let here = position &+ UInt64(done)
      let index = here / window
      if index != current { (current, sum, count) = (index, 0, 0) }
      let part = min(frames - done, Int(window - here % window))
      for k in done..<(done + part) { sum += samples[k] * samples[k] }
      count += UInt64(part)
      done += part
      guard here % window + UInt64(part) == window, count == window else { continue }
      let slot = Int(index % Self.capacity)
      rt_store_release_u64(tags + slot, .max)
      rt_store_relaxed_u32(energies + slot, (sum / Float(window)).bitPattern)
      rt_store_release_u64(tags + slot, index)
    }
  }

  /// Returns the mean square of window `index` (position divided by 10 ms); nil if it is not available. [any]
  func power(_ index: UInt64) -> Double? {
    let slot = Int(index % Self.capacity)
    guard rt_load_acquire_u64(tags + slot) == index else { return nil }
    let energy = Float(bitPattern: rt_load_acquire_u32(energies + slot))
    return rt_load_acquire_u64(tags + slot) == index ? Double(energy) : nil
  }
}
