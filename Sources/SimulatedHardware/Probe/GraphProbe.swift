import PipeWireClient

/// Plays signals into a graph and records from it, both indexed by the graph's own clock, so that lags are exact to the sample.
///
/// Two nodes, `<name>.play` and `<name>.rec` (two, so that no link back into the same node adds a cycle). Make the links after `init`, then
/// call `run`. [control]
package final class GraphProbe {
  /// A recording, with observations of the clock.
  package struct Recording: Sendable {
    /// By port; each as long as the recording. Samples of lost cycles are 0.
    package var samples: [String: [Float]]
    /// Frames per second.
    package var rate: Int
    /// Cycles that overlap the recording.
    package var cycles: Int
    /// Cycles that did not begin where the previous one ended.
    package var jumps: Int
    /// Frames of cycles that the probe missed because of the daemon or a busy machine, playing and recording.
    package var lostFrames: Int
    /// Times that another node took over the clock.
    package var driverChanges: Int
    /// The smallest and largest quantum in frames.
    package var quantum: ClosedRange<Int>

    /// Whether there was one driver, one quantum and no lost cycle; otherwise the recording is suspect.
    package var isExact: Bool { jumps == 0 && driverChanges == 0 && quantum.lowerBound == quantum.upperBound }
  }

  /// The prefix of both nodes' names, and of the client's.
  package let name: String
  private let loop: ThreadLoop
  private let tape: ProbeTape
  private let recordedPorts: [String]
  /// Accessed on the loop's thread or inside `loop.locked`.
  private var nodes: (connection: Connection, player: Filter, recorder: Filter)?

  /// The name of a port of the probe, for links.
  package func playPort(_ port: String) -> String { "\(name).play:\(port)" }
  /// The name of a port of the probe that records, for links.
  package func recordPort(_ port: String) -> String { "\(name).rec:\(port)" }

  /// Makes both nodes and waits until the graph has them.
  /// - Parameters:
  ///   - socket: the daemon's, `PrivateSession.socket`.
  ///   - play: a signal for each port to play, followed by silence.
  ///   - record: the ports to record; at least one.
  ///   - frames: length of the recording.
  ///   - runsUnlinked: whether the nodes run from the beginning; otherwise once they are linked, like an application's. PipeWire 1.x loses
  ///     a cycle when a client's running node is linked to another.
  ///   - group: `node.group`; that of the simulated hardware keeps the probe on its clock.
  /// - Throws: `SessionError`, `PipeWireError`.
  package init(
    socket: String, name: String = "probe", play: [String: [Float]], record: [String], frames: Int, runsUnlinked: Bool = true,
    group: String = SimulatedDevice.group
  ) throws {
    guard !record.isEmpty, frames > 0 else { throw SessionError(.invalidRequest, "a probe needs a port to record, and frames to record") }
    self.name = name
    recordedPorts = record
    loop = ThreadLoop(name: "probe")
    tape = ProbeTape(length: frames, played: play.count, recorded: record.count)
    try loop.start()
    let properties = ["node.group": group, "node.always-process": "\(runsUnlinked)"]
    let data = Unmanaged.passUnretained(tape).toOpaque()
    try loop.locked { () throws(PipeWireError) in
      let connection = try Connection(loop: loop, remote: socket, properties: ["application.name": name]) { _ in }
      let player = try Filter(connection, name: "\(name).play", properties: properties, data: data, process: Self.play) { _ in }
      let recorder = try Filter(connection, name: "\(name).rec", properties: properties, data: data, process: Self.record) { _ in }
      for (port, samples) in play { tape.play(samples, to: try player.addPort(.output, name: port).pointer) }
      for port in record { tape.record(from: try recorder.addPort(.input, name: port).pointer) }
      try player.connect()
      try recorder.connect()
      connection.roundTrip()
      nodes = (connection, player, recorder)
    }
  }

  deinit {
    // End the thread first: it may be about to call what is destroyed here.
    loop.stop()
    loop.locked { nodes = nil }
  }

  /// Plays and records once, and waits for the end.
  /// - Throws: `SessionError` with code `timedOut` if the graph does not run.
  package func run(timeout: Double = factTimeout) throws -> Recording {
    start()
    return try finish(timeout: timeout)
  }

  /// Starts a fraction of a second after every port has working links, on the same sample for every port. Call it once.
  package func start() { tape.begin() }

  /// Frames of the clock since the first sample.
  package var elapsed: Int { tape.elapsed }

  /// Shortens the recording to `frames` frames from now, for durations that depend on the machine. Call it after the first sample.
  package func end(after frames: Int) { tape.end(after: frames) }

  /// Waits until everything is recorded.
  package func finish(timeout: Double = factTimeout) throws -> Recording {
    guard poll(timeout: timeout, { tape.isDone ? true : nil }) != nil else {
      let why = tape.hasStarted ? "it recorded \(tape.watch.cycles) cycles" : "\(tape.idlePorts) of its ports have no link that works"
      throw SessionError(
        .timedOut, "the probe \(name) did not finish within \(timeout) s: \(why)", remedy: "are its ports linked to a running graph?")
    }
    let watch = tape.watch
    return Recording(
      samples: Dictionary(uniqueKeysWithValues: recordedPorts.enumerated().map { ($1, tape.recording($0)) }), rate: watch.rate,
      cycles: watch.cycles,
      jumps: watch.jumps, lostFrames: Int(clamping: watch.lostFrames), driverChanges: watch.driverChanges,
      quantum: watch.smallestQuantum...watch.largestQuantum)
  }

  private static let play: Filter.Process = { data, cycle in
    guard let data, let cycle else { return }
    Unmanaged<ProbeTape>.fromOpaque(data).takeUnretainedValue().play(Cycle(cycle))
  }

  private static let record: Filter.Process = { data, cycle in
    guard let data, let cycle else { return }
    Unmanaged<ProbeTape>.fromOpaque(data).takeUnretainedValue().record(Cycle(cycle))
  }
}
