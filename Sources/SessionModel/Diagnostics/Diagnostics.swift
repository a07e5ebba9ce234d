/// The text of `getDiagnostics()`: the whole state, line by line (T1). For people; programs read the snapshot. [any]
package struct Diagnostics: Sendable {
  /// Lines of the form "label: value", with their level of indentation and without bullets.
  private var lines: [(indent: Int, text: String)] = []

  package init(_ report: ServiceReport) {
    addProcess(report)
    addMedia(report)
    addUnit(report)
    addMicrophoneInput(report)
    addSpeakerOutputs(report.snapshot.sinks)
    addSends(report.snapshot.sends)
    addGraph(report)
    addRoute(report)
    addTelemetry(report)
  }

  /// One line per fact, each with its line end.
  package var text: String {
    lines.reduce(into: "AudioSessionManager Diagnostics:\n") { text, line in
      text += String(repeating: "  ", count: line.indent) + "- " + line.text + "\n"
    }
  }

  mutating func add(_ label: String, _ value: String) { lines.append((0, "\(label): \(value)")) }
  mutating func addDetail(_ indent: Int = 1, _ text: String) { lines.append((indent, text)) }

  private mutating func addProcess(_ report: ServiceReport) {
    let snapshot = report.snapshot
    add("Version", "nearend \(snapshot.version)")
    if let host = report.host { add("Joined", host) }
    add("Uptime", "\(decimal(snapshot.uptime, 1)) s")
    add("Processor", "\(decimal(snapshot.cpuPercent, 2)) % of one core, \(decimal(report.cpuSeconds, 2)) s in all")
  }

  // MARK: Media and session

  private mutating func addMedia(_ report: ServiceReport) {
    let media = report.session.media
    add("Active medias", "\(media.count)")
    add("Media IDs", Self.list(media.map(\.id)))
    let (send, receive) = (media.filter(\.isSend), media.filter(\.isReceive))
    add("Send medias", "\(send.count)" + (send.isEmpty ? "" : " (\(Self.list(send.map(\.id))))"))
    add("Receive medias", "\(receive.count)" + (receive.isEmpty ? "" : " (\(Self.list(receive.map(\.id))))"))
    let session = report.session
    add("Manual Audio Session Management", Self.yesNo(session.settings.isManual))
    add("Session Category", Self.category(session))
    add("Session Mode", session.isConfigured && session.settings.usesVoiceProcessing ? "VideoChat" : "Default")
    add("Session Active", Self.yesNo(session.isActive))
    add("VPIO Initialised", Self.yesNo(session.isUnitInitialised && report.snapshot.graph.nodeId != nil))
    let interruption = report.snapshot.session.interruption
    add("Interruption", interruption.map { "\($0.reason.rawValue) for \(decimal($0.duration, 1)) s" } ?? "None")
    let counts = report.events.interruptions.sorted { $0.key < $1.key }
    add("Interruptions since start", counts.isEmpty ? "0" : Self.list(counts.map { "\($0.key) \($0.value)" }))
    for record in report.snapshot.session.interruptions {
      addDetail(1, "\(record.reason.rawValue) for \(decimal(record.duration, 1)) s: \(record.outcome.rawValue)")
    }
  }

  private mutating func addMicrophoneInput(_ report: ServiceReport) {
    guard let source = report.session.source else { return add("Microphone Input", "None") }
    add("Microphone Input", source.mediaId)
    addDetail(1, source.phase == .deferred ? "Deferred until the session runs" : "Running")
    addDetail(1, "Had audio: \(Self.yesNo(source.hadAudio))")
    let resampling = report.sourceResampling.map { "YES (\($0.captureRate) Hz to \($0.outputRate) Hz)" }
    addDetail(1, "Resampling: \(resampling ?? "NO")")
  }

  // MARK: Words

  static func yesNo(_ value: Bool) -> String { value ? "YES" : "NO" }
  static func list(_ items: [String]) -> String { items.isEmpty ? "None" : items.joined(separator: ", ") }
  /// What the session is configured for, in AVAudioSession's terms: as there, whatever the media does, and through interruptions.
  static func category(_ session: SessionState) -> String {
    if !session.settings.configuresDevices { return "None (automatic configuration is off)" }
    return session.isConfigured ? "PlayAndRecord" : "None"
  }
  static func channels(_ count: Int) -> String { count == 1 ? "1 (mono)" : count == 2 ? "2 (stereo)" : "\(count)" }
  static func level(_ level: Double) -> String { level > -119.5 ? "\(decimal(level, 1)) dBFS" : "silent" }
  static func frames(_ frames: Int, rate: Int) -> String {
    "\(frames) frames" + (rate > 0 ? " (\(decimal(Double(frames) * 1000 / Double(rate), 2)) ms)" : "")
  }
}
