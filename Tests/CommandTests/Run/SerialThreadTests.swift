import Foundation
import Platform
import Synchronization
import TestSupport
import Testing

@Suite("A thread for what must not wait")
struct SerialThreadTests {
  @Test("X4: closures run one after another in the order in which they were added, also those that wait at the end")
  func order() {
    let ran = Mutex<[Int]>([])
    do {
      let thread = SerialThread(name: "test")
      for number in 0..<1_000 { thread.async { ran.withLock { $0.append(number) } } }
    }
    #expect(eventually { ran.withLock { $0.count } == 1_000 })
    #expect(ran.withLock { $0 } == Array(0..<1_000))
  }

  @Test("X4: adding waits for nothing that runs, and a flush no longer than it says")
  func hanging() {
    let gate = DispatchSemaphore(value: 0)
    let ran = Mutex(0)
    let thread = SerialThread(name: "test")
    thread.async { gate.wait() }
    for _ in 0..<100 { thread.async { ran.withLock { $0 += 1 } } }
    thread.flush(timeout: 0.05)
    #expect(ran.withLock { $0 } == 0, "the first one still runs")
    gate.signal()
    thread.flush(timeout: 10)
    #expect(ran.withLock { $0 } == 100)
  }
}
