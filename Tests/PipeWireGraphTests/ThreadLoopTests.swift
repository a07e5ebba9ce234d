import Dispatch
import Testing

@testable import PipeWireClient

@Suite("Thread loop")
struct ThreadLoopTests {
  @Test("X2: what was asked for before the loop's thread runs is done on it, with the loop's lock, however soon it runs")
  func earlyCallback() throws {
    for _ in 0..<300 {
      let loop = ThreadLoop(name: "early"), timer = LoopTimer(loop: loop), isDone = DispatchSemaphore(value: 0)
      let signal = LoopSignal(loop: loop) {
        // Traps on a thread that does not count as the loop's.
        timer.pause()
        isDone.signal()
      }
      signal.raise()
      try loop.start()
      #expect(isDone.wait(timeout: .now() + 60) == .success)
      loop.locked { for source in [signal, timer] as [LoopSource] { source.cancel() } }
      loop.stop()
    }
  }
}
