import SessionModel
import Testing

@Suite("Recent cycles")
struct CycleWindowTests {
  @Test("O1: losses count for three minutes, at the quantum at which they occurred")
  func losses() {
    var window = CycleWindow()
    for second in 0..<10 {
      window.note(run: UInt64(100 * second), lost: second > 5 ? 4 : 0, quantum: 480, at: Double(second))
    }
    #expect(window.recent(at: 9) == RecentCycles(run: 900, lost: 4))
    #expect(window.recent(at: 400) == RecentCycles())
    window.note(run: 1_000, lost: 4, quantum: 960, at: 10)
    window.note(run: 1_050, lost: 4, quantum: 960, at: 11)
    #expect(window.recent(at: 11) == RecentCycles(run: 50))
  }

  @Test("O1: counters that begin anew count what they have counted since; a row of losses is a stall")
  func restarts() {
    var window = CycleWindow()
    window.note(run: 5_000, lost: 900, quantum: 256, at: 0)
    window.note(run: 20, lost: 3, quantum: 256, at: 1)
    window.note(run: 25, lost: 168, quantum: 256, at: 2)
    #expect(window.recent(at: 2) == RecentCycles(run: 25, lost: 168, stalled: 165))
    #expect(RecentCycles(run: 25, lost: 75).lostShare == 0.75)
  }
}
