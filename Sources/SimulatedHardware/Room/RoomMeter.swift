internal import Glibc

/// Compares the processing's input and output: echo return loss while only the far end talks, speech level while only the near end does.
/// Requires windows of 10 ms in order. A pure value.
struct RoomMeter: Sendable {
  /// Seconds around a change of phase that are excluded, because processing may be late.
  static let guardTime = 0.5
  /// Seconds of far-end talk before echo counts.
  static let adaptation = 5.0
  /// Windows over which a figure is computed.
  private static let span = 300
  /// The microphone's power above which it contains talk or echo, not only the room's noise, which nothing cancels.
  private static let activity = 3e-5
  /// All-zero windows after which the output counts as muted and says nothing about the canceller.
  private static let muted = 10
  /// Windows for which counting continues, so that late output is counted with its input.
  private static let hangover = 6

  private let conversation: Conversation
  private var farEndTalk = 0.0
  private var echo: [(before: Double, after: Double)] = []
  private var speech: [(before: Double, after: Double)] = []
  /// The time from which on windows are measured.
  private var begin = -Double.infinity
  private var quiet = Int.max
  /// Number of consecutive all-zero windows of the output.
  private var nothing = 0

  init(conversation: Conversation) { self.conversation = conversation }

  /// In dB; nil until measured.
  var erle: Double? { Self.ratio(echo).map { -$0 } }
  var nearEndLevel: Double? { Self.ratio(speech) }

  /// Adds the mean squares of microphone and output at `time`, in seconds since the epoch.
  mutating func add(microphone: Double, output: Double, at time: Double) {
    if conversation.phase(at: time) == .farEnd { farEndTalk += 0.01 }
    quiet = microphone > Self.activity ? 0 : min(quiet, .max - 1) + 1
    nothing = output > 0 ? 0 : min(nothing, .max - 1) + 1
    guard nothing < Self.muted, time >= begin else { return }
    switch conversation.settledPhase(at: time, guardTime: Self.guardTime) {
    case .farEnd where farEndTalk >= Self.adaptation && quiet <= Self.hangover: Self.append((microphone, output), to: &echo)
    case .nearEnd where quiet <= Self.hangover: Self.append((microphone, output), to: &speech)
    default: break
    }
  }

  /// Forgets what it has measured, but not for how long the far end has talked: that excludes the start of a call, not what a switch costs.
  ///
  /// - Parameter time: of the switch, in seconds since the epoch. Windows until then, and in which the processing changes, are left out.
  mutating func measureAnew(at time: Double) {
    echo = []
    speech = []
    begin = time + Self.guardTime
  }

  private static func append(_ window: (before: Double, after: Double), to windows: inout [(before: Double, after: Double)]) {
    windows.append(window)
    if windows.count > span { windows.removeFirst() }
  }

  /// Returns output over input in dB; nil before there are enough windows.
  private static func ratio(_ windows: [(before: Double, after: Double)]) -> Double? {
    guard windows.count >= 100 else { return nil }
    let before = windows.reduce(0) { $0 + $1.before }
    let after = windows.reduce(0) { $0 + $1.after }
    return before > 0 ? 10 * log10(max(after, 1e-12) / before) : nil
  }
}
