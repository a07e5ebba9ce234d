internal import CRealtime

/// Memory for atomic cells: each on its own cache line, so that threads contend only for cells that they share.
// `@unchecked Sendable`: the memory is accessed through its cells only.
package struct CellBlock: ~Copyable, @unchecked Sendable {
  private static let stride = 64
  /// Cells that are allocated at once.
  private static let pieceCount = 8
  private var pieces: [UnsafeMutableRawPointer] = []
  private var used = 0

  /// Creates a block without cells. [control]
  package init() {}

  deinit { for piece in pieces { piece.deallocate() } }

  /// Returns another cell, zero. The block must outlive it. [control]
  mutating func next() -> UnsafeMutablePointer<UInt64> {
    if used == pieces.count * Self.pieceCount {
      let piece = UnsafeMutableRawPointer.allocate(byteCount: Self.pieceCount * Self.stride, alignment: Self.stride)
      piece.initializeMemory(as: UInt8.self, repeating: 0, count: Self.pieceCount * Self.stride)
      pieces.append(piece)
    }
    defer { used += 1 }
    return (pieces[used / Self.pieceCount] + used % Self.pieceCount * Self.stride).bindMemory(to: UInt64.self, capacity: 1)
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

/// An atomic Boolean value: a switch or state on its own (relaxed). [any]
struct FlagCell: Sendable {
  private let cell: CounterCell

  init(_ cell: UnsafeMutablePointer<UInt64>, _ value: Bool = false) {
    self.cell = CounterCell(cell)
    store(value)
  }

  @_noLocks @_noAllocation
  func load() -> Bool { cell.load() != 0 }
  @_noLocks @_noAllocation
  func store(_ value: Bool) { cell.store(value ? 1 : 0) }
}

/// An atomic single-precision number: a sample, gain or level on its own (relaxed). [any]
struct FloatCell: Sendable {
  private let cell: CounterCell

  init(_ cell: UnsafeMutablePointer<UInt64>, _ value: Float = 0) {
    self.cell = CounterCell(cell)
    store(value)
  }

  @_noLocks @_noAllocation
  func load() -> Float { Float(bitPattern: UInt32(truncatingIfNeeded: cell.load())) }
  @_noLocks @_noAllocation
  func store(_ value: Float) { cell.store(UInt64(value.bitPattern)) }
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

/// A sink's phase (relaxed). [any]
struct StateCell: Sendable {
  private let cell: CounterCell

  init(_ cell: UnsafeMutablePointer<UInt64>) { self.cell = CounterCell(cell) }

  @_noLocks @_noAllocation
  func load() -> SinkStatus.State { unsafeBitCast(UInt8(truncatingIfNeeded: cell.load()), to: SinkStatus.State.self) }
  @_noLocks @_noAllocation
  func store(_ state: SinkStatus.State) { cell.store(UInt64(unsafeBitCast(state, to: UInt8.self))) }
}

/// The gain and mute switch of a participant or of a whole mix (K7). [any]
struct VolumeCells: Sendable {
  private let gainCell: FloatCell
  let isMuted: FlagCell

  init(_ block: inout CellBlock) {
    gainCell = FloatCell(block.next(), 1)
    isMuted = FlagCell(block.next())
  }

  /// The linear gain, clamped to `RingSink.gains`; NaN is ignored.
  var gain: Float {
    get { gainCell.load() }
    nonmutating set { if !newValue.isNaN { gainCell.store(min(max(newValue, RingSink.gains.lowerBound), RingSink.gains.upperBound)) } }
  }

  /// The linear gain to play with now: 0 while muted. [realtime]
  var effectiveGain: Float {
    @_noLocks @_noAllocation get { isMuted.load() ? 0 : gainCell.load() }
  }
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
