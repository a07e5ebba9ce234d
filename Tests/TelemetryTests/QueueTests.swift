import Foundation
import SessionModel
import Testing

@testable import Nearend

@Suite("Telemetry's queue")
struct QueueTests {
  private static func line(_ number: Int) -> Data { Data("\(number)".utf8) }

  private static func queue(capacity: Int = 10, bytes: Int = 1_000, batch: Int = 3) -> TelemetryQueue {
    TelemetryQueue(name: "test", limits: .init(capacity: capacity, bytes: bytes, batch: batch, backOff: 1...60))
  }

  @Test("T3: lines are sent in order, several at once, and then it sleeps until something is added")
  func order() {
    var queue = Self.queue()
    #expect(queue.next(at: 0) == .wait(nil))
    for number in 0..<5 { queue.add(Self.line(number)) }
    #expect(queue.next(at: 0) == .deliver((0..<3).map(Self.line)))
    #expect(queue.status.queued == 5)
    #expect(queue.finish(failure: nil, isRejected: false, at: 0) == nil)
    #expect(queue.next(at: 0) == .deliver((3..<5).map(Self.line)))
    #expect(queue.finish(failure: nil, isRejected: false, at: 0) == nil)
    #expect(queue.next(at: 0) == .wait(nil))
    #expect(queue.status == TelemetryOutletStatus(name: "test", delivered: 5))
  }

  @Test("T3: a destination that is down is retried after 1, 2, 4 … 60 s; the oldest are dropped and counted, the rest is sent later")
  func down() {
    var queue = Self.queue(capacity: 4)
    queue.add(Self.line(0))
    var (now, waits, remarks) = (0.0, [Double](), [String]())
    for _ in 0..<9 {
      guard case .deliver = queue.next(at: now) else { break }
      if let remark = queue.finish(failure: "down", isRejected: false, at: now) { remarks.append(remark) }
      guard case .wait(let wait?) = queue.next(at: now) else { break }
      waits.append(wait)
      #expect(queue.next(at: now + wait - 0.001) != .deliver([Self.line(0)]), "not before")
      now += wait
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    #expect(remarks == ["telemetry (test) fails: down; retrying with backoff"], "told once")
    for number in 1..<10 { queue.add(Self.line(number)) }
    #expect(queue.status == TelemetryOutletStatus(name: "test", queued: 4, dropped: 6, failure: "down"))
    #expect(queue.next(at: now) == .deliver((6..<9).map(Self.line)))
    #expect(queue.finish(failure: nil, isRejected: false, at: now) == "telemetry (test) works again")
    #expect(queue.next(at: now) == .deliver([Self.line(9)]))
  }

  @Test("T3: records added during a failing delivery come after it, and the limit holds")
  func addedMeanwhile() {
    var queue = Self.queue(capacity: 4)
    for number in 0..<4 { queue.add(Self.line(number)) }
    _ = queue.next(at: 0)
    for number in 4..<7 { queue.add(Self.line(number)) }
    _ = queue.finish(failure: "x", isRejected: false, at: 0)
    #expect(queue.status.queued == 4)
    #expect(queue.status.dropped == 3)
    #expect(queue.next(at: 1) == .deliver((3..<6).map(Self.line)))
  }

  @Test("T3: bytes are bounded, too; a record larger than the bound waits alone")
  func bytes() {
    var queue = Self.queue(bytes: 100)
    for _ in 0..<3 { queue.add(Data(count: 40)) }
    #expect(queue.status.queued == 2)
    queue.add(Data(count: 1_000))
    #expect(queue.status.queued == 1)
    #expect(queue.status.dropped == 3)
    #expect(queue.next(at: 0) == .deliver([Data(count: 1_000)]))
  }

  @Test("T3: records that a server will never take are dropped, and the next are tried at once")
  func rejected() {
    var queue = Self.queue(batch: 1)
    for number in 0..<2 { queue.add(Self.line(number)) }
    _ = queue.next(at: 0)
    #expect(queue.finish(failure: "status 413", isRejected: true, at: 0)?.contains("413") == true)
    #expect(queue.next(at: 0) == .deliver([Self.line(1)]))
    #expect(queue.status.dropped == 1)
  }

  @Test("T3: when it stops, waiting records are tried once more, unless the destination fails", arguments: [true, false])
  func stops(works: Bool) {
    var queue = Self.queue()
    queue.add(Self.line(0))
    queue.isStopping = true
    queue.add(Self.line(1))
    #expect(queue.next(at: 0) == .deliver([Self.line(0)]), "nothing is taken any more")
    _ = queue.finish(failure: works ? nil : "down", isRejected: false, at: 0)
    #expect(queue.next(at: 0) == .end)
    #expect(queue.status.dropped == (works ? 0 : 1))
  }
}
