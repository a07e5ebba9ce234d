import ArgumentParser
import DashboardTerminal
import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import SimulatedHardware

@main
struct NearendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nearend",
    abstract: "Voice-Processing I/O for Linux: echo cancellation, noise suppression and gain control for every application.",
    discussion: """
      Joins PipeWire as one filter, with two devices for applications: "Nearend Speaker" and "Nearend Microphone". Shows a dashboard (? lists its keys).
      Without a daemon, or without a real device, it rehearses in a simulated room.

      \(ExitStatus.help)
      """,
    version: nearendVersion,
    subcommands: [RehearseCommand.self, ProcessCommand.self, DevicesCommand.self, RoomCommand.self],
    groupedSubcommands: [
      CommandGroup(
        name: "Remote control",
        subcommands: [
          StatusCommand.self, AttachCommand.self, GetCommand.self, SetCommand.self, ToggleCommand.self, MuteCommand.self,
          UnmuteCommand.self, ActivateCommand.self, DeactivateCommand.self, ResumeCommand.self, SinkCommand.self, SourceCommand.self,
          PlayIntoMicCommand.self,
          EventsCommand.self, DiagnosticsCommand.self, MetricsCommand.self,
        ])
    ])

  @OptionGroup var devices: DeviceOptions
  @OptionGroup var display: DisplayOptions
  @OptionGroup var telemetry: TelemetryArguments

  static func main() {
    // A reader of nearend's output may leave: that must cost only the output.
    signal(SIGPIPE, SIG_IGN)
    main(nil)
  }

  func run() throws {
    try display.check()
    let stop = StopRequest.onSignals()
    let terminal = display.headless ? nil : TerminalDisplay.checked(display)
    do {
      let service = try startService(in: nil, devices: devices, display: display, telemetry: telemetry.options())
      defer { service.stop() }
      if display.headless || !service.snapshot().route.devices.isEmpty { return try show(service, display, terminal, stop) }
    } catch let error as GraphError {
      guard case .noDaemon(let reason) = error, !display.headless, devices.mic == nil, devices.speaker == nil else {
        fail(error, ExitStatus(error))
      }
      return rehearse(reason, terminal, stop)
    } catch {
      fail(error, .noTerminal)
    }
    rehearse("there is no real audio device here", terminal, stop)
  }

  private func rehearse(_ reason: String, _ terminal: TerminalDisplay?, _ stop: StopRequest) {
    Rehearsal(devices: devices, display: display, note: "\(reason): this is a rehearsal in a simulated room").run(terminal, stop)
  }
}

/// Starts a nearend with the requested participants' devices.
func startService(
  in session: PrivateSession?, devices: DeviceOptions, display: DisplayOptions, telemetry: TelemetryOptions = TelemetryOptions()
) throws(GraphError) -> NearendService {
  let environment = session?.environment ?? ProcessInfo.processInfo.environment
  let controlSocket = ControlPath.standard(environment)
  let echo: (@Sendable (LogEntry) -> Void)? = display.headless ? { @Sendable in printRemark($0) } : nil
  let service = try NearendService(
    NearendOptions(
      graph: devices.graphOptions(remote: session?.socket, systemBus: session?.systemBus ?? .standard, environment),
      session: devices.sessionSettings, echoCanceller: devices.aec ?? .nearend, controlSocket: controlSocket,
      telemetry: telemetry, echo: echo))
  try service.start()
  if controlSocket == nil { service.remark("XDG_RUNTIME_DIR is not set: there is no control socket") }
  do {
    for id in devices.sink { try service.addGraphSink(id: id) }
  } catch {
    service.stop()
    throw .refused(reason: "\(error)")
  }
  return service
}

extension PrivateSession {
  /// A private session has its own login manager only.
  fileprivate var systemBus: SystemBusAddress {
    guard loginManager != nil, let address = environment["DBUS_SYSTEM_BUS_ADDRESS"] else { return .none }
    return .address(address)
  }
}

/// Shows the dashboard, or with `--headless` nothing, until a stop is requested.
func show(
  _ service: NearendService, _ display: DisplayOptions, _ terminal: TerminalDisplay?, _ stop: StopRequest, extraKeys: ExtraKeys? = nil
) throws(DashboardError) {
  guard let terminal else {
    stop.wait(seconds: display.seconds)
    if display.json { print(service.snapshot().json()) }
    return
  }
  try terminal.run(stop, extraKeys: extraKeys, snapshot: service.snapshot, perform: service.perform)
}

@Sendable private func printRemark(_ entry: LogEntry) {
  let level = entry.level == .info ? "" : "\(entry.level.rawValue): "
  standardError.write("nearend: \(level)\(entry.message)")
}
