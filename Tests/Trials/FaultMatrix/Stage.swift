import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import SimulatedHardware
import Synchronization

/// A desk, a room, nearend, the programs that use it, and the witness. Each traffic in each mode gets a nearend of its own; the session is
/// shared.
final class Stage {
  static let laptopSpeaker = "alsa_output.pci-0000_00_1f.3.analog-stereo"
  static let laptopMicrophone = "alsa_input.pci-0000_00_1f.3.analog-stereo"
  static let usbSpeaker = "alsa_output.usb-Simulated_USB_Headset-00.analog-stereo"
  static let usbMicrophone = "alsa_input.usb-Simulated_USB_Headset-00.mono-fallback"
  static let interfaceSpeaker = "alsa_output.usb-Simulated_Interface-00.analog-stereo"
  static let interfaceMicrophone = "alsa_input.usb-Simulated_Interface-00.multichannel-input"
  static let headsetSpeaker = "bluez_output.00_11_22_33_44_55.1"
  static let headsetMicrophone = "bluez_input.00_11_22_33_44_55.0"
  static let television = "alsa_output.pci-0000_01_00.1.hdmi-stereo"

  let session: PrivateSession
  let desk: Desk
  let login: LoginManager
  let service: NearendService
  let witness: Witness
  let traffic: Traffic
  let mode: Mode
  /// Programs of the current fault.
  var programs: [ChildProcess] = []
  /// Programs of all faults so far.
  var programCount = 0
  /// Serials of the nodes that are about to vanish.
  var formerCard: [String: UInt64] = [:]
  var formerFilter: UInt64?
  /// The node that was stopped.
  var driver = ""

  private let room: Room
  private var farEnd: FarEnd?
  private final class Heard: Sendable {
    let interruptions = Mutex<[String]>([])
    let recoveries = Mutex<Int>(0)
  }
  private let heard = Heard()
  private var subscription: EventBus.Subscription?

  static func makeSession() throws -> PrivateSession {
    var configuration = SessionConfiguration()
    configuration.desk = [DeskCard.make(.laptop), DeskCard.make(.hdmi)]
    configuration.hasLoginManager = true
    let session = try PrivateSession(configuration)
    try Data(silence).write(to: URL(fileURLWithPath: "\(session.path)/silence.wav"))
    return session
  }

  init(_ session: PrivateSession, _ traffic: Traffic, _ mode: Mode, defaultDevices: DefaultDeviceMode = .off) throws {
    (self.session, self.traffic, self.mode) = (session, traffic, mode)
    guard let desk = session.desk, let login = session.loginManager else { throw Unmet("a session without a desk") }
    (self.desk, self.login) = (desk, login)
    witness = try Witness(socket: session.socket)
    var options = GraphOptions(remote: session.socket)
    options.stateFolder = "\(session.path)/state/nearend"
    options.settings.defaultDeviceMode = defaultDevices
    options.interruptions.systemBus = .address("unix:path=\(session.path)/system-bus")
    var settings = SessionSettings()
    settings.isManual = mode.isManual
    service = try NearendService(NearendOptions(graph: options, session: settings))
    // The near end is only the room's noise. If it were suppressed, a canceller that has lost its adaptation would look like one that has
    // not.
    service.perform(.set(.noiseSuppression, false))
    service.perform(.set(.voiceProcessingEnableAGC, false))
    try service.start()
    var place = RoomOptions(socket: session.socket, epoch: monotonicSeconds() + 1e6)
    place.followsUse = true
    place.noise = -70
    place.cache = Speech.defaultCache
    place.acoustics = desk.acoustics
    let room = try Room(place)
    self.room = room
    try room.start()
    // Not while the desk is locked; one after another, so that the last change wins.
    let placement = DispatchQueue(label: "placement")
    desk.notify { [weak room, weak desk] in
      guard let room, let desk else { return }
      let acoustics = desk.acoustics
      placement.async { room.place(acoustics) }
    }
    let session = service.session
    subscription = service.events.subscribe { [heard] news in
      guard case .event(let event) = news else { return }
      switch event.kind {
      case .interruptionBegan:
        if case .string(let reason)? = event.detail["reason"] { heard.interruptions.withLock { $0.append(reason) } }
      case .interruptionEnded: if mode == .prompt { session.send(.activatedExternally) }
      case .didRecover: heard.recoveries.withLock { $0 += 1 }
      default: break
      }
    }
    if traffic.sends { service.session.send(.registerMedia(id: "mouth", isSend: true, isReceive: false)) }
    if traffic.receives {
      let sink = try service.addRingSink(id: "ear", sampleRate: FarEnd.rate, channelCount: 1, bufferSize: FarEnd.fill * 2)
      farEnd = FarEnd(into: sink)
    }
    witness.listen(toMicrophone: Self.laptopMicrophone)
    witness.record(traffic.sends)
    if mode.isManual, traffic != .idle { activate() }
    try waitForBaseline()
  }

