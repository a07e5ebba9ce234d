import ArgumentParser
import ControlClient
import DashboardTerminal
import Foundation
import Nearend
import PipeWireGraph
import Platform
import Preferences
import SessionModel
import SimulatedHardware
import Synchronization

@main
struct NearendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nearend",
    abstract: "Voice-Processing I/O for Linux: echo cancellation, noise suppression and gain control for every application.",
    discussion: """
      Joins PipeWire as one filter, with two devices for applications: "Nearend Speaker" and "Nearend Microphone". Shows a dashboard (? lists its keys).
      If a nearend is already running, shows its dashboard. Without a daemon or a real device, rehearses in a simulated room.

      \(ExitStatus.help)
      """,
    version: nearendVersion,
    subcommands: [
      RehearseCommand.self, ProcessCommand.self, DevicesCommand.self, ConfigCommand.self, ResetCommand.self, IsolationCommand.self,
      EnableCommand.self, DisableCommand.self, TrayCommand.self, DoctorCommand.self, RoomCommand.self, TryPlugInCommand.self,
      TuningCommand.self,
    ],
    groupedSubcommands: [
      CommandGroup(
        name: "Remote control",
        subcommands: [
          StatusCommand.self, AttachCommand.self, GetCommand.self, SetCommand.self, ToggleCommand.self, MuteCommand.self,
          UnmuteCommand.self, UseCommand.self, ActivateCommand.self, DeactivateCommand.self, ResumeCommand.self, SinkCommand.self,
          StageCommand.self, SourceCommand.self, CallCommand.self, HangUpCommand.self, SendCommand.self, PlayIntoMicCommand.self,
          ListenCommand.self, PresetCommand.self, EventsCommand.self, DiagnosticsCommand.self, MetricsCommand.self,
          PlotCommand.self,
        ])
    ])

  @OptionGroup var devices: DeviceOptions
  @OptionGroup var display: DisplayOptions
  @OptionGroup var telemetry: TelemetryArguments
  @Flag(help: "Wait for the PipeWire daemon and for the devices of --mic and --speaker (with --headless).")
  var wait = false

  static func main() {
    // A reader of nearend's output may leave: that must cost only the output.
    signal(SIGPIPE, SIG_IGN)
    do {
      var command = try parseAsRoot()
      do { try command.run() } catch let error as ValidationError { Refusal(error, of: type(of: command)).end() }
    } catch {
      let words = Array(CommandLine.arguments.dropFirst())
      // The parser's "help nosuch" is the help of nearend.
      let isRefusal = exitCode(for: error) == .validationFailure
      if isRefusal || words.first == "help", let unknown = UnknownCommand(in: words, of: NearendCommand.self) {
        Refusal(ValidationError(unknown.message), of: unknown.parents[unknown.parents.count - 1]).end()
      }
      if isRefusal { Refusal(parsing: words, error).end() }
      exit(withError: error)
    }
    // Of what was printed nothing may be lost in silence, unless its reader has left.
    if fflush(nil) != 0, errno != EPIPE { fail("cannot write to standard output: \(SystemError.last)", .noOutput) }
  }

  func run() throws {
    try display.check()
    if wait, !display.headless { throw ValidationError("--wait needs --headless.") }
    let environment = ProcessInfo.processInfo.environment
    ServiceNotifier.clearEnvironment()
    let stop = StopRequest.onSignals()
    // Ctrl-Z in its terminal would stop everybody's sound, as would a line of its log while it runs in the background.
    if display.headless {
      for number in [SIGTSTP, SIGTTIN, SIGTTOU] { signal(number, SIG_IGN) }
      stop.whenRequested { StopLimit.begin() }
    }
    while try run(environment, stop) {}
  }

  /// Runs until a stop is requested. Returns whether a rehearsal was left for a daemon that has appeared.
  private func run(_ environment: [String: String], _ stop: StopRequest) throws -> Bool {
    let wishes = Wishes(devices, environment)
    let telemetryOptions = try telemetry.options(with: wishes.layers.configuration)
    let terminal = display.headless ? nil : TerminalDisplay.checked(display, glyphs: wishes.glyphs)
    if let terminal, attach(terminal, stop, environment) { return false }
    do {
      let (service, keeper) = try startService(
        in: nil, wishes: wishes, display: display, stop: stop, telemetry: telemetryOptions, waitsForArrival: wait)
      let notices = DesktopNotices(service, hasDashboard: terminal != nil)
      let tray = ServiceTray(service, environment)
      service.onPoll {
        notices.poll()
        tray.poll()
      }
      let end = OrderlyEnd(terminal == nil ? nil : stop) {
        keeper.stop()
        service.onPoll(nil)
        notices.stop()
        tray.stop()
        service.stop()
      }
      defer { end.run() }
      if display.headless || !service.snapshot().route.devices.isEmpty {
        let notifier = display.headless ? ServiceNotifier(environment) : nil
        notifier?.ready(service)
        defer { notifier?.stopping() }
        try show(service, display, terminal, stop)
        if let failure = stop.failure { throw failure }
        return false
      }
    } catch let error as GraphError {
      guard case .noDaemon(let reason) = error, !display.headless, devices.mic == nil, devices.speaker == nil else {
        fail(error, ExitStatus(error))
      }
      return rehearse(reason, terminal, stop)
    } catch {
      fail(error, .noTerminal)
    }
    return rehearse("there is no real audio device here", terminal, stop)
  }

  /// Shows the dashboard of a nearend that already runs, unless options require one of its own. Returns false if none runs.
  private func attach(_ terminal: TerminalDisplay, _ stop: StopRequest, _ environment: [String: String]) -> Bool {
    guard devices.isStandard, !telemetry.isGiven, let path = ControlPath.standard(environment) else { return false }
    let nearend = RunningNearend(client: ControlClient(path: path))
    guard let first = try? nearend.client.request("GET", "/status"), first.isSuccess else { return false }
    AttachedView.show(nearend, terminal, stop)
    return true
  }

  /// Returns whether the rehearsal was left for a daemon that has appeared.
  private func rehearse(_ reason: String, _ terminal: TerminalDisplay?, _ stop: StopRequest) -> Bool {
    let end = StopRequest()
    stop.whenRequested { end.request() }
    let arrival = DaemonArrival(stop: end)
    Rehearsal(
      devices: devices, display: display, note: "this is a rehearsal in a simulated room: \(reason)", arrival: arrival
    ).run(terminal, end)
    return arrival.isChosen && !stop.isRequested
  }
}

