import Platform
import SessionModel

/// Everything that the doctor examines, at one instant. A plain value, so that a test can describe any fault. [any]
package struct DoctorFacts: Sendable, Equatable {
  /// The daemon's graph; nil if no daemon answers.
  package var graph: GraphSurvey?
  /// Whether nearend could ask; if not, a daemon may well be there.
  package var asksDaemon = true
  /// Why there is no graph.
  package var daemonProblem = ""
  /// What to do about it; nil if it is to be started.
  package var daemonRemedy: String?
  /// The installed WirePlumber's version; nil if unknown.
  package var wirePlumber: String?

  /// The control socket.
  package enum Socket: Sendable, Equatable {
    /// No socket exists, or its path is unknown.
    case absent
    case answers
    /// The socket exists, but nothing listens.
    case stale
    /// Something listens, but gives no valid answer.
    case silent(reason: String)
    /// The socket exists, and whether something listens cannot be seen for want of something.
    case unasked(Shortage)
  }
  package var socket = Socket.absent
  package var socketPath = ""
  /// The status document of the running nearend.
  package var status: Snapshot?

  /// How nearend's audio thread is scheduled.
  package struct Realtime: Sendable, Equatable {
    /// 1–99; 0 without realtime priority.
    package var priority = 0
    /// RLIMIT_RTPRIO of the process.
    package var limit = 0
    package init(priority: Int = 0, limit: Int = 0) {
      self.priority = priority
      self.limit = limit
    }
  }
  /// nil if no nearend runs, or its thread cannot be examined.
  package var realtime: Realtime?
  /// Whether rtkit is installed, which grants priorities to processes without the right to them.
  package var hasRealtimeKit = false

  /// The problems in nearend.toml.
  package var configurationProblems: [String] = []
  /// What an earlier run left to restore: names of its parts.
  package var leftovers: [String] = []
  package var leftoversPath = ""
  /// The WebRTC engine's library and its generation; empty if none is installed, nil if nobody has looked.
  package var library: String?
  /// How to install it.
  package var libraryRemedy = ""

  package init() {}
}

/// The daemon's graph, as far as the doctor judges by it. [any]
package struct GraphSurvey: Sendable, Equatable {
  package struct Node: Sendable, Equatable {
    package var id: UInt32
    package var name: String
    package var description = ""
    /// "Audio/Sink", "Stream/Output/Audio", …; empty if it has none.
    package var mediaClass = ""
    /// The name of the client that created it; empty if it gives none.
    package var application = ""
    package var client: UInt32?
    /// Ports that put sound out, beside monitors.
    package var outputs = 0
    package init(
      id: UInt32, name: String, description: String = "", mediaClass: String = "", application: String = "", client: UInt32? = nil,
      outputs: Int = 0
    ) {
      self.outputs = outputs
      self.id = id
      self.name = name
      self.description = description
      self.mediaClass = mediaClass
      self.application = application
      self.client = client
    }
  }
  package struct Link: Sendable, Hashable {
    package var from: UInt32
    package var to: UInt32
    package init(from: UInt32, to: UInt32) {
      self.from = from
      self.to = to
    }
  }
  /// "0.3.65"
  package var daemonVersion = ""
  /// Whether a session manager runs.
  package var hasSessionManager = false
  package var nodes: [Node] = []
  /// Links from node to node.
  package var links: Set<Link> = []
  /// The session's defaults, by node name; nil if there is none, or the session manager does not report it.
  package var defaultSink: String?
  package var defaultSource: String?
  /// `clock.force-quantum` of the settings, in frames; 0 if none is forced.
  package var forcedQuantum = 0
  /// The id of the process that owns the node `nearend`.
  package var nearendProcess: Int32?

  package init() {}

  func node(_ id: UInt32) -> Node? { nodes.first { $0.id == id } }
  func node(named name: String?) -> Node? { nodes.last { $0.name == name } }

  /// Returns every node that sound from `id` reaches, or with `isBackwards` comes from, over links and through programs that take sound in
  /// and put it out.
  func reachable(from id: UInt32, isBackwards: Bool) -> Set<UInt32> {
    var (seen, waiting): (Set<UInt32>, [UInt32]) = ([id], [id])
    while let next = waiting.popLast() {
      var neighbours = links.compactMap { link in
        isBackwards ? (link.to == next ? link.from : nil) : (link.from == next ? link.to : nil)
      }
      if let group = node(next)?.filterGroup { neighbours += nodes.filter { $0.filterGroup == group }.map(\.id) }
      for neighbour in neighbours where seen.insert(neighbour).inserted { waiting.append(neighbour) }
    }
    return seen
  }
}

extension GraphSurvey.Node {
  var isStream: Bool { mediaClass.hasPrefix("Stream/") }
  var records: Bool { mediaClass == "Stream/Input/Audio" }
  var plays: Bool { mediaClass == "Stream/Output/Audio" }
  /// nearend's own devices and filter.
  var isOurs: Bool { name == "nearend" || name.hasPrefix("nearend.") }
  /// Its name for people.
  var words: String { application.isEmpty || application == name ? name : "\(application) (\(name))" }

  /// Identifies the ends of one canceller or denoiser; nil for other nodes.
  fileprivate var filterGroup: String? { voiceFilter.map { "\($0.name) \(client.map { "\($0)" } ?? "")" } }

  /// Another program's voice filter of which the node is an end; nil if it is none.
  var voiceFilter: VoiceFilter? {
    let text = "\(name) \(description)".lowercased()
    return isOurs ? nil : VoiceFilter.all.first { filter in filter.marks.contains { text.includes($0) } }
  }
}

/// Another program's canceller or denoiser, recognized by the names of its nodes.
struct VoiceFilter: Equatable {
  var name: String
  var marks: [String]
  var remedy: String

  static let all = [
    VoiceFilter(
      name: "module-echo-cancel", marks: ["echo-cancel", "echo_cancel", "echo cancel"],
      remedy: "unload it: remove libpipewire-module-echo-cancel from pipewire.conf.d, or pactl unload-module module-echo-cancel"),
    VoiceFilter(
      name: "EasyEffects", marks: ["easyeffects", "pulseeffects", "ee_sie_", "ee_soe_"],
      remedy: "in EasyEffects, take echo cancellation and noise reduction out of the input's effects, or end it for the call"),
    VoiceFilter(
      name: "an RNNoise filter", marks: ["rnnoise", "noise_suppression", "noise suppression", "noise-suppression"],
      remedy: "remove the filter from pipewire.conf.d or filter-chain.conf.d"),
    VoiceFilter(name: "NoiseTorch", marks: ["noisetorch", "nui_mic"], remedy: "unload it in NoiseTorch, or with noisetorch -u"),
  ]
}
