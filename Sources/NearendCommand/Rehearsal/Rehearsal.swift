import ArgumentParser
import DashboardTerminal
import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import SimulatedHardware
import Synchronization

/// The whole product live in a simulated room (O3): a private PipeWire session, a loudspeaker heard at the microphone, somebody who talks
/// there, and three remote participants behind a network.
struct Rehearsal {
  var devices: DeviceOptions
  var display: DisplayOptions
  /// Frames per cycle forced upon the private session; nil leaves the choice to PipeWire.
  var quantum: Int?
  /// Whether the devices are those of a desk, which are plugged and unplugged by keys and a script.
  var hasDesk = false
  /// The microphones of an array, in place of one.
  var array: MicrophoneArray?
  var script: IncidentScript?
  /// Why there is a rehearsal, if none was requested.
  var note: String?
  /// Watches for a real daemon to replace the rehearsal; nil if the rehearsal was requested.
  var arrival: DaemonArrival?

  /// Seconds before the conversation begins, in which everything starts.
  private static let lead = 1.5
  /// Length of each participant's ring.
  private static let bufferSeconds = 0.2

  /// Runs until a stop is requested; leaves nothing behind. Ends the process if a rehearsal is impossible.
  func run(_ terminal: TerminalDisplay?, _ stop: StopRequest) {
    do {
      try runSession(terminal, stop)
    } catch let error as SessionError {
      if let note { fail("\(note); but \(error)", .unavailable) }
      fail(error, .unavailable)
    } catch let error as GraphError {
      fail(error, ExitStatus(error))
    } catch let error as DashboardError {
      fail(error, .noTerminal)
    } catch {
      fail(error, .failure)
    }
  }

  private func runSession(_ terminal: TerminalDisplay?, _ stop: StopRequest) throws {
    try Speech.synthesise([.nearEnd] + Voice.farEnd)
    var configuration = SessionConfiguration()
    configuration.quantum = quantum
    // Only other applications would need it, and installing it could change the machine's own audio stack.
    configuration.runsPulse = SessionConfiguration.Daemon.pulse.isInstalled
    if hasDesk {
      configuration.desk = RehearsedDesk.cards.map { DeskCard.make($0) }
      configuration.hasLoginManager = true
    }
    if let array { configuration.devices = [.speaker, array.device] }
    let session = try PrivateSession(configuration)
    defer { session.end() }
    let (service, keeper) = try startService(in: session, wishes: Wishes(devices), display: display, stop: stop)
    let end = OrderlyEnd(terminal == nil ? nil : stop) {
      keeper.stop()
      service.stop()
    }
    defer { end.run() }
    if let note { service.remark(note) }
    service.remark("the private session: XDG_RUNTIME_DIR=\(session.path) PIPEWIRE_RUNTIME_DIR=\(session.path) pw-top")
    service.remark("its control socket: XDG_RUNTIME_DIR=\(session.path) nearend status")

    let epoch = monotonicSeconds() + Self.lead
    let conversation = Conversation()
    let participants = try Participant.Profile.three.enumerated().map { talker, profile in
      try Participant(profile, talker: talker, conversation: conversation, epoch: epoch)
    }
    for participant in participants {
      let profile = participant.profile
      let sink = try service.addRingSink(
        id: devices.sink.contains(profile.name) ? "\(profile.name) (simulated)" : profile.name, sampleRate: profile.rate,
        channelCount: profile.channels,
        bufferSize: Int(Double(profile.rate) * Self.bufferSeconds) * profile.channels * MemoryLayout<Int16>.size)
      participant.start { sink.write($0) }
    }
    defer { for participant in participants { participant.stop() } }
    var options = RoomOptions(socket: session.socket, epoch: epoch)
    options.isObserving = true
    // The room lives in the session, whose own cache is empty.
    options.cache = Speech.defaultCache
    if let array {
      options.array = array
      options.acoustics = Acoustics(loudspeakers: [SimulatedDevice.speaker.name], microphones: [array.device.name])
    }
    if let desk = session.desk {
      options.acoustics = desk.acoustics
      options.followsUse = true
    }
    let room = try RoomProcess(in: session, executable: "/proc/self/exe", options: options)
    defer { room.end() }
    service.completeSnapshots { $0.rehearsal = room.report.map(RehearsalStatus.init) }
    let switches = room.measureAnew(atSwitchesOf: service)
    defer { switches.cancel() }
    arrival?.watch { service.remark($0) }
    defer { arrival?.end() }
    guard let devices = session.desk else {
      let keys = array.map { _ in RehearsedArray(room: room, service: service).extraKeys }
      return try show(service, display, terminal, stop, extraKeys: keys ?? arrival?.extraKeys)
    }
    devices.notify { [weak devices] in
      if let devices { room.place(devices.acoustics) }
    }
    defer { devices.notify(nil) }
    let desk = RehearsedDesk(session: session, service: service)
    defer { desk.end() }
    if let script { desk.run(script, epoch: epoch) }
    if terminal != nil { service.remark("simulated desk: keys \(desk.extraKeys.label), help with ?") }
    try show(service, display, terminal, stop, extraKeys: desk.extraKeys)
  }
}

