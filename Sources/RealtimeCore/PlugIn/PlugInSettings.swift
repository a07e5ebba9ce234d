/// The settings of a plug-in's stage, for the thread that runs it: one cell per control input.
// `@unchecked Sendable`: cells are atomic; the memory belongs to `PlugInSettings`.
struct PlugInValues: @unchecked Sendable {
  fileprivate let cells: UnsafePointer<DoubleCell>
  let count: Int

  subscript(index: Int) -> Double {
    @_noLocks @_noAllocation get { cells[index].load() }
  }
}

/// Owns the settings of a plug-in's stage. Instances retain it: one that hangs may read it after its stage has gone. [control]
// `@unchecked Sendable`: immutable but for atomic cells.
final class PlugInSettings: @unchecked Sendable {
  let values: PlugInValues
  private let memory: CellBlock
  private let cells: Buffer<DoubleCell>

  init(_ values: [Double]) {
    var memory = CellBlock()
    cells = Buffer(values.map { DoubleCell(memory.next(), $0) })
    self.memory = memory
    self.values = PlugInValues(cells: cells.start, count: values.count)
  }

  /// By port, in the description's order.
  subscript(index: Int) -> Double {
    get { values[index] }
    set { values.cells[index].store(newValue) }
  }
}
