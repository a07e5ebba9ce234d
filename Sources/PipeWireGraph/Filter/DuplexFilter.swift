import PipeWireClient
import RealtimeCore
import SessionModel

/// The filter node: its ports, its latencies, and the path from PipeWire's process callback into the core. [control]
final class DuplexFilter {
  /// The filter's ports in the order of `PortTable`.
  struct Ports {
    let microphone: FilterPort
    let reference: (left: FilterPort, right: FilterPort)
    let call: (left: FilterPort, right: FilterPort)
    let voice: FilterPort
    let speaker: (left: FilterPort, right: FilterPort)
  }
  /// The latencies of the graph at the filter's ports.
  struct Latencies: Equatable {
    /// From the air to `mic_MONO`, or to the channels' ports.
    var microphone = Filter.Latency()
    /// From `speaker_*` to the air.
    var speaker = Filter.Latency()
    /// From the applications to `call_*`.
    var call = Filter.Latency()
    /// From `voice_MONO`, or `voice_FL`, to the applications.
    var voice = Filter.Latency()
  }

  let filter: Filter
  let ports: Ports
  private(set) var latencies = Latencies()
  private let table: PortTable
  /// Of a microphone with several channels: `mic_1`, `mic_2`, …
  private var channelPorts: [FilterPort] = []
  /// Of a voice in stereo: `voice_FL`, `voice_FR`.
  private var voicePorts: (left: FilterPort, right: FilterPort)?
  /// That one of the microphone's ports which told its latency.
  private var linkedMicrophone: FilterPort?
  /// The same of the voice's.
  private var linkedVoice: FilterPort?
  private var sinkPorts: [String: (left: FilterPort, right: FilterPort)] = [:]
  private var unusedSinkPorts: [(left: FilterPort, right: FilterPort)] = []
  /// Pairs of ports reserved for the return of their participant before others get them, because tools that list the registry see a port's
  /// first name.
  private static let mostUnused = 16
  private var captureFrames = 0
  private var renderFrames = 0

  private var isKeptAwake = false
  private static let properties: Properties = [
    "node.description": "Nearend", "media.name": "Voice processing", "node.passive": "true",
  ]
  /// PipeWire re-evaluates the graph when a node's group changes, but not when `node.always-process` does. The group has no other members.
  private static func awake(_ value: Bool) -> Properties {
    ["node.always-process": "\(value)", "node.group": value ? "nearend.awake" : "nearend.asleep"]
  }

  enum Event {
    case state(Filter.State)
    case latencyChanged
    case parameters([ParameterChange])
  }

  init(_ connection: Connection, core: AudioCore, handler: @escaping (Event) -> Void) throws(PipeWireError) {
    table = PortTable(core: core)
    let latencies = EventSender<(FilterPort, Filter.Latency)>()
    filter = try Filter(
      connection, name: NodeNames.filter, properties: Self.properties.merging(Self.awake(false)) { $1 },
      data: table.realtime, process: processCycle, keepingAlive: table
    ) { event in
      switch event {
      case .state(let state): handler(.state(state))
      case .latency(let port, let latency):
        latencies.send((port, latency))
        handler(.latencyChanged)
      case .parameters(let changes): handler(.parameters(changes))
      }
    }
    ports = Ports(
      microphone: try filter.addPort(.input, name: "mic_MONO", properties: ["audio.channel": "MONO"]),
      reference: try Self.addPair(filter, .input, "ref"),
      call: try Self.addPair(filter, .input, "call"),
      voice: try filter.addPort(.output, name: "voice_MONO", properties: ["audio.channel": "MONO"]),
      speaker: try Self.addPair(filter, .output, "speaker"))
    table.set(ports)
    latencies.connect(to: self) { $0.latencyChanged($1.0, $1.1) }
    try filter.connect(reportsLatency: true)
  }

  /// Returns whether a port of that name takes the microphone, or a channel of it; a participant's is never called so.
  static func isMicrophonePort(_ name: String) -> Bool {
    name == "mic_MONO" || name.hasPrefix("mic_") && Int(name.dropFirst(4)) != nil
  }

  /// Makes ports for the channels of a microphone that has several, `mic_1`, `mic_2`, …; they stay (V15).
  func makeChannelPorts(_ count: Int) throws(PipeWireError) {
    guard count > 1 else { return }
    while channelPorts.count < min(count, MicrophoneChannels.most) {
      let number = channelPorts.count + 1
      let port = try filter.addPort(.input, name: "mic_\(number)", properties: ["audio.channel": "AUX\(number - 1)"])
      channelPorts.append(port)
      table.addChannel(port)
    }
  }

