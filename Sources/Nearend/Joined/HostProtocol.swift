import SessionModel

/// The protocol between a joined program and its host, the nearend that it has joined, beside the control socket's plain requests. [any]
///
/// Each of these requests is upgraded from HTTP to a stream, in native byte order, that ends with its connection:
///
///     GET /join      host ─▶ program: a `Welcome`, then events, a line of JSON each. The program is a member as long as this lasts.
///     GET /playout   program ─▶ host: records of PCM; host ─▶ program: how many bytes have left the ring, 8 bytes each time
///     GET /voice     host ─▶ program: cycles of the voice
enum HostProtocol {
  static let version = 1
  /// The protocol's name in `Upgrade:`.
  static let name = "nearend-stream"
  /// Maximum bytes of a line of JSON.
  static let longestLine = 64 << 10

  /// The host's first line.
  struct Welcome: Codable, Sendable {
    var version: Int
    /// The program's number, for the requests that concern it.
    var program: Int
    /// The host's version.
    var nearend: String
    /// The host's process.
    var process: Int
    var settings: [String: EventValue]
    var interruptions: [Interruption.Reason]

    /// The settings that this version knows, with valid values.
    var checkedSettings: [Setting: EventValue] { HostProtocol.checked(settings) }
  }

  /// Returns the settings that this version knows, with valid values.
  static func checked(_ values: [String: EventValue]) -> [Setting: EventValue] {
    var settings: [Setting: EventValue] = [:]
    for (name, value) in values {
      guard let setting = Setting(rawValue: name), let value = try? setting.checked(value) else { continue }
      settings[setting] = value
    }
    return settings
  }

  /// Precedes what a program sends for a sink.
  struct SinkRecord {
    enum Kind: UInt32 {
      /// `count` bytes of PCM follow.
      case audio = 1
      /// `count` writes were refused because the ring was full; nothing follows.
      case drops = 2
    }
    var kind: UInt32
    var count: UInt32

    init(_ kind: Kind, count: Int) { (self.kind, self.count) = (kind.rawValue, UInt32(count)) }
    static let size = 8
  }

  /// What a program has dropped itself, in a request `POST /drops/<id>`.
  struct SinkDrops: Codable {
    /// Frames in this run.
    var consecutive: UInt64
    /// Frames since the sink was registered.
    var total: UInt64
  }

  /// Precedes the samples of a cycle of the voice, 32-bit floating point, mono.
  struct VoiceRecord {
    var frames: UInt32 = 0
    /// Hz.
    var rate: UInt32 = 0
    /// 1 if the microphone has had audio other than silence since the last cycle.
    var hasAudio: UInt32 = 0
    /// Cycles lost since the stream began, because the program was too slow.
    var lost: UInt32 = 0
    static let size = 16
    static let frameCounts = 1...8_192
  }

  /// The bytes of a plain value.
  static func bytes<Value: BitwiseCopyable>(of value: Value) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

  /// Reads a plain value; nil if there are too few bytes.
  static func read<Value: BitwiseCopyable>(_ type: Value.Type, from bytes: ArraySlice<UInt8>) -> Value? {
    guard bytes.count >= MemoryLayout<Value>.size else { return nil }
    return bytes.withUnsafeBytes { $0.loadUnaligned(as: type) }
  }
}
