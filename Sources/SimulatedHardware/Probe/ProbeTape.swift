internal import CRealtime
import PipeWireClient

/// The signals that a probe plays and records, indexed by the graph's clock: shared by the two filters' process callbacks, which run on one
/// data thread.
///
/// `@unchecked Sendable`: the control side accesses the tracks only before `go` (release, paired with the callback's acquire) and after
/// `isDone` (the reverse).
final class ProbeTape: @unchecked Sendable {
  struct Track {
    let port: UnsafeMutableRawPointer
    let samples: UnsafeMutablePointer<Float>
    let count: Int
  }
  struct Watch {
    var cycles = 0
    var jumps = 0
    var driverChanges = 0
    var smallestQuantum = 0
    var largestQuantum = 0
    var rate = 0
    var driver: UInt32 = 0
    var next: UInt64 = 0
    /// The end of the last cycle that was played; 0 before the first.
    var nextPlayed: UInt64 = 0
    /// Frames of cycles that were not recorded, or not played.
    var lostFrames: UInt64 = 0
  }

  /// Frames between the moment when all links work and the first sample, so that everything between the probe's ports works, too.
  private static let lead: UInt64 = 8_192

  private(set) var watch = Watch()
  let length: Int
  private let played: UnsafeMutablePointer<Track>
  private var playedCount = 0
  private let recorded: UnsafeMutablePointer<Track>
  private var recordedCount = 0
  private let cells: UnsafeMutablePointer<UInt64>
  private var go: UnsafeMutablePointer<UInt64> { cells }
  /// The clock's position at the first sample; 0 until known.
  private var start: UnsafeMutablePointer<UInt64> { cells + 1 }
  private var done: UnsafeMutablePointer<UInt64> { cells + 2 }
  /// The number of ports of each kind that had a buffer in their last cycle, as they do once their links work.
  private var playing: UnsafeMutablePointer<UInt64> { cells + 3 }
  private var recording: UnsafeMutablePointer<UInt64> { cells + 4 }
  /// The clock's position after the last cycle, and the total frames to record.
  private var position: UnsafeMutablePointer<UInt64> { cells + 5 }
  private var end: UnsafeMutablePointer<UInt64> { cells + 6 }

  init(length: Int, played: Int, recorded: Int) {
    self.length = length
    self.played = .allocate(capacity: max(1, played))
    self.recorded = .allocate(capacity: max(1, recorded))
    cells = .allocate(capacity: 7)
    cells.initialize(repeating: 0, count: 7)
    rt_store_release_u64(end, UInt64(length))
  }

