internal import CRealtime

/// One value shared between threads. It publishes nothing else, so every access is relaxed. [any], [realtime]
///
// Sound as `Sendable`: the pointer never changes, and the memory behind it is accessed atomically only. The owner frees the memory.
struct SharedCell: @unchecked Sendable {
  private let cell: UnsafeMutablePointer<UInt32>

  init(_ cell: UnsafeMutablePointer<UInt32>) { self.cell = cell }

  @_noLocks @_noAllocation func isOn() -> Bool { rt_load_relaxed_u32(cell) != 0 }
  @_noLocks @_noAllocation func count() -> Int { Int(rt_load_relaxed_u32(cell)) }
  @_noLocks @_noAllocation func value() -> Float { Float(bitPattern: rt_load_relaxed_u32(cell)) }

  @_noLocks @_noAllocation func set(_ isOn: Bool) { rt_store_relaxed_u32(cell, isOn ? 1 : 0) }
  @_noLocks @_noAllocation func set(_ value: Float) { rt_store_relaxed_u32(cell, value.bitPattern) }
  @_noLocks @_noAllocation func set(_ count: UInt32) { rt_store_relaxed_u32(cell, count) }
  @_noLocks @_noAllocation func increment() { _ = rt_add_relaxed_u32(cell, 1) }
}
