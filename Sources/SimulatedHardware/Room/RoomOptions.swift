import Platform

/// A room's options; `arguments` and `init(arguments:)` pass them to another process.
package struct RoomOptions: Sendable, Equatable {
  /// The daemon's socket.
  package var socket: String
  /// Frames per second of the graph.
  package var rate = 48_000
  /// The conversation's beginning, in seconds of CLOCK_MONOTONIC.
  package var epoch: Double
  /// The order of the conversation's phases.
  package var script = Conversation.Script.alternating
  /// Determines the conversation and the room's echo paths.
  package var seed: UInt64 = 1
  /// The microphones of one device that the room has; nil for one microphone.
  package var array: MicrophoneArray?
  /// Level of the echo at the microphone relative to the talker in the room, in dB.
  package var echo = -3.0
  /// Level of the microphone's noise, dBFS.
  package var noise = -65.0
  /// The node and port of the processed microphone.
  package var observed = "nearend.microphone:capture_MONO"
  /// Whether the processed microphone is recorded from the start.
  package var isObserving = false
  /// The initial acoustics.
  package var acoustics = Acoustics(loudspeakers: [SimulatedDevice.speaker.name], microphones: [SimulatedDevice.microphone.name])
  /// Whether devices are linked only while other clients play or record there, so that the room keeps no unused device running, and joins
  /// no two clocks.
  package var followsUse = false
  /// Folder of the synthesised speech; nil for `Speech.defaultCache`.
  package var cache: String?

  /// Creates options of a room with one loudspeaker and one microphone at the daemon's `socket`, and a conversation since `epoch`.
  package init(socket: String, epoch: Double) {
    self.socket = socket
    self.epoch = epoch
  }

  /// The conversation in the room; equal options give equal ones.
  package var conversation: Conversation { Conversation(script, seed: seed) }

  /// The options as words `name=value`, for a command line.
  package var arguments: [String] {
    var pairs = [
      ("socket", socket), ("rate", "\(rate)"), ("epoch", "\(epoch)"), ("script", script.rawValue), ("seed", "\(seed)"), ("echo", "\(echo)"),
      ("noise", "\(noise)"), ("observed", observed), ("observing", "\(isObserving)"), ("acoustics", acoustics.text),
      ("follows-use", "\(followsUse)"),
    ]
    if let array { pairs.append(("microphones", "\(array.count)")) }
    if let cache { pairs.append(("cache", cache)) }
    return pairs.map { "\($0)=\($1)" }
  }

  /// - Throws: `SessionError` that names the invalid argument.
  package init(arguments: [String]) throws {
    self.init(socket: "", epoch: monotonicSeconds())
    for argument in arguments {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      func value<T>(_ convert: (String) -> T?) throws -> T {
        guard parts.count == 2, let value = convert(parts[1]) else {
          throw SessionError(.invalidRequest, "room: '\(argument)' cannot be read", remedy: "give it as name=value")
        }
        return value
      }
      switch parts[0] {
      case "socket": socket = try value { $0 }
      case "rate": rate = try value { Int($0).flatMap { (8_000...192_000).contains($0) ? $0 : nil } }
      case "epoch": epoch = try value(Double.init)
      case "script": script = try value(Conversation.Script.init)
      case "seed": seed = try value { UInt64($0) }
      case "microphones": array = try value { Int($0).flatMap(MicrophoneArray.init(rawValue:)) }
      case "echo": echo = try value(Double.init)
      case "noise": noise = try value(Double.init)
      case "observed": observed = try value { $0 }
      case "observing": isObserving = try value(Bool.init)
      case "acoustics": acoustics = try value(Acoustics.init(text:))
      case "follows-use": followsUse = try value(Bool.init)
      case "cache": cache = try value { $0 }
      default: throw SessionError(.invalidRequest, "room: there is no argument '\(parts[0])'")
      }
    }
    guard !socket.isEmpty else { throw SessionError(.invalidRequest, "room: the argument socket=PATH is missing") }
  }
}
