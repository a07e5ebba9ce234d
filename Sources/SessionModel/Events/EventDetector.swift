/// Derives events from counters that only grow. Pure; times are given, so that any schedule can be tested. [any]
///
/// - `sinkUnderrun` and `sinkFrameDrop` are posted for the first of a run; a continuing run is not reported again (K5, K6).
/// - What a sink drops while none is played, as in an interruption, is no news, and spends nobody's 5 minutes.
/// - Each kind is posted at most once in 5 minutes per sink or source, `graphOverrun` once in 5 minutes.
/// - `talkingWhileMuted` is posted when it begins, at most once in 10 s (D2).
/// - `deviceChange` is always posted. (`routeChange` comes from `PipeWireGraph`, which knows the reason.)
package struct EventDetector: Sendable {
  package struct Event: Sendable, Equatable {
    package var kind: AudioEvent.Kind
    package var mediaId: String?
    package var detail: [String: EventValue]

    package init(kind: AudioEvent.Kind, mediaId: String? = nil, detail: [String: EventValue]) {
      self.kind = kind
      self.mediaId = mediaId
      self.detail = detail
    }
  }

  /// Seconds between two events of a kind about the same subject (K6).
  package static let interval = 300.0

  /// Seconds between two reminders that the microphone is muted (D2), in case the first was missed.
  package static let talkInterval = 10.0

  private struct Subject: Hashable {
    var kind: AudioEvent.Kind
    var mediaId: String?
  }
  /// When each event was last posted.
  private var told: [Subject: Double] = [:]
  private var last = AudioObservation()
  private var route: RouteEnds?

  package init() {}

  // MARK: Comparing observations

  /// Returns the events since the previous observation. `time` is in seconds of a monotonic clock.
  package mutating func update(_ new: AudioObservation, at time: Double) -> [Event] {
    let old = last
    last = new
    removeAbsentSinks(new)
    let before = Dictionary(old.sinks.map { ($0.id, $0) }) { first, _ in first }
    let goesOn = new.playback != nil && new.playback == old.playback
    let isNext = new.playback != nil && old.playback != nil && !goesOn
    var found: [Event] = []
    for (index, sink) in new.sinks.enumerated() {
      var former = before[sink.id] ?? AudioObservation.Sink(id: sink.id)
      if !goesOn {
        former.totalDrops = isNext ? sink.formerDrops : sink.totalDrops
        former.consecutiveDrops = 0
        // A run that is still there at the next observation is one of playback.
        if !isNext { last.sinks[index].consecutiveDrops = 0 }
      }
      found += events(from: former, to: sink)
    }
    let missed = Self.growth(old.xruns, new.xruns)
    if missed > 0 {
      found.append(
        Event(
          kind: .graphOverrun,
          detail: [
            "missed": .count(missed), "total": .count(new.xruns), "quantum": .integer(new.quantum), "rate": .integer(new.rate),
            "busyRatioPeak": .number(new.busyRatioPeak),
          ]))
    }
    if new.isTalkingWhileMuted, !old.isTalkingWhileMuted { found.append(Event(kind: .talkingWhileMuted, detail: [:])) }
    return found.filter { isNews($0, at: time) }
  }

  /// Returns the event for the first refused write of a run, as reported by a program (K6).
  package mutating func frameDrop(
    mediaId: String, consecutive: UInt64, total: UInt64, totalUnderruns: UInt64, at time: Double
  ) -> Event? {
    let event = Self.frameDrop(mediaId, consecutive: consecutive, total: total, totalUnderruns: totalUnderruns)
    return isNews(event, at: time) ? event : nil
  }

  /// Returns the event for the first time of a run that the source's consumer read its audio too late.
  /// - Parameters:
  ///   - mediaId: the source's.
  ///   - lost: cycles since the previous run.
  ///   - total: cycles since registration.
  ///   - time: in seconds, of the same clock as for `update`.
  package mutating func sourceOverrun(mediaId: String, lost: UInt64, total: UInt64, at time: Double) -> Event? {
    let event = Event(kind: .sourceOverrun, mediaId: mediaId, detail: ["lost": .count(lost), "total": .count(total)])
    return isNews(event, at: time) ? event : nil
  }

  /// Updates with the devices in use. The first call reports no change.
  package mutating func update(_ new: RouteEnds) -> Event? {
    let old = route
    route = new
    guard let old, old != new else { return nil }
    // "" means none.
    func name(_ name: String?) -> EventValue { .string(name ?? "") }
    return Event(
      kind: .deviceChange,
      detail: [
        "microphone": name(new.microphone), "speaker": name(new.speaker), "previousMicrophone": name(old.microphone),
        "previousSpeaker": name(old.speaker),
      ])
  }

  // MARK: Rules

  private func events(from old: AudioObservation.Sink, to new: AudioObservation.Sink) -> [Event] {
    var found: [Event] = []
    if let consecutive = Self.newRun((old.consecutiveUnderruns, old.totalUnderruns), (new.consecutiveUnderruns, new.totalUnderruns)) {
      let detail: [String: EventValue] = [
        "consecutive": .count(consecutive), "total": .count(new.totalUnderruns), "totalUnderruns": .count(new.totalUnderruns),
      ]
      found.append(Event(kind: .sinkUnderrun, mediaId: new.id, detail: detail))
    }
    if let consecutive = Self.newRun((old.consecutiveDrops, old.totalDrops), (new.consecutiveDrops, new.totalDrops)) {
      found.append(Self.frameDrop(new.id, consecutive: consecutive, total: new.totalDrops, totalUnderruns: new.totalUnderruns))
    }
    if Self.growth(old.jitterSpikes, new.jitterSpikes) > 0 {
      let detail: [String: EventValue] = [
        "late": .number(new.lastJitterSpike), "jitter": .number(new.jitter), "total": .count(new.jitterSpikes),
        "totalUnderruns": .count(new.totalUnderruns),
      ]
      found.append(Event(kind: .sinkJitterSpike, mediaId: new.id, detail: detail))
    }
    return found
  }

  private static func frameDrop(_ id: String, consecutive: UInt64, total: UInt64, totalUnderruns: UInt64) -> Event {
    Event(
      kind: .sinkFrameDrop, mediaId: id,
      detail: ["consecutive": .count(consecutive), "total": .count(total), "totalUnderruns": .count(totalUnderruns)])
  }

  /// The increase between two observations. A count that decreased was reset, or belongs to a new subject.
  private static func growth(_ old: UInt64, _ new: UInt64) -> UInt64 { new >= old ? new - old : new }

  /// Returns the length of a run that began between two observations; nil if none began. A run that has also ended was at most as long as
  /// the increase.
  private static func newRun(_ old: (run: UInt64, total: UInt64), _ new: (run: UInt64, total: UInt64)) -> UInt64? {
    let added = growth(old.total, new.total)
    let goesOn = new.total >= old.total && old.run > 0 && new.run == old.run + added
    guard added > 0, !goesOn else { return nil }
    return new.run > 0 ? new.run : added
  }

  // MARK: Rate limit

  private static func interval(_ kind: AudioEvent.Kind) -> Double { kind == .talkingWhileMuted ? talkInterval : interval }

  private mutating func isNews(_ event: Event, at time: Double) -> Bool {
    let subject = Subject(kind: event.kind, mediaId: event.mediaId)
    if let last = told[subject], time - last < Self.interval(event.kind) { return false }
    told[subject] = time
    return true
  }

  /// Drops sinks that are gone: one that returns under the same id is new.
  private mutating func removeAbsentSinks(_ new: AudioObservation) {
    guard !told.isEmpty else { return }
    let present = Set(new.sinks.map(\.id))
    told = told.filter { subject, _ in subject.kind == .sourceOverrun || subject.mediaId.map(present.contains) ?? true }
  }
}

extension EventValue {
  static func count(_ value: UInt64) -> EventValue { .integer(Int(clamping: value)) }
}