extension RehearsalStatus {
  init(_ report: RoomReport) {
    self.init(phase: Phase(report.phase), erle: report.erle, nearEndLevel: report.nearEndLevel, seconds: max(0, report.seconds))
  }
}

extension RehearsalStatus.Phase {
  init(_ phase: Conversation.Phase) {
    switch phase {
    case .silence: self = .silence
    case .farEnd: self = .farEnd
    case .nearEnd: self = .nearEnd
    case .doubleTalk: self = .doubleTalk
    }
  }
}

struct RehearseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rehearse",
    abstract:
      "Run everything in a simulated room: a private PipeWire session, real acoustic echo, remote participants, somebody who talks.",
    discussion: """
      With --desk, a laptop with a jack, a television, a USB headset, a Bluetooth headset and a login session is simulated. In the dashboard these keys \
      toggle: P headphones in the jack, U the USB headset, W the Bluetooth headset, T the television, Z sleep, S the seat (given to another login \
      session). Each line of a file for --incidents is the seconds since the start and an incident; # begins a comment:
        2.0 plug headphones
        9.5 unplug headphones
      There is: \(Incident.forms.joined(separator: "; ")).

      With --microphones, the microphone is an array: 2 that are 6 cm apart, 4 in a line of 12 cm, or 6 in a circle of 9 cm. They differ by up to 6 dB. \
      In the dashboard the key X lets the second die, and live again.
      """
  )

  @OptionGroup var devices: DeviceOptions
  @OptionGroup var display: DisplayOptions
  @Option(parsing: .unconditional, help: ArgumentHelp("Force the private session's quantum, 32 to 8192 frames.", valueName: "frames"))
  var quantum: Int?
  @Flag(help: "Simulate a desk whose devices are plugged and unplugged.")
  var desk = false
  @Option(parsing: .unconditional, help: ArgumentHelp("Simulate an array of 2, 4 or 6 microphones.", valueName: "number"))
  var microphones: Int?
  @Option(help: ArgumentHelp("A script of incidents (with --desk).", valueName: "file"), completion: .file())
  var incidents: String?
  /// The parent's parser runs first, and accepts telemetry's options anywhere.
  @ParentCommand var nearend: NearendCommand

  func validate() throws {
    if let quantum, !(32...8192).contains(quantum) { throw ValidationError("--quantum \(quantum): give 32 to 8192 frames.") }
    if let microphones {
      guard MicrophoneArray(rawValue: microphones) != nil else { throw ValidationError("--microphones \(microphones): give 2, 4 or 6.") }
      if desk { throw ValidationError("--microphones and --desk exclude each other: the desk has microphones of its own.") }
    }
    if incidents != nil, !desk { throw ValidationError("--incidents needs --desk.") }
  }

  func run() throws {
    try display.check()
    if nearend.telemetry.isGiven { throw ValidationError("A rehearsal sends no telemetry: leave out the --telemetry options.") }
    if nearend.wait { throw ValidationError("A rehearsal has its own daemon and devices, and waits for none: leave out --wait.") }
    let script = incidents.map(Self.script)
    let stop = StopRequest.onSignals()
    let terminal = display.headless ? nil : TerminalDisplay.checked(display)
    let array = microphones.flatMap(MicrophoneArray.init)
    Rehearsal(devices: devices, display: display, quantum: quantum, hasDesk: desk, array: array, script: script).run(terminal, stop)
  }

  /// Ends the process if the file cannot be read.
  private static func script(_ path: String) -> IncidentScript {
    do {
      return try IncidentScript(String(contentsOfFile: path, encoding: .utf8))
    } catch let error as SessionError {
      fail("--incidents \(path): \(error)", .noInput)
    } catch {
      let reason = access(path, R_OK) == 0 ? "it is not valid UTF-8" : String(cString: strerror(errno))
      fail("--incidents \(path): it cannot be read (\(reason)); give a text file with lines such as: 2.0 plug headphones", .noInput)
    }
  }
}

/// The simulated room's own process, started by a rehearsal.
struct RoomCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "room", abstract: "The simulated room of a rehearsal; started by it.", shouldDisplay: false)

  @Argument(help: "name=value, as the rehearsal gives them.")
  var options: [String] = []

  func run() throws {
    do { try runRoom(arguments: options) } catch { fail(error, .failure) }
  }
}
