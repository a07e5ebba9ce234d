internal import CRealtime
internal import Platform

/// A set of values that one thread replaces, and any thread reads whole: never half of one and half of another. The writer never waits; a
/// reader that meets it reads again.
// `@unchecked Sendable`: what is published is accessed atomically only, and the draft by the one writer.
package final class SequenceLocked<Value: BitwiseCopyable & Sendable>: @unchecked Sendable {
  /// What the writer publishes next; it is the writer's alone. [realtime]
  let draft: UnsafeMutablePointer<Value>
  /// Publishes the draft.
  let cell: SequenceCell
  private let memory: CacheLines
  private let initial: Value

  /// Allocates everything, and publishes `value`. [control]
  package init(_ value: Value) {
    let byteCount = SequenceCell.wholeWords(MemoryLayout<Value>.size)
    memory = CacheLines(byteCount: SequenceCell.memory(byteCount))
    cell = SequenceCell(memory.start, byteCount: byteCount)
    draft = cell.draft.bindMemory(to: Value.self, capacity: 1)
    draft.initialize(to: value)
    initial = value
    cell.publish()
  }

  /// Returns what was published last. [any]
  package func snapshot() -> Value {
    // Assigned in the closure, whose result would cost a search for the metadata of `Result` with it.
    var value = initial
    withUnsafeTemporaryAllocation(byteCount: cell.byteCount, alignment: MemoryLayout<UInt64>.alignment) { bytes in
      let copy = bytes.baseAddress!
      while !cell.read(into: copy) {
        // The writer was interrupted in the middle, which takes it long.
        pause(seconds: 1e-5)
      }
      value = copy.load(as: Value.self)
    }
    return value
  }
}

/// A view of the memory of a `SequenceLocked`, without its type: the published words, and the writer's draft of them.
// `@unchecked Sendable`: the words are accessed atomically only, and the draft by the one writer.
struct SequenceCell: @unchecked Sendable {
  /// In whole words.
  let byteCount: Int
  let draft: UnsafeMutableRawPointer
  private let sequence, words: UnsafeMutablePointer<UInt64>

  /// - Parameters:
  ///   - start: `memory(byteCount)` bytes.
  ///   - byteCount: of whole words.
  fileprivate init(_ start: UnsafeMutableRawPointer, byteCount: Int) {
    (draft, self.byteCount) = (start, byteCount)
    sequence = (start + Self.room(byteCount)).bindMemory(to: UInt64.self, capacity: byteCount / 8 + 1)
    words = sequence + 1
  }

  fileprivate static func wholeWords(_ byteCount: Int) -> Int { (byteCount + 7) / 8 * 8 }

  /// Bytes of the draft: it, and what readers look at, do not share a cache line.
  private static func room(_ byteCount: Int) -> Int { (byteCount + CacheLines.line - 1) / CacheLines.line * CacheLines.line }

  fileprivate static func memory(_ byteCount: Int) -> Int { 2 * room(byteCount) + CacheLines.line }

  /// Lets readers see the draft. [realtime]
  @_noLocks @_noAllocation
  func publish() { rt_sequence_publish(sequence, words, draft, byteCount / 8) }

  /// Copies what is published. Returns false if it is being replaced now; the copy is worthless then.
  fileprivate func read(into copy: UnsafeMutableRawPointer) -> Bool { rt_sequence_read(sequence, words, copy, byteCount / 8) }
}
