import Foundation
import Testing

@testable import RealtimeCore

@Suite struct SequenceLockedTests {
  /// Values that belong together: each is a multiple of the first. Their bytes are no whole number of words.
  private struct Values: BitwiseCopyable, Sendable {
    var first, second, third, fourth, fifth, sixth, seventh, eighth: UInt64
    var last: UInt16

    init(_ number: UInt64) {
      (first, second, third, fourth) = (number, 2 * number, 3 * number, 4 * number)
      (fifth, sixth, seventh, eighth) = (5 * number, 6 * number, 7 * number, 8 * number)
      last = UInt16(truncatingIfNeeded: number)
    }

    var isWhole: Bool {
      let whole = Values(first)
      return second == whole.second && third == whole.third && fourth == whole.fourth && fifth == whole.fifth && sixth == whole.sixth
        && seventh == whole.seventh && eighth == whole.eighth && last == whole.last
    }
  }

  @Test("V6: what the audio thread measures is read whole and in order, whoever reads it while it is written")
  func whole() {
    let box = SequenceLocked(Values(0)), readers: UInt64 = 3
    var memory = CellBlock()
    let (torn, stale, finished) = (CounterCell(memory.next()), CounterCell(memory.next()), CounterCell(memory.next()))
    for _ in 0..<readers {
      Thread.detachNewThread {
        var last: UInt64 = 0, changes = 0
        while changes < 500 {
          let values = box.snapshot()
          if !values.isWhole { torn.add(1) }
          if values.first < last { stale.add(1) }
          if values.first != last { changes += 1 }
          last = values.first
        }
        finished.add(1)
      }
    }
    var number: UInt64 = 0
    while finished.load() < readers {
      number += 1
      box.draft.pointee = Values(number)
      box.cell.publish()
    }
    #expect(torn.load() == 0)
    #expect(stale.load() == 0)
    #expect(box.snapshot().first == number)
  }

  @Test("V6: before anything was measured, everything is silent or unknown")
  func atFirst() {
    let meters = SequenceLocked(CaptureMeters()).snapshot()
    #expect(meters.erle.known == nil && meters.echoReduction.known == nil && meters.echoDelay.known == nil)
    #expect(meters.voicePeak == 0 && !meters.hasVoice && meters.echoVerdict == .nothingToCancel)
  }
}
