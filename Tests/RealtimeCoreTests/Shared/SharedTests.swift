import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

@Suite struct SharedTests {
  @Test("L8: a mailbox hands each object over once, and back once")
  func mailbox() {
    var memory = CellBlock()
    let mailbox = Mailbox(&memory)
    let objects = (0..<4).map { _ in UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1) }
    defer { for object in objects { object.deallocate() } }
    #expect(mailbox.take(returning: nil) == nil)
    #expect(mailbox.post(objects[0]) == nil)
    #expect(mailbox.post(objects[1]) == objects[0], "one that was never taken comes back")
    #expect(mailbox.take(returning: nil) == objects[1])
    #expect(mailbox.collect() == nil)
    mailbox.post(objects[2])
    #expect(mailbox.take(returning: objects[1]) == objects[2])
    mailbox.post(objects[3])
    #expect(mailbox.take(returning: objects[2]) == nil, "not before the old one is collected")
    #expect(mailbox.collect() == objects[1])
    #expect(mailbox.collect() == nil)
    #expect(mailbox.take(returning: objects[2]) == objects[3])
    #expect(!mailbox.giveBack(objects[3]), "not before the old one is collected, either")
    #expect(mailbox.collect() == objects[2])
    #expect(mailbox.post(nil) == nil)
    withExtendedLifetime(memory) {}
  }

  @Test("L8: a ticket is over at once where no cycle runs, and after the cycle where one does")
  func cycleGuard() {
    var block = CellBlock()
    let guarding = CycleGuard(block.next())
    #expect(guarding.isOver(guarding.ticket()))
    guarding.enter()
    let ticket = guarding.ticket()
    #expect(!guarding.isOver(ticket))
    #expect(guarding.cycles == 1)
    guarding.leave()
    #expect(guarding.isOver(ticket))
    guarding.enter()
    #expect(guarding.isOver(ticket))
    #expect(guarding.cycles == 2)
  }

  @Test("K2: the FIFO wraps at any capacity and keeps order", arguments: [1, 7, 64, 1_000])
  func wraps(capacity: Int) {
    let ring = FrameRing(capacity: capacity, bytesPerFrame: 2), fifo = ring.fifo
    var next: Int16 = 0
    var expected: Int16 = 0
    var dice = SeededGenerator(seed: 5)
    for _ in 0..<500 {
      let count = Int.random(in: 0...capacity + 1, using: &dice)
      let free = capacity - fifo.count
      let chunk = (0..<count).map { next &+ Int16($0) }
      let fits = chunk.withUnsafeBytes { bytes in count == 0 || fifo.write(bytes.baseAddress!, frames: count) }
      #expect(fits == (count <= free))
      if fits { next &+= Int16(count) }
      var out = [Int16](repeating: 0, count: capacity)
      let got = out.withUnsafeMutableBytes { fifo.read(into: $0.baseAddress!, frames: Int.random(in: 0...capacity, using: &dice)) }
      #expect(Array(out[0..<got]) == (0..<got).map { expected &+ Int16($0) })
      expected &+= Int16(got)
    }
    withExtendedLifetime(ring) {}
  }
}