  /// Makes ports for a voice in stereo, `voice_FL` and `voice_FR`; they stay (V16).
  func makeVoicePorts() throws(PipeWireError) {
    guard voicePorts == nil else { return }
    let pair = try Self.addPair(filter, .output, "voice")
    voicePorts = pair
    table.setVoice(left: pair.left, right: pair.right)
    publishLatencies()
  }

  /// Adds two ports for a participant's device, `<id>_FL` and `<id>_FR`, whose audio goes into `slot` of the render path.
  func addSinkPorts(id: String, slot: Int) throws(PipeWireError) -> [String] {
    let pair: (left: FilterPort, right: FilterPort)
    let sameName = unusedSinkPorts.firstIndex { $0.left.firstName == "\(id)_FL" }
    if let index = sameName ?? (unusedSinkPorts.count < Self.mostUnused ? nil : 0) {
      pair = unusedSinkPorts.remove(at: index)
      filter.rename(pair.left, to: "\(id)_FL")
      filter.rename(pair.right, to: "\(id)_FR")
    } else {
      pair = try Self.addPair(filter, .input, id)
    }
    sinkPorts[id] = pair
    table.setSink(slot, left: pair.left, right: pair.right)
    return [pair.left.name, pair.right.name]
  }

  func removeSinkPorts(id: String, slot: Int) {
    guard let pair = sinkPorts.removeValue(forKey: id) else { return }
    table.setSink(slot, left: nil, right: nil)
    // '~' cannot be part of a participant's id.
    filter.rename(pair.left, to: "~\(slot)_FL")
    filter.rename(pair.right, to: "~\(slot)_FR")
    unusedSinkPorts.append(pair)
  }

  var sinkPortNames: [String: [String]] { sinkPorts.mapValues { [$0.left.name, $0.right.name] } }

  /// Keeps the filter and the devices linked with it running although nothing in the graph requires it. Requires a daemon with passive
  /// ports.
  func keepAwake(_ value: Bool) {
    guard value != isKeptAwake else { return }
    isKeptAwake = value
    filter.update(Self.awake(value))
  }

  /// Reports the latencies in frames to the graph: from microphone to voice (V8), and from call to speaker, which is that of the program's
  /// own stages (S6).
  func setLatency(capture: Int, render: Int) {
    guard capture != captureFrames || render != renderFrames else { return }
    (captureFrames, renderFrames) = (capture, render)
    filter.setProcessLatency(frames: capture)
    publishLatencies()
  }

  private func latencyChanged(_ port: FilterPort, _ latency: Filter.Latency) {
    if port === ports.microphone || port === channelPorts.first {
      // One of them is not linked, and tells nothing.
      if latency == Filter.Latency(), linkedMicrophone !== port { return }
      (latencies.microphone, linkedMicrophone) = (latency, port)
    } else if port === ports.voice || port === voicePorts?.left {
      if latency == Filter.Latency(), linkedVoice !== port { return }
      (latencies.voice, linkedVoice) = (latency, port)
    } else if port === ports.call.left {
      latencies.call = latency
    } else if port === ports.speaker.left {
      latencies.speaker = latency
    } else {
      return
    }
    publishLatencies()
  }

  private func publishLatencies() {
    for port in [ports.voice] + [voicePorts?.left, voicePorts?.right].compactMap({ $0 }) {
      filter.setLatency(latencies.microphone.later(by: captureFrames), of: port, direction: .output)
    }
    for port in [ports.microphone] + channelPorts {
      filter.setLatency(latencies.voice.later(by: captureFrames), of: port, direction: .input)
    }
    let (call, speaker) = (latencies.call.later(by: renderFrames), latencies.speaker.later(by: renderFrames))
    for port in [ports.speaker.left, ports.speaker.right] { filter.setLatency(call, of: port, direction: .output) }
    for port in [ports.call.left, ports.call.right] { filter.setLatency(speaker, of: port, direction: .input) }
  }

  private static func addPair(
    _ filter: Filter, _ direction: Filter.Direction, _ name: String
  ) throws(PipeWireError) -> (left: FilterPort, right: FilterPort) {
    (
      try filter.addPort(direction, name: "\(name)_FL", properties: ["audio.channel": "FL"]),
      try filter.addPort(direction, name: "\(name)_FR", properties: ["audio.channel": "FR"])
    )
  }
}
