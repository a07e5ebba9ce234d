/// The audio thread's measurements of its cycles. [any]
package struct CycleMeters: Sendable, Equatable {
  /// Frames of the last cycle; 0 before the first.
  package var quantum = 0
  /// Frames per second.
  package var rate = 0
  /// Id of the driver's node.
  package var driver: UInt32 = 0
  /// Cycles since the start.
  package var cycles: UInt64 = 0
  /// Cycles missed while the graph ran, since the start or the last `clearCounters`.
  package var xruns: UInt64 = 0
  /// Share of a cycle's time that the callback takes, smoothed over a second; 1 is all of it.
  package var busyRatio = 0.0
  /// The largest share of a single cycle's time in the last second.
  package var busyRatioPeak = 0.0
}

/// Counts cycles and their cost on the audio thread.
struct CycleClock {
  private let quantum: CounterCell
  private let rate: CounterCell
  private let driver: CounterCell
  private let cycles: CounterCell
  private let xruns: CounterCell
  private let busy: DoubleCell
  private let busyPeak: DoubleCell
  /// Set by the control side when the graph restarts, so that the next cycle has no predecessor.
  private let restarts: CounterCell

  /// Whether the graph stood still before the newest cycle, so that what was played before has died away.
  private(set) var isBreak = false

  private var expected: UInt64 = 0
  private var isRunning = false
  /// When the next cycle is due, on CLOCK_MONOTONIC; 0 if unknown.
  private var due: UInt64 = 0
  /// Nanoseconds by which a cycle of another clock, or after a restart, may begin late and still continue the last.
  private let patience: UInt64 = 50_000_000
  private var smoothed = 0.0
  private var peak = 0.0
  private var windowFrames = 0

  static let cellCount = 8

  init(_ cells: inout CellBlock) {
    quantum = CounterCell(cells.next())
    rate = CounterCell(cells.next())
    driver = CounterCell(cells.next())
    cycles = CounterCell(cells.next())
    xruns = CounterCell(cells.next())
    busy = DoubleCell(cells.next())
    busyPeak = DoubleCell(cells.next())
    restarts = CounterCell(cells.next())
  }

  /// Starts a cycle, and returns the frames that passed without one since the last: less than a second of them, because a clock that jumps
  /// further has restarted. [realtime]
  @_noLocks @_noAllocation
  mutating func begin(_ io: UnsafePointer<CycleBuffers>) -> Int {
    let isLate = due != 0 && io.pointee.nanoseconds > due &+ patience
    let wasRunning = isRunning
    if restarts.exchange(0) != 0 { isRunning = false }
    let isSameClock = UInt64(io.pointee.driver) == driver.load() && UInt64(io.pointee.rate) == rate.load()
    var lost: UInt64 = 0
    if isRunning, isSameClock, io.pointee.position != expected, io.pointee.position &- expected < UInt64(io.pointee.rate) {
      lost = io.pointee.position &- expected
      xruns.add(max(1, lost / UInt64(max(1, io.pointee.frames))))
    }
    // A late cycle at the expected position continues the last.
    isBreak = isLate && lost == 0 && wasRunning && !(isRunning && isSameClock && io.pointee.position == expected)
    due = io.pointee.nanoseconds == 0 ? 0 : io.pointee.nanoseconds &+ UInt64(io.pointee.frames) &* 1_000_000_000 / UInt64(io.pointee.rate)
    isRunning = true
    expected = io.pointee.position &+ UInt64(io.pointee.frames)
    quantum.store(UInt64(io.pointee.frames))
    rate.store(UInt64(io.pointee.rate))
    driver.store(UInt64(io.pointee.driver))
    cycles.add(1)
    return Int(lost)
  }

  /// Ends a cycle that took `nanoseconds`. [realtime]
  @_noLocks @_noAllocation
  mutating func end(frames: Int, rate: Int, nanoseconds: UInt64) {
    let ratio = Double(nanoseconds) * Double(rate) / (1e9 * Double(frames))
    smoothed += (ratio - smoothed) * min(1, Double(frames) / Double(rate))
    busy.store(smoothed)
    if ratio > peak { peak = ratio }
    windowFrames += frames
    if windowFrames >= rate {
      busyPeak.store(peak)
      peak = 0
      windowFrames = 0
    }
  }

  /// The reading side. [any]
  var reading: Reading {
    Reading(
      quantum: quantum, rate: rate, driver: driver, cycles: cycles, xruns: xruns, busy: busy, busyPeak: busyPeak, restarts: restarts)
  }

  struct Reading: Sendable {
    let quantum, rate, driver, cycles, xruns: CounterCell
    let busy, busyPeak: DoubleCell
    let restarts: CounterCell

    var meters: CycleMeters {
      CycleMeters(
        quantum: Int(quantum.load()), rate: Int(rate.load()), driver: UInt32(truncatingIfNeeded: driver.load()), cycles: cycles.load(),
        xruns: xruns.load(), busyRatio: busy.load(), busyRatioPeak: busyPeak.load())
    }
    /// Marks the next cycle as the first: a gap before it is no xrun. [control]
    func restart() { restarts.store(1) }
    func clearCounters() { xruns.store(0) }
  }
}