  func stop() {
    farEnd?.stop()
    desk.notify(nil)
    room.stop()
    witness.stop()
    service.stop()
    for program in programs { program.end(grace: 1) }
  }

  // MARK: Facts

  var now: Snapshot { service.snapshot() }
  /// Reasons of the interruptions so far, oldest first.
  var interruptions: [String] { heard.interruptions.withLock { $0 } }
  /// How often a program was told that its sound is back after an interruption.
  var recoveries: Int { heard.recoveries.withLock { $0 } }
  var isHeldUp: Bool { !service.session.current.interruptions.isEmpty }
  func activate() { service.session.send(.activatedExternally) }

  /// Serials of nearend's filter and devices.
  var ours: [String: UInt64] { witness.serials { $0 == "nearend" || $0.hasPrefix("nearend.") } }

  /// The state in a word or two.
  var label: String {
    let now = now
    var words = now.session.state.rawValue
    if let reason = now.session.interruption?.reason.rawValue { words += " (\(reason))" }
    return now.route.isPausedAfterUnplug ? "\(words), paused" : words
  }

  var output: PortType? { now.route.current.outputs.first?.portType }
  var isHeardInTheRoom: Bool { output == .builtInSpeaker || output == .hdmi || speaker == Self.interfaceSpeaker }
  var speaker: String? { now.route.current.outputs.first?.name }
  var microphone: String? { now.route.current.inputs.first?.name }

  /// Frames that were written to the ring, but neither read nor waiting; nil without one.
  var missingFrames: Int? {
    guard traffic.receives, let sink = now.sinks.first else { return nil }
    return Int(sink.framesWritten) - Int(sink.framesRead) - sink.fillBytes / 2
  }

  /// Returns whether sound passes now, without a gap for `seconds`, on every path of the traffic.
  func sounds(for seconds: Double, since time: Double) -> Bool {
    func passes(_ track: SoundTrack) -> Bool {
      guard let run = track.run(since: time) else { return false }
      return run.upperBound - run.lowerBound >= seconds && monotonicSeconds() - run.upperBound < 0.12
    }
    return (!traffic.receives || passes(witness.speakers)) && (!traffic.sends || passes(witness.voice))
  }

  /// Returns whether nothing has been heard on any path for `seconds`.
  func isSilent(for seconds: Double) -> Bool {
    let begin = monotonicSeconds() - seconds
    return [witness.speakers, witness.voice].allSatisfy { !$0.sounds(from: begin, to: .infinity) }
  }

  /// Whether the links are as the traffic needs them.
  var isLinked: Bool {
    let graph = now.graph
    return (graph.renderLinks > 0) == (traffic != .idle) && (graph.captureLinks > 0) == traffic.sends
  }

