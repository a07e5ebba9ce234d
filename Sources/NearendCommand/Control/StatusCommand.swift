import ArgumentParser
import Border
import Foundation
import Platform
import SessionModel

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the state of a running nearend; with --json, the complete status document.")

  @Flag(help: "Print the status document.")
  var json = false
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "status", butJSON: true)
    if json || parent.display.json { return socket.nearend.show("/status") }
    print(StatusText(socket.nearend.get(Snapshot.self, "/status")).lines.joined(separator: "\n").printableLines())
  }
}

/// A snapshot in a few lines for people.
struct StatusText {
  let lines: [String]

  private static func manual(_ session: SessionStatus) -> String {
    session.isManual ? (session.isActive ? ", activated by a call manager" : ", manual: nearend activate starts it") : ""
  }

  private static func mute(_ snapshot: Snapshot) -> String {
    let session = snapshot.session
    return [
      session.isMicrophoneMuted ? ", muted" : nil, session.isTalkingWhileMuted ? ", somebody talks" : nil,
      session.isRecordingAlwaysPrepared ? ", kept prepared" : nil,
    ].compactMap { $0 }.joined()
  }

  init(_ snapshot: Snapshot) {
    let (session, graph, processing) = (snapshot.session, snapshot.graph, snapshot.processing)
    var rows: [(String, String)] = [
      ("nearend", "\(snapshot.version), up \(Int(bounded: snapshot.uptime.rounded(.down))) s, \(Self.tenths(snapshot.cpuPercent)) % CPU")
    ]
    let held = session.interruption.map { " (\($0.reason.words))" } ?? ""
    rows.append(("session", session.state.rawValue + held + Self.manual(session)))
    rows.append(("sends", Self.list(session.sendMedia)))
    rows.append(("receives", Self.list(session.receiveMedia)))
    let route = snapshot.route
    rows.append(("microphone", Self.device(route.microphone, .input, route) + Self.mute(snapshot)))
    if !route.microphoneInputs.isEmpty { rows.append(("channels", route.microphoneInputs.words)) }
    rows.append(("speaker", Self.device(route.speaker, .output, route)))
    if !route.usedPrograms.isEmpty {
      let programs = route.programs.filter(\.isUsed).map(\.words)
      rows.append(("used", route.usedPrograms.joined(separator: ", ") + (programs.isEmpty ? ": none plays or records now" : "")))
      for program in programs { rows.append(("", program)) }
    }
    rows.append(("processing", Self.processing(processing)))
    let mode = processing.micMode
    if mode.requested != .standard || mode.lateBlocks > 0 { rows.append(("mode", mode.words)) }
    if let echo = Self.echo(processing) { rows.append(("echo", echo)) }
    if let presets = snapshot.presets, let loaded = presets.loaded {
      rows.append(("preset", loaded + (presets.isChanged ? ", changed since" : "")))
    }
    rows.append(("volumes", Self.volumes(snapshot)))
    rows.append(("mixers", Self.mixers(route.volumes)))
    rows.append(("ducking", snapshot.ducking.words))
    let priority = graph.realtimePriority == 0 ? ", no realtime priority" : ""
    let xruns = ", \(graph.xruns) xrun\(graph.xruns == 1 ? "" : "s")"
    let cycle = graph.quantum > 0 ? ", \(graph.quantum) frames at \(graph.rate) Hz\(xruns)\(priority)" : ""
    rows.append(("graph", graph.isConnected ? "PipeWire \(graph.daemonVersion)\(cycle)" : "not connected"))
    for loop in graph.loops { rows.append(("loop", "\(loop) plays nearend's sound back into nearend, and is cut off")) }
    for stage in snapshot.stages { rows.append(("stage", "\(stage.id): \(stage.words)")) }
    for source in snapshot.appAudio.sources { rows.append(("into mic", "\(source.id), \(source.state.rawValue)")) }
    for send in snapshot.sends { rows.append(("sent", "\(send.id), \(send.words)")) }
    for sink in snapshot.sinks {
      let underruns = "\(sink.totalUnderruns) underrun\(sink.totalUnderruns == 1 ? "" : "s")"
      rows.append(
        (
          "sink",
          "\(sink.id), \(sink.state.rawValue)\(sink.isMuted ? ", muted" : ""), \(underruns)\(sink.remote.map { ", \($0.words)" } ?? "")"
        ))
    }
    lines = rows.map { "\($0.0.padded(to: 12))\($0.1)" }
  }

  private static func device(_ device: Device?, _ direction: Device.Direction, _ route: RouteStatus) -> String {
    let name = device?.name ?? "none"
    if let missing = route.missingPick(direction) { return "\(name), until \(missing) (chosen) is available" }
    return route.picked(direction) == nil ? name : "\(name), chosen"
  }

  private static func volumes(_ snapshot: Snapshot) -> String {
    let app = snapshot.appAudio
    return "output \(percent(snapshot.outputVolume)), microphone \(percent(app.micVolume)), into mic \(percent(app.appVolume))"
      + (app.isDucking ? ", lower under speech" : "") + (app.isMonitored ? ", heard on the speaker" : "")
  }

  private static func mixers(_ volumes: VolumesStatus) -> String {
    list(
      volumes.ends.map { end in
        "\(end.plainName) \(end.status.isMuted ? "muted" : percent(end.status.volume))\(end.isLow ? " (hardly heard)" : "")"
      })
  }

  private static func processing(_ status: ProcessingStatus) -> String {
    if !status.isInUse { return "not in use" }
    if status.isBypassed { return "bypassed" }
    return list(status.components.filter(\.isRequested).map(\.component.abbreviation))
  }

  /// nil without anything to tell.
  private static func echo(_ status: ProcessingStatus) -> String? {
    let reduction = status.wholeReduction.map { "\(tenths($0)) dB lower" }
    let erle = status.filterERLE.map { "ERLE \(tenths($0)) dB" }
    let numbers = [reduction, erle].compactMap { $0 }
    return numbers.isEmpty ? status.withoutCancellation : ([status.echo.words] + numbers).joined(separator: ", ")
  }

  private static func list(_ names: [String]) -> String { names.isEmpty ? "nobody" : names.joined(separator: ", ") }
  private static func tenths(_ number: Double) -> String { fixed(number, 1) }
}
