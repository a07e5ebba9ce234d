import Foundation
import SimulatedHardware

/// The measured programs.
struct Programs {
  let nearend: String
  /// Another build to compare with.
  let other: String?
  let bench = "/proc/self/exe"

  /// - Throws: if there is no nearend, or no other one where one is named.
  init(nearend: String?, other: String? = nil) throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let beside = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("nearend").path
    self.nearend = nearend.map { URL(fileURLWithPath: $0).path } ?? beside
    self.other = other.map { URL(fileURLWithPath: $0).path }
    guard FileManager.default.isExecutableFile(atPath: self.nearend) else {
      throw BenchError(
        "there is no program \(self.nearend): build it with 'swift build -c release --product nearend', or name one with --nearend")
    }
    if let other = self.other, !FileManager.default.isExecutableFile(atPath: other) {
      throw BenchError("there is no program \(other), which --other names")
    }
  }
}

struct BenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A program between microphone, far end and loudspeaker.
struct Peer {
  var name: String
  var program: String
  var arguments: [String]
  /// The input port of the microphone.
  var microphone: String
  /// The output port of the processed voice.
  var voice: String
  /// The input port of the far end.
  var farEnd: String
  /// The output ports to the loudspeaker, left and right.
  var speaker: (left: String, right: String)
  /// Whether it links itself to the real devices as soon as something records or plays.
  var linksItself = false

  static func nearend(_ programs: Programs, voiceProcessing: Bool = true) -> Peer {
    Peer(
      name: voiceProcessing ? "nearend" : "nearend --no-voice-processing", program: programs.nearend,
      arguments: ["--headless", "--mic", "hw.mic", "--speaker", "hw.speaker"] + (voiceProcessing ? [] : ["--no-voice-processing"]),
      microphone: "nearend:mic_MONO", voice: "nearend.microphone:capture_MONO", farEnd: "nearend.speaker:playback_FL",
      speaker: ("nearend:speaker_FL", "nearend:speaker_FR"), linksItself: true)
  }

  /// The other build, if there is one.
  static func other(_ programs: Programs) -> Peer? {
    programs.other.map { program in
      var peer = nearend(programs)
      peer.name = "the other nearend"
      peer.program = program
      return peer
    }
  }

  /// The baseline: a filter that only copies.
  static func copy(_ programs: Programs) -> Peer {
    Peer(
      name: "copying filter", program: programs.bench, arguments: ["copy"], microphone: "copy:mic", voice: "copy:voice", farEnd: "copy:far",
      speaker: ("copy:speaker", "copy:speaker"))
  }

  /// A copying filter that also computes for `microseconds` in each cycle.
  static func work(_ programs: Programs, microseconds: Double) -> Peer {
    Peer(
      name: "working filter", program: programs.bench, arguments: ["copy", "--name", "work", "--work", "\(microseconds)"],
      microphone: "work:mic", voice: "work:voice", farEnd: "work:far", speaker: ("work:speaker", "work:speaker"))
  }

  /// PipeWire's own echo canceller with its default settings, mono, in a `pipewire` process of its own.
  static func echoCancel() -> Peer {
    Peer(
      name: "module-echo-cancel", program: "pipewire", arguments: ["-c", Self.echoCancelFile], microphone: "bench.capture:input_MONO",
      voice: "bench.source:capture_MONO", farEnd: "bench.sink:playback_MONO",
      speaker: ("bench.playback:output_FL", "bench.playback:output_FR"))
  }

  static let echoCancelFile = "echo-cancel.conf"
  static let echoCancelConfiguration = """
    context.properties = { log.level = 1 }
    context.spa-libs = { support.* = support/libspa-support  audio.convert.* = audioconvert/libspa-audioconvert }
    context.modules = [
      { name = libpipewire-module-rt  args = { nice.level = -11 }  flags = [ ifexists nofail ] }
      { name = libpipewire-module-protocol-native }
      { name = libpipewire-module-client-node }
      { name = libpipewire-module-adapter }
      { name = libpipewire-module-echo-cancel
        args = {
          library.name = aec/libspa-aec-webrtc  audio.channels = 1  audio.position = [ MONO ]
          capture.props = { node.name = bench.capture  target.object = hw.mic }
          source.props = { node.name = bench.source }
          sink.props = { node.name = bench.sink }
          playback.props = { node.name = bench.playback  target.object = hw.speaker }
        } }
    ]

    """
}
