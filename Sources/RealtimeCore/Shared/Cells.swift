internal import CRealtime

/// Memory for atomic cells: each on its own cache line, so that threads contend only for cells that they share.
struct CellBlock: ~Copyable {
  private static let stride = 64
  private let base: UnsafeMutableRawPointer
  private let count: Int
  private var used = 0

  /// Allocates `count` cells, all zero. [control]
  init(count: Int) {
    self.count = count
    base = .allocate(byteCount: count * Self.stride, alignment: Self.stride)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: count * Self.stride)
  }

  deinit { base.deallocate() }

  /// Returns the next unused cell. The block must outlive it. [control]
  mutating func next() -> UnsafeMutablePointer<UInt64> {
    precondition(used < count, "CellBlock: all \(count) cells are in use; make the block larger")
    defer { used += 1 }
    return (base + used * Self.stride).bindMemory(to: UInt64.self, capacity: 1)
  }
}

/// An atomic 64-bit number: a count, a position, a flag. [any]
// `@unchecked Sendable`: the cell is accessed atomically only.
struct CounterCell: @unchecked Sendable {
  private let cell: UnsafeMutablePointer<UInt64>

  init(_ cell: UnsafeMutablePointer<UInt64>) { self.cell = cell }

  @_noLocks @_noAllocation
  func load() -> UInt64 { rt_load_relaxed_u64(cell) }
  @_noLocks @_noAllocation
  func store(_ value: UInt64) { rt_store_relaxed_u64(cell, value) }
  @_noLocks @_noAllocation
  func add(_ value: UInt64) { _ = rt_add_relaxed_u64(cell, value) }
  /// Pairs with `storeRelease` or `exchange` on the other thread.
  @_noLocks @_noAllocation
  func loadAcquire() -> UInt64 { rt_load_acquire_u64(cell) }
  /// Pairs with `loadAcquire` or `exchange` on the other thread.
  @_noLocks @_noAllocation
  func storeRelease(_ value: UInt64) { rt_store_release_u64(cell, value) }
  /// Acquires and releases.
  @_noLocks @_noAllocation
  func exchange(_ value: UInt64) -> UInt64 { rt_exchange_u64(cell, value) }
  @_noLocks @_noAllocation
  func loadSequential() -> UInt64 { rt_load_sequential_u64(cell) }
  @_noLocks @_noAllocation
  func storeSequential(_ value: UInt64) { rt_store_sequential_u64(cell, value) }
}

/// An atomic floating-point number: a parameter or reading on its own (relaxed). [any]
// `@unchecked Sendable`: the cell is accessed atomically only.
struct DoubleCell: @unchecked Sendable {
  private let cell: UnsafeMutablePointer<UInt64>

  init(_ cell: UnsafeMutablePointer<UInt64>, _ value: Double = 0) {
    self.cell = cell
    store(value)
  }

  @_noLocks @_noAllocation
  func load() -> Double { Double(bitPattern: rt_load_relaxed_u64(cell)) }
  @_noLocks @_noAllocation
  func store(_ value: Double) { rt_store_relaxed_u64(cell, value.bitPattern) }
}

/// An atomic RTP SSRC, or none (K8). Any number is valid, including 0. [any]
struct SSRCCell: Sendable {
  private let cell: CounterCell

  init(_ cell: UnsafeMutablePointer<UInt64>) { self.cell = CounterCell(cell) }

  func load() -> UInt32? {
    let value = cell.load()
    return value == 0 ? nil : UInt32(truncatingIfNeeded: value)
  }
  func store(_ ssrc: UInt32?) { cell.store(ssrc.map { UInt64($0) | 1 << 32 } ?? 0) }
}
