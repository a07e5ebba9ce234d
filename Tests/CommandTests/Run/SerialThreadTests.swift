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

  @Test("X4: a closure for later runs when it is due, after those that are due before, and delays no other")
  func later() {
    let ran = Mutex<[Int]>([])
    let thread = SerialThread(name: "test")
    let begin = monotonicSeconds()
    for (number, seconds) in [(3, 0.3), (1, 0.1), (2, 0.2), (9, 600)] {
      thread.async(after: seconds) { ran.withLock { $0.append(number) } }
    }
    thread.async { ran.withLock { $0.append(0) } }
    thread.flush()
    #expect(ran.withLock { $0 }.first == 0)
    #expect(eventually { ran.withLock { $0.count } == 4 })
    #expect(ran.withLock { $0 } == [0, 1, 2, 3] && monotonicSeconds() - begin >= 0.3)
  }

  @Test("X4: what is run on the caller's thread runs after everything added before, and alone")
  func synchronous() throws {
    let ran = Mutex<[Int]>([])
    let isRunning = Atomic(false)
    let thread = SerialThread(name: "test")
    for round in 0..<200 {
      let numbers = round * 10..<round * 10 + 9
      for number in numbers {
        thread.async {
          let isAlone = !isRunning.exchange(true, ordering: .sequentiallyConsistent)
          #expect(isAlone)
          ran.withLock { $0.append(number) }
          isRunning.store(false, ordering: .sequentiallyConsistent)
        }
      }
      thread.sync {
        let isAlone = !isRunning.exchange(true, ordering: .sequentiallyConsistent)
        #expect(isAlone)
        ran.withLock { $0.append(numbers.upperBound) }
        isRunning.store(false, ordering: .sequentiallyConsistent)
      }
      #expect(ran.withLock { $0.count } == 10 * (round + 1))
    }
    #expect(ran.withLock { $0 } == Array(0..<2_000))
    #expect(throws: SystemError(code: ENOSPC)) { try thread.sync { () throws(SystemError) in throw SystemError(code: ENOSPC) } }
  }
}
