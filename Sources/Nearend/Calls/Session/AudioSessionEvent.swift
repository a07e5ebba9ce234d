import Foundation
import SessionModel

extension AudioSession {
  /// An event, with its time. [any]
  public struct Event: Sendable, Equatable {
    /// What has happened.
    public var kind: Kind
    /// When it happened.
    public var date: Date
    /// A Boolean value indicating whether this program's microphone has had sound so far.
    public var microphoneHadAudio: Bool
    /// The number of events dropped before this one because they were not consumed in time.
    public var missed: Int

    /// The kinds of events. Ids are those of calls, of participants, or of applications that use nearend's devices.
    public enum Kind: Sendable, Equatable {
      /// A participant joined: a call of this program, another program, or an application.
      case joined(id: String)
      /// A participant left.
      case left(id: String)
      /// Sound is interrupted; it resumes by itself.
      case interrupted(Interruption.Reason)
      /// An interruption ended; another may remain.
      case interruptionEnded(Interruption.Reason, lasted: Duration)
      /// Sound passes again.
      case recovered
      /// The route changed: another device, or another port or use of the same one, with the reason and the former route.
      case routeChanged(RouteChange)
      /// The devices in use changed, by node name.
      case devicesChanged(from: RouteEnds, to: RouteEnds)
      /// An output had nothing to play when it should have: the first gap of a run.
      case outputRanDry(id: String, total: Int)
      /// An output's buffer was full: the first refused write of a run.
      case outputOverflowed(id: String, total: Int)
      /// A write came much later than due.
      case outputJittered(id: String, late: Duration)
      /// The microphone's audio was not consumed in time.
      case microphoneOverflowed(id: String, lostCycles: Int)
      /// The graph missed cycles.
      case cyclesMissed(Int)
      /// Somebody talks into the muted microphone.
      case talkingWhileMuted
      /// A setting changed.
      case settingChanged(Setting, EventValue)
      /// An event that this version cannot read, from a newer nearend that the program has joined.
      case other(AudioEvent.Kind, id: String?, detail: [String: EventValue])
    }
  }
}

extension AudioSession.Event {
  init(_ event: AudioEvent, missed: Int) {
    kind = Kind(event)
    date = Date(timeIntervalSince1970: event.time)
    microphoneHadAudio = event.detail["sourceHadAudio"] == .bool(true)
    self.missed = missed
  }
}

extension AudioSession.Event.Kind {
  init(_ event: AudioEvent) { self = Self.known(event) ?? .other(event.kind, id: event.mediaId, detail: event.detail) }

  private static func known(_ event: AudioEvent) -> Self? {
    let id = event.mediaId
    switch event.kind {
    case .mediaRegistered: return id.map { .joined(id: $0) }
    case .mediaUnregistered: return id.map { .left(id: $0) }
    case .interruptionBegan: return event.reason.map { .interrupted($0) }
    case .interruptionEnded:
      guard let reason = event.reason, let duration = event.duration("duration") else { return nil }
      return .interruptionEnded(reason, lasted: duration)
    case .didRecover: return .recovered
    case .routeChange: return event.routeChange.map { .routeChanged($0) }
    case .deviceChange:
      let old = RouteEnds(microphone: event.name("previousMicrophone"), speaker: event.name("previousSpeaker"))
      return .devicesChanged(from: old, to: RouteEnds(microphone: event.name("microphone"), speaker: event.name("speaker")))
    case .sinkUnderrun: return event.counted("total").map { .outputRanDry(id: $0.id, total: $0.count) }
    case .sinkFrameDrop: return event.counted("total").map { .outputOverflowed(id: $0.id, total: $0.count) }
    case .sinkJitterSpike:
      guard let id, let late = event.duration("late") else { return nil }
      return .outputJittered(id: id, late: late)
    case .sourceOverrun: return event.counted("lost").map { .microphoneOverflowed(id: $0.id, lostCycles: $0.count) }
    case .graphOverrun: return event.integer("missed").map { .cyclesMissed($0) }
    case .talkingWhileMuted: return .talkingWhileMuted
    case .settingChanged:
      guard let setting = event.detail["setting"]?.word(Setting.self), let value = event.detail["value"] else { return nil }
      return .settingChanged(setting, value)
    }
  }
}

extension AudioEvent {
  fileprivate var reason: Interruption.Reason? { detail["reason"]?.word() }

  /// "" stands for none.
  fileprivate func name(_ key: String) -> String? {
    guard case .string(let name)? = detail[key], !name.isEmpty else { return nil }
    return name
  }

  fileprivate func integer(_ key: String) -> Int? {
    if case .integer(let value)? = detail[key] { value } else { nil }
  }

  fileprivate func counted(_ key: String) -> (id: String, count: Int)? {
    guard let mediaId, let count = integer(key) else { return nil }
    return (mediaId, count)
  }

  /// A duration in seconds; whole ones come from JSON as integers.
  fileprivate func duration(_ key: String) -> Duration? {
    let seconds: Double? =
      switch detail[key] {
      case .number(let value)?: value
      case .integer(let value)?: Double(value)
      default: nil
      }
    // Far beyond anything real, and well within a Duration's range.
    guard let seconds, abs(seconds) <= 1e12 else { return nil }
    return .seconds(seconds)
  }
}

extension LogEntry {
  /// When it was logged.
  public var date: Date { Date(timeIntervalSince1970: time) }
}