/// Starts nearend with the participants' devices that were requested, and with a keeper of people's preferences.
/// - Parameter stop: requested if nearend finds out later that it cannot do what it is to wait for.
func startService(
  in session: PrivateSession?, wishes: Wishes, display: DisplayOptions, stop: StopRequest,
  telemetry: TelemetryOptions = TelemetryOptions(), waitsForArrival: Bool = false
) throws(GraphError) -> (NearendService, PreferenceKeeper) {
  let environment = session?.environment ?? ProcessInfo.processInfo.environment
  let controlSocket = ControlPath.standard(environment)
  let printsLog = display.headless
  let events = EventBus { news in
    switch news {
    case .log(let entry): if printsLog { printRemark(entry) }
    case .failed(let error): stop.request(after: error)
    case .event, .participant: break
    }
  }
  var graph = wishes.graphOptions(remote: session?.socket, systemBus: session?.systemBus ?? .standard, environment)
  graph.waitsForArrival = waitsForArrival
  var options = NearendOptions(
    graph: graph, session: wishes.sessionSettings, echoCanceller: wishes.echoCanceller, controlSocket: controlSocket,
    telemetry: telemetry)
  options.plugInTrial = .ownProgram
  let service = try NearendService(options, events: events)
  try service.start()
  if controlSocket == nil { service.remark("XDG_RUNTIME_DIR is not set: there is no control socket") }
  for complaint in wishes.complaints { service.remark(complaint, .warning) }
  do {
    for id in wishes.sinks { try service.addGraphSink(id: id) }
  } catch {
    service.stop()
    throw .refused(reason: "\(error)")
  }
  let keeper = PreferenceKeeper(service, layers: wishes.layers, configuration: wishes.configurationPath, remembered: wishes.remembered)
  keeper.start()
  return (service, keeper)
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
  try terminal.run(
    stop, carriesSound: true, extraKeys: extraKeys, snapshot: service.snapshot, history: { service.history() },
    picture: { service.audition?.picture ?? CallHistory() },
    perform: {
      service.perform($0)
      return nil
    })
}

private let throttle = Mutex(LogThrottle())

private func printRemark(_ entry: LogEntry) {
  guard let omitted = throttle.withLock({ $0.admit(entry.level, at: monotonicSeconds()) }) else { return }
  if omitted > 0 {
    let words = "\(omitted) such messages left out, which came too fast; 'nearend diagnostics' has the newest"
    standardError.write(journal.line(entry.level, words) ?? "nearend: \(words)")
  }
  let level = entry.level == .info ? "" : "\(entry.level.rawValue): "
  standardError.write(journal.line(entry.level, entry.message) ?? "nearend: \(level)\(entry.message)")
}