  /// All facts, for failure messages.
  private var description: String {
    func level(_ track: SoundTrack) -> String {
      track.power(from: monotonicSeconds() - 0.5, to: monotonicSeconds()).map { "\(decimal(10 * log10(max($0, 1e-12)), 0)) dBFS" }
        ?? "no cycles"
    }
    let (graph, report) = (now.graph, room.report)
    return
      "\(label), \(now.route.current.words), \(graph.renderLinks) links to the speaker, \(graph.captureLinks) from the microphone; "
      + "speakers \(level(witness.speakers)), microphone \(level(witness.microphone)), voice \(level(witness.voice)); the room is "
      + "\(report.isLinked ? "linked" : "not linked"), its microphone at \(decimal(report.microphoneLevel, 0)) dBFS; "
      + "processing \(now.processing.microphoneLevel), \(now.processing.voiceLevel)"
  }

  // MARK: Waiting

  func wait(_ what: String, within seconds: Double = 10, _ fact: () throws -> Bool) throws {
    let end = monotonicSeconds() + seconds
    while try !fact() {
      guard monotonicSeconds() < end else { throw Unmet("\(seconds) s went by without \(what); \(description)") }
      usleep(5_000)
    }
  }

  /// Waits for the laptop's own speaker and microphone, without an interruption.
  func waitForBaseline() throws {
    try wait("the laptop's own devices", within: 20) {
      speaker == Self.laptopSpeaker && microphone == Self.laptopMicrophone && output == .builtInSpeaker && !isHeldUp
        && !now.route.isPausedAfterUnplug
    }
    let begin = monotonicSeconds()
    try wait("sound before anything happens", within: 20) { isLinked && sounds(for: 0.15, since: begin) }
  }

  /// What is heard of the echo from one time to another; nil without enough echo.
  func echo(from begin: Double, to end: Double) -> EchoLevels? {
    guard traffic == .both, let microphone = witness.microphone.power(from: begin, to: end),
      let voice = witness.voice.power(from: begin, to: end), microphone > 1e-6
    else { return nil }
    return EchoLevels(microphone: microphone, voice: voice)
  }

  /// Returns the echo of the last `EchoRecord.end` seconds once the canceller no longer gets better: below the room's noise, or for 2 s.
  func convergedEcho() throws -> EchoLevels {
    var best = (erle: -Double.infinity, time: monotonicSeconds())
    var levels: EchoLevels?
    try wait("a canceller that has converged", within: 15) {
      let now = monotonicSeconds()
      guard let heard = echo(from: now - EchoRecord.end, to: now) else { return false }
      levels = heard
      if heard.erle > best.erle + 0.5 { best = (heard.erle, now) }
      return heard.erle > heard.audible || heard.erle > 20 && now > best.time + 2
    }
    guard let levels else { throw Unmet("no echo") }
    return levels
  }

  /// Cycles that the room, nearend or a witness has missed, as on a busy machine: the sound around them says nothing of the canceller.
  var disturbances: Int { room.breaks + Int(now.graph.xruns) }

  /// When the sound that is heard now began, on every path of the traffic, at `time` or later; nil if some path is silent.
  func soundBegan(since time: Double) -> Double? {
    let tracks = (traffic.receives ? [witness.speakers] : []) + (traffic.sends ? [witness.voice] : [])
    let runs = tracks.map { $0.run(since: time)?.lowerBound }
    return runs.contains { $0 == nil } ? nil : runs.compactMap { $0 }.max()
  }

  /// A minute of silence as a WAVE file.
  private static var silence: [UInt8] {
    func bytes(_ values: UInt32...) -> [UInt8] { values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } } }
    let size: UInt32 = 48_000 * 2 * 60
    return Array("RIFF".utf8) + bytes(size + 36) + Array("WAVEfmt ".utf8)
      + bytes(16, 0x0001_0001, 48_000, 96_000, 0x0010_0002) + Array("data".utf8) + bytes(size) + [UInt8](repeating: 0, count: Int(size))
  }
}

/// A fact that did not become true.
struct Unmet: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
