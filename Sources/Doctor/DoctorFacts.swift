import Platform
import SessionModel

/// All that the doctor looks at, at one instant. A plain value, so that whatever may be wrong can be written down in a test. [any]
package struct DoctorFacts: Sendable, Equatable {
  /// What the graph tells; nil where no daemon answers.
  package var graph: GraphSurvey?
  /// Why there is no graph.
  package var daemonProblem = ""
  /// The installed WirePlumber's version; nil where it does not tell.
  package var wirePlumber: String?

  /// The control socket.
  package enum Socket: Sendable, Equatable {
    /// Nobody has made one; or there is no telling where it would be.
    case absent
    case answers
    /// It is there, and nobody listens.
    case stale
    /// Somebody listens, and gives no good answer.
    case silent(reason: String)
  }
  package var socket = Socket.absent
  package var socketPath = ""
  /// The status document of the nearend that runs.
  package var status: Snapshot?

  /// How nearend's audio thread is scheduled.
  package struct Realtime: Sendable, Equatable {
    /// 1–99; 0 where it has no more right than every other thread.
    package var priority = 0
    /// RLIMIT_RTPRIO of the process.
    package var limit = 0
    package init(priority: Int = 0, limit: Int = 0) {
      self.priority = priority
      self.limit = limit
    }
  }
  /// nil where no nearend runs, or its thread is not to be seen.
  package var realtime: Realtime?
  /// Whether rtkit is installed, which gives priorities to who may not take them.
  package var hasRealtimeKit = false

  /// What is wrong with nearend.toml.
  package var configurationProblems: [String] = []
  /// What an earlier run left to put back: names of its parts.
  package var leftovers: [String] = []
  package var leftoversPath = ""
  /// The WebRTC engine's library and its generation.
  package var library = ""

  package init() {}
}

/// The daemon's graph, as much of it as the doctor judges by. [any]
package struct GraphSurvey: Sendable, Equatable {
  package struct Node: Sendable, Equatable {
    package var id: UInt32
    package var name: String
    package var description = ""
    /// "Audio/Sink", "Stream/Output/Audio", …; empty where it has none.
    package var mediaClass = ""
    /// The name of the client that made it; empty if it gives none.
    package var application = ""
    package var client: UInt32?
    package init(
      id: UInt32, name: String, description: String = "", mediaClass: String = "", application: String = "", client: UInt32? = nil
    ) {
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
  /// Whether a session manager is there.
  package var hasSessionManager = false
  package var nodes: [Node] = []
  /// From node to node.
  package var links: Set<Link> = []
  /// The session's defaults, by node name; nil where there is none, or the session manager does not tell.
  package var defaultSink: String?
  package var defaultSource: String?
  /// `clock.force-quantum` of the settings, in frames; 0: nobody forces one.
  package var forcedQuantum = 0
  /// The id of the process that has the node `nearend`.
  package var nearendProcess: Int32?

  package init() {}

  func node(_ id: UInt32) -> Node? { nodes.first { $0.id == id } }
  func node(named name: String?) -> Node? { nodes.last { $0.name == name } }

  /// Every node that sound from `id` reaches, or with `isBackwards` comes from, over links and through programs that take sound in and give
  /// it out.
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
  /// Who it is, for people.
  var words: String { application.isEmpty || application == name ? name : "\(application) (\(name))" }

  /// The ends of one canceller or denoiser belong together.
  fileprivate var filterGroup: String? { voiceFilter.map { "\($0.name) \(client.map { "\($0)" } ?? "")" } }

  /// The voice filter of others that it is an end of.
  var voiceFilter: VoiceFilter? {
    let text = "\(name) \(description)".lowercased()
    return isOurs ? nil : VoiceFilter.all.first { filter in filter.marks.contains { text.includes($0) } }
  }
}

/// A canceller or denoiser of somebody else's, known by the names of its nodes.
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
