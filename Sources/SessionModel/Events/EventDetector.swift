/// Finds what should be told in counters that only grow. Pure: time is given, so that any schedule can be tried. [any]
///
/// - `sinkUnderrun` and `sinkFrameDrop` are told for the first of a run; a run that goes on is no news (K5, K6).
/// - Each kind is told at most once in 5 minutes for each sink or source, `graphOverrun` once in 5 minutes.
/// - `talkingWhileMuted` is told when it begins, at most once in 10 s (D2).
/// - `deviceChange` is always told. (`routeChange` is found by the graph's side, which knows why.)
public struct EventDetector: Sendable {
  public struct Event: Sendable, Equatable {
    public var kind: AudioEvent.Kind
    public var mediaId: String?
    public var detail: [String: EventValue]

    public init(kind: AudioEvent.Kind, mediaId: String? = nil, detail: [String: EventValue]) {
      self.kind = kind
      self.mediaId = mediaId
      self.detail = detail
    }
  }

  /// Seconds between two events of a kind about the same thing (K6).
  public static let interval = 300.0

  /// Seconds between two reminders that the microphone is muted (D2): whoever goes on talking has not seen the first.
  public static let talkInterval = 10.0

  private struct Subject: Hashable {
    var kind: AudioEvent.Kind
    var mediaId: String?
  }
  /// When each was last told.
  private var told: [Subject: Double] = [:]
  private var last = AudioObservation()
  private var route: RouteEnds?

  public init() {}

  // MARK: Looks

  /// What is new since the last look. `time` in seconds of any clock that never goes back.
  public mutating func look(_ new: AudioObservation, at time: Double) -> [Event] {
    let old = last
    last = new
    forgetWhoLeft(new)
    let before = Dictionary(old.sinks.map { ($0.id, $0) }) { first, _ in first }
    var found: [Event] = []
    for sink in new.sinks { found += events(from: before[sink.id] ?? AudioObservation.Sink(id: sink.id), to: sink) }
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

  /// A write was refused, the first of a run; as a program tells it (K6).
  public mutating func frameDrop(
    mediaId: String, consecutive: UInt64, total: UInt64, totalUnderruns: UInt64, at time: Double
  ) -> Event? {
    let event = Self.frameDrop(mediaId, consecutive: consecutive, total: total, totalUnderruns: totalUnderruns)
    return isNews(event, at: time) ? event : nil
  }

  /// The source's consumer took its audio too late, for the first time of a run.
  /// - Parameters:
  ///   - mediaId: the source's.
  ///   - lost: cycles since the run before.
  ///   - total: cycles since it was registered.
  ///   - time: in seconds, of the clock that `look` is given.
  public mutating func sourceOverrun(mediaId: String, lost: UInt64, total: UInt64, at time: Double) -> Event? {
    let event = Event(kind: .sourceOverrun, mediaId: mediaId, detail: ["lost": .count(lost), "total": .count(total)])
    return isNews(event, at: time) ? event : nil
  }

  /// The devices in use now. The first are no change.
  public mutating func use(_ new: RouteEnds) -> Event? {
    let old = route
    route = new
    guard let old, old != new else { return nil }
    // "": none.
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

  /// What was added between two looks; a count that fell was cleared between them, or is another's.
  private static func growth(_ old: UInt64, _ new: UInt64) -> UInt64 { new >= old ? new - old : new }

  /// How long a run is that began between two looks; nil where none began. A run that is over again was as long as what was added, at most.
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

  /// A sink that comes back under the same id is another.
  private mutating func forgetWhoLeft(_ new: AudioObservation) {
    guard !told.isEmpty else { return }
    let present = Set(new.sinks.map(\.id))
    told = told.filter { subject, _ in subject.kind == .sourceOverrun || subject.mediaId.map(present.contains) ?? true }
  }
}

extension EventValue {
  static func count(_ value: UInt64) -> EventValue { .integer(Int(clamping: value)) }
}