  /// Adds a signal to play, before the filter joins the graph. [control]
  func play(_ signal: [Float], to port: UnsafeMutableRawPointer) {
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: max(1, signal.count))
    samples.initialize(from: signal, count: signal.count)
    (played + playedCount).initialize(to: Track(port: port, samples: samples, count: signal.count))
    playedCount += 1
  }

  /// Adds a port to record, before the filter joins the graph. [control]
  func record(from port: UnsafeMutableRawPointer) {
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: length)
    samples.initialize(repeating: 0, count: length)
    (recorded + recordedCount).initialize(to: Track(port: port, samples: samples, count: length))
    recordedCount += 1
  }

  /// Returns the recording of the port that was added as number `index`, once `isDone`. [control]
  func recording(_ index: Int) -> [Float] {
    Array(UnsafeBufferPointer(start: recorded[index].samples, count: Int(rt_load_acquire_u64(end))))
  }

  deinit {
    for k in 0..<playedCount { played[k].samples.deallocate() }
    for k in 0..<recordedCount { recorded[k].samples.deallocate() }
    played.deallocate()
    recorded.deallocate()
    cells.deallocate()
  }

  /// Starts. [control]
  func begin() { rt_store_release_u64(go, 1) }
  /// Frames since the first sample.
  var elapsed: Int {
    let (start, position) = (rt_load_acquire_u64(start), rt_load_acquire_u64(position))
    return start != 0 && position > start ? Int(position - start) : 0
  }
  /// Shortens the recording to `frames` frames from now. Ignored before the first sample, and never lengthens.
  func end(after frames: Int) {
    let elapsed = elapsed
    if elapsed > 0 { rt_store_release_u64(end, UInt64(min(length, elapsed + frames))) }
  }
  var isDone: Bool { rt_load_acquire_u64(done) != 0 }
  var hasStarted: Bool { rt_load_acquire_u64(start) != 0 }
  /// The number of ports without a working link.
  var idlePorts: Int { playedCount + recordedCount - Int(rt_load_acquire_u64(playing) + rt_load_acquire_u64(recording)) }

  /// Plays a cycle. [realtime]
  func play(_ cycle: Cycle) {
    let start = rt_load_acquire_u64(start)
    if start != 0, rt_load_acquire_u64(done) == 0 {
      if watch.nextPlayed != 0, cycle.position > watch.nextPlayed { watch.lostFrames += cycle.position - watch.nextPlayed }
      watch.nextPlayed = cycle.position &+ UInt64(cycle.frames)
    }
    var linked: UInt64 = 0
    for k in 0..<playedCount {
      let track = played[k]
      guard let buffer = dspBuffer(track.port, frames: cycle.frames) else { continue }
      linked += 1
      buffer.update(repeating: 0, count: cycle.frames)
      guard start != 0 else { continue }
      let part = overlap(cycle, start: start, count: track.count)
      (buffer + part.inCycle).update(from: track.samples + part.inTrack, count: part.count)
    }
    rt_store_release_u64(playing, linked)
  }

  /// Records a cycle. [realtime]
  func record(_ cycle: Cycle) {
    let start = rt_load_acquire_u64(start)
    let end = rt_load_acquire_u64(end)
    let isRunning = start != 0 && rt_load_acquire_u64(done) == 0
    if isRunning, cycle.position &+ UInt64(cycle.frames) > start, cycle.position < start &+ end { observe(cycle) }
    var linked: UInt64 = 0
    for k in 0..<recordedCount {
      let track = recorded[k]
      guard let buffer = dspBuffer(track.port, frames: cycle.frames) else { continue }
      linked += 1
      guard isRunning else { continue }
      let part = overlap(cycle, start: start, count: track.count)
      (track.samples + part.inTrack).update(from: buffer + part.inCycle, count: part.count)
    }
    rt_store_release_u64(recording, linked)
    if start == 0, rt_load_acquire_u64(go) != 0, idlePorts == 0 { rt_store_release_u64(self.start, cycle.position + Self.lead) }
    rt_store_release_u64(position, cycle.position &+ UInt64(cycle.frames))
    guard isRunning else { return }
    // A clock that was set back far never reaches the end otherwise.
    let isPast = cycle.position >= start &+ end || cycle.position &+ 2 * Self.lead < start
    if isPast { rt_store_release_u64(done, 1) }
  }

  /// Counts jumps and changes of the clock. [realtime]
  private func observe(_ cycle: Cycle) {
    if watch.cycles == 0 {
      (watch.smallestQuantum, watch.largestQuantum) = (cycle.frames, cycle.frames)
      (watch.rate, watch.driver) = (cycle.rate, cycle.driver)
    } else {
      if cycle.position != watch.next { watch.jumps += 1 }
      if cycle.position > watch.next { watch.lostFrames += cycle.position - watch.next }
      if cycle.driver != watch.driver { watch.driverChanges += 1 }
      watch.driver = cycle.driver
      watch.smallestQuantum = min(watch.smallestQuantum, cycle.frames)
      watch.largestQuantum = max(watch.largestQuantum, cycle.frames)
    }
    watch.cycles += 1
    watch.next = cycle.position &+ UInt64(cycle.frames)
  }

  /// The part of the cycle within a track of `count` frames that begins at `start`. [realtime]
  private func overlap(_ cycle: Cycle, start: UInt64, count: Int) -> (inCycle: Int, inTrack: Int, count: Int) {
    let offset = Int(Int64(bitPattern: cycle.position &- start))
    let first = max(0, offset)
    let last = min(count, offset + cycle.frames)
    guard first < last else { return (0, 0, 0) }
    return (first - offset, first, last - first)
  }
}
