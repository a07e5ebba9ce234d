/// The audio thread's measurements of its cycles. [any]
package struct CycleMeters: Sendable, Equatable, BitwiseCopyable {
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
  /// What is told of the cycles so far.
  private let told: UnsafeMutablePointer<CycleMeters>
  private let publishing: SequenceCell
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
  private var peak = 0.0
  private var windowFrames = 0

  init(_ meters: SequenceLocked<CycleMeters>, restarts: CounterCell) {
    told = meters.draft
    publishing = meters.cell
    self.restarts = restarts
  }

  /// Starts a cycle, and returns the frames that passed without one since the last: less than a second of them, because a clock that jumps
  /// further has restarted. [realtime]
  @_noLocks @_noAllocation
  mutating func begin(_ io: UnsafePointer<CycleBuffers>) -> Int {
    let isLate = due != 0 && io.pointee.nanoseconds > due &+ patience
    let wasRunning = isRunning
    if restarts.exchange(0) != 0 { isRunning = false }
    let isSameClock = io.pointee.driver == told.pointee.driver && io.pointee.rate == told.pointee.rate
    var lost: UInt64 = 0
    if isRunning, isSameClock, io.pointee.position != expected, io.pointee.position &- expected < UInt64(io.pointee.rate) {
      lost = io.pointee.position &- expected
      told.pointee.xruns += max(1, lost / UInt64(max(1, io.pointee.frames)))
    }
    // A late cycle at the expected position continues the last.
    isBreak = isLate && lost == 0 && wasRunning && !(isRunning && isSameClock && io.pointee.position == expected)
    due = io.pointee.nanoseconds == 0 ? 0 : io.pointee.nanoseconds &+ UInt64(io.pointee.frames) &* 1_000_000_000 / UInt64(io.pointee.rate)
    isRunning = true
    expected = io.pointee.position &+ UInt64(io.pointee.frames)
    told.pointee.quantum = io.pointee.frames
    told.pointee.rate = io.pointee.rate
    told.pointee.driver = io.pointee.driver
    told.pointee.cycles += 1
    publishing.publish()
    return Int(lost)
  }

  /// Ends a cycle that took `nanoseconds`. [realtime]
  @_noLocks @_noAllocation
  mutating func end(frames: Int, rate: Int, nanoseconds: UInt64) {
    let ratio = Double(nanoseconds) * Double(rate) / (1e9 * Double(frames))
    told.pointee.busyRatio += (ratio - told.pointee.busyRatio) * min(1, Double(frames) / Double(rate))
    if ratio > peak { peak = ratio }
    windowFrames += frames
    if windowFrames >= rate {
      told.pointee.busyRatioPeak = peak
      peak = 0
      windowFrames = 0
    }
    publishing.publish()
  }
}

/// The control side of a `CycleClock`. [any]
struct CycleReading: Sendable {
  private let told = SequenceLocked(CycleMeters())
  private let restarts: CounterCell
  /// Missed cycles of the whole run, when the counters were last cleared.
  private let clearedXruns: CounterCell

  init(_ cells: inout CellBlock) {
    restarts = CounterCell(cells.next())
    clearedXruns = CounterCell(cells.next())
  }

  /// The audio thread's side.
  var clock: CycleClock { CycleClock(told, restarts: restarts) }

  /// The measurements of the last cycle.
  var meters: CycleMeters {
    var meters = told.snapshot()
    // Another thread may have cleared a later count meanwhile.
    meters.xruns -= min(meters.xruns, clearedXruns.load())
    return meters
  }
  /// Marks the next cycle as the first: a gap before it is no xrun. [control]
  func restart() { restarts.store(1) }
  /// Counts missed cycles from 0 again.
  func clearCounters() { clearedXruns.store(told.snapshot().xruns) }
}
