import Testing

@testable import PipeWireGraph

@Suite("Frozen or not")
struct FreezeWatchTests {
  /// Observes, ten times a second unless another interval is given, a graph that runs 100 cycles a second while it runs.
  struct Run {
    var interval = 0.1
    var watch = FreezeWatch()
    var now = 100.0
    var cycles: UInt64 = 0
    var rebuilds: [Double] = []

    /// Returns the verdicts of these seconds, each with its time from their start. Requested rebuilds are carried out.
    mutating func pass(_ seconds: Double, runs: Bool, shouldRun: Bool = true, length: Double = 0.01) -> [String] {
      let start = now
      var verdicts: [String] = []
      while now < start + seconds - 0.05 {
        now += interval
        if runs { cycles += UInt64((100 * interval).rounded()) }
        guard let verdict = watch.update(cycles: cycles, shouldRun: shouldRun, cycleLength: length, at: now) else { continue }
        if verdict == .rebuild {
          rebuilds.append(((now - start) * 10).rounded() / 10)
          watch.rebuilt(at: now)
        } else {
          verdicts.append("\(verdict) \(((now - start) * 10).rounded() / 10)")
        }
      }
      return verdicts
    }
  }

  @Test(
    "I5: a graph that should run and has no cycle is frozen within 2 s, and thawed with the next cycle",
    arguments: [(0.1, ["frozen 1.2", "frozen 1.3"]), (0.2, ["frozen 1.4"])])
  func detects(interval: Double, expected: [String]) {
    var run = Run(interval: interval)
    #expect(run.pass(10, runs: true) == [])
    let verdicts = run.pass(3, runs: false)
    #expect(expected.contains(verdicts.joined(separator: ", ")), "\(verdicts)")
    #expect(run.pass(1, runs: true) == ["thawed \(interval)"])
    #expect(!run.watch.isFrozen)
  }

  @Test("I5: an idle graph is not frozen, however long, nor is one that has just been started")
  func rests() {
    var run = Run()
    _ = run.pass(1, runs: true)
    #expect(run.pass(60, runs: false, shouldRun: false) == [])
    #expect(run.pass(1.1, runs: false) == [])
  }

  @Test("I5: a single observation after a stall of nearend itself does not count as a freeze")
  func halted() {
    var run = Run()
    _ = run.pass(1, runs: true)
    _ = run.pass(0.3, runs: false)
    run.now += 30
    #expect(run.pass(0.2, runs: false) == [])
    #expect(run.pass(1, runs: true) == [])
  }

  @Test("I5, V9: the longest cycles there are, 8192 frames at 16 kHz, are no freeze")
  func longCycles() {
    var run = Run()
    for _ in 0..<40 {
      run.cycles += 1
      #expect(run.pass(0.5, runs: false, length: 0.512) == [])
    }
  }

  @Test("I5: rebuilds that do not help are retried after 0, 2, 4, 8, 16, 32 and then every 32 s: no storm")
  func backsOff() {
    var run = Run()
    _ = run.pass(1, runs: true)
    _ = run.pass(200, runs: false)
    let gaps = zip(run.rebuilds.dropFirst(), run.rebuilds).map { (($0 - $1) * 10).rounded() / 10 }
    #expect(run.rebuilds.first.map { $0 < 2 } == true)
    #expect(zip(gaps, [2.0, 4, 8, 16, 32, 32]).allSatisfy { abs($0 - $1) <= 0.2 }, "\(gaps)")
  }

  @Test("I5: a graph that freezes repeatedly is not rebuilt each time, until it has run for a while")
  func relapses() {
    var run = Run()
    for _ in 0..<10 {
      _ = run.pass(1, runs: true)
      _ = run.pass(2, runs: false)
    }
    #expect(run.rebuilds.count < 6, "\(run.rebuilds.count) in 30 s")
    _ = run.pass(60, runs: true)
    let before = run.rebuilds.count
    _ = run.pass(2, runs: false)
    #expect(run.rebuilds.count == before + 1)
  }
}
