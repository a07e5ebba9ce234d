import Foundation
import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization

/// How nearend runs. [any]
public struct NearendOptions: Sendable {
  public var graph: GraphOptions
  /// `useVoiceProcessingIO` (V1): false gives the same graph with nothing done to the voice, and nothing added.
  public var usesVoiceProcessing: Bool
  /// Called with each remark as it comes.
  public var echo: (@Sendable (LogEntry) -> Void)?

  public init(graph: GraphOptions = GraphOptions(), usesVoiceProcessing: Bool = true, echo: (@Sendable (LogEntry) -> Void)? = nil) {
    self.graph = graph
    self.usesVoiceProcessing = usesVoiceProcessing
    self.echo = echo
  }
}

/// The whole of nearend in one process: the audio core, its place in PipeWire's graph, and what is known of both. [any]
public final class NearendService: Sendable {
  private let core: AudioCore
  let graph: GraphController
  private let log: EventLog
  private let processorUse = ProcessorUse()
  private let started = Date()
  /// A sink is registered in two places; whoever adds or removes one does both before the next.
  private let registration = Mutex(())

  /// Nothing runs before `start`.
  /// - Throws: `GraphError.refused` where voice processing cannot be set up.
  public init(_ options: NearendOptions) throws(GraphError) {
    let log = EventLog(echo: options.echo)
    self.log = log
    do {
      core = try AudioCore(usesMixAsReference: options.graph.reference == .mix)
    } catch {
      throw .refused(reason: "voice processing cannot start: \(error)")
    }
    core.controls.usesVoiceProcessing = options.usesVoiceProcessing
    graph = GraphController(core: core, options: options.graph) { log.add($0.level, $0.message) }
  }

  /// Joins the graph. Once.
  public func start() throws(GraphError) {
    log.add(.info, "nearend \(nearendVersion) with \(CapturePath.library)")
    try graph.start()
  }

  deinit { stop() }

  /// Leaves the graph; nothing stays behind. Doing it again has no effect.
  public func stop() { graph.stop() }

  /// Puts a remark into the log.
  public func remark(_ message: String) { log.add(.info, message) }

  // MARK: Sinks

  /// A participant whose PCM a program writes (K1).
  public func addRingSink(id: String, sampleRate: Int, channelCount: Int, bufferSize: Int) throws(SinkError) -> RingSink {
    let sink = try RingSink(
      id: id, format: SinkFormat(sampleRate: sampleRate, channelCount: channelCount), capacityBytes: bufferSize)
    try core.mixer.add(sink)
    log.add(.info, "participant \(id): \(sampleRate) Hz, \(channelCount) channel\(channelCount == 1 ? "" : "s")")
    graph.demandChanged()
    return sink
  }

  /// A participant that is a PipeWire sink device of its own (K9). Throws `.impossibleId`, `.alreadyRegistered` or `.tooManySinks`.
  public func addGraphSink(id: String) throws(SinkError) {
    if let problem = ParticipantId.problem(id) { throw .impossibleId(id, reason: problem) }
    let result: Result<Void, SinkError> = registration.withLock { _ in
      do throws(SinkError) {
        graph.addGraphSink(try core.mixer.addGraphSink(id: id))
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
    log.add(.info, "participant \(id): device nearend.sink.\(id)")
  }

  /// Ends a participant of either kind; an unknown id has no effect.
  public func removeSink(id: String) {
    let isRemoved = registration.withLock { _ in
      graph.removeGraphSink(id: id)
      return core.mixer.remove(id: id)
    }
    guard isRemoved else { return }
    log.add(.info, "participant \(id) left")
    graph.demandChanged()
  }

  // MARK: Commands

  /// Does what a person or a program asks for.
  public func perform(_ command: Command) {
    let controls = core.controls
    switch command {
    case .setBypass(let on):
      controls.isBypassed = on
      log.add(.info, "voice processing \(on ? "bypassed" : "no longer bypassed")")
    case .setComponent(let component, let on):
      controls[component] = on
      log.add(.info, "\(component.abbreviation) \(on ? "on" : "off")")
    case .setMicrophoneMuted(let muted):
      controls.isMicrophoneMuted = muted
      log.add(.info, "microphone \(muted ? "muted" : "no longer muted")")
    case .setSinkMuted(let id, let muted):
      setSink(id) {
        $0.isMuted = muted
      } graph: {
        $0.isMuted = muted
      }
    case .setSinkGain(let id, let gain):
      setSink(id) {
        $0.gain = Float(gain)
      } graph: {
        $0.gain = Float(gain)
      }
    case .clearCounters:
      core.clearCounters()
      log.add(.info, "counters cleared")
    case .pickDevice(let direction, let name):
      graph.pick(direction, name: name)
      log.add(.info, "\(direction == .input ? "microphone" : "speaker"): \(name.map { "\($0), picked" } ?? "the default again")")
    case .saveDiagnostics: saveDiagnostics()
    }
  }

  private func setSink(_ id: String, ring: (RingSink) -> Void, graph: (GraphSink) -> Void) {
    if let sink = core.mixer.ringSink(id: id) { ring(sink) }
    if let sink = core.mixer.graphSink(id: id) { graph(sink) }
  }

  // MARK: Snapshot

  /// All that is known now. Never waits for the audio thread.
  public func snapshot() -> Snapshot {
    let report = graph.report
    var snapshot = Snapshot(version: nearendVersion)
    snapshot.uptime = Date().timeIntervalSince(started)
    snapshot.cpuPercent = processorUse.percent()
    snapshot.graph = report.graph
    snapshot.route = report.route
    snapshot.sinks = core.mixer.sinkStatuses(
      rate: report.graph.rate, used: report.interruption?.reason == .daemonLost ? [] : report.graphSinksInUse)
    let ringSinks = core.mixer.ringSinks
    let isActive = !report.sendMedia.isEmpty || !report.receiveMedia.isEmpty || !ringSinks.isEmpty
    snapshot.session = SessionStatus(
      state: report.interruption != nil ? .interrupted : isActive ? .active : .idle, sendMedia: report.sendMedia,
      receiveMedia: report.receiveMedia + ringSinks.map(\.id), interruption: report.interruption,
      isMicrophoneMuted: core.controls.isMicrophoneMuted)
    snapshot.processing = ProcessingStatus(
      controls: core.controls, meters: core.meters.snapshot(), render: (core.mixer.takeSpeakerPeak(), core.mixer.takeLimiterGain()),
      isSending: !report.sendMedia.isEmpty,
      streamDelay: report.streamDelay)
    snapshot.log = log.all
    return snapshot
  }

  private func saveDiagnostics() {
    let name = "nearend-diagnostics-\(Int(Date().timeIntervalSince1970)).json"
    let folder = FileManager.default.temporaryDirectory
    let url = folder.appendingPathComponent(name)
    do {
      try Data(snapshot().json().utf8).write(to: url, options: .withoutOverwriting)
      log.add(.info, "diagnostics written to \(url.path)")
    } catch {
      log.add(.error, "diagnostics could not be written to \(url.path): \(error.localizedDescription)")
    }
  }
}
