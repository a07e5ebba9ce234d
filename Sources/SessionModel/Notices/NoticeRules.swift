import Border

/// Decides which notices are shown, replaced and withdrawn, and when (O11). Pure; times are given, in seconds of a monotonic clock. [any]
///
/// - A notice is shown once for as long as what it says is so, some of them only after a while, and withdrawn when it is over. One that a
///   person has closed does not come back before it has been over.
/// - No more than two are shown in a minute, replacements included. Of those that wait, the most important comes first.
package struct NoticeRules: Sendable {
  /// What is to be done on the screen.
  package enum Change: Sendable, Equatable {
    case show(Notice)
    /// In place of the one of its kind.
    case replace(Notice)
    case withdraw(Notice.Kind)
    /// Nothing now: it waits, because two were shown within the last minute. Told once.
    case holdBack(Notice)
  }

  /// The number of notices that are shown within `window`.
  package static let most = 2
  /// Seconds; also those before the same is told again.
  package static let window = 60.0
  /// Seconds for which a notice stays that says what is over.
  package static let passing = 8.0
  /// Seconds after a call's last sound in which an interruption is one of the call: whoever plays may be gone with the daemon.
  private static let callMemory = 10.0

  /// What is so, or was a moment ago.
  private struct Story {
    /// What there is to tell now.
    var notice: Notice
    /// When it began.
    let since: Double
    /// When it was last so.
    var seen: Double
    /// What was told of it; nil for nothing yet.
    var told: Notice?
    /// Whether it is on the screen.
    var isVisible = false
    /// Whether a person has closed it.
    var isDismissed = false
    var isHeldBack = false
    /// When it goes by itself; nil for what still holds.
    var end: Double?
  }
  private var stories: [Notice.Kind: Story] = [:]
  /// When each of the last minute was shown.
  private var shown: [Double] = []
  /// What was told of each kind last, and when.
  private var last: [Notice.Kind: (notice: Notice, time: Double)] = [:]
  private var lastCall = -Double.infinity
  /// When `reduce` is to be called again though nothing has happened; nil if it need not.
  package private(set) var nextLook: Double?
  /// Whether something would be shown if it could be.
  package private(set) var isWaitingForDesktop = false

  package init() {}

  /// Returns what is to be done, now that `facts` are so.
  /// - Parameter canShow: whether there is anything that shows notices; what is due waits for it.
  package mutating func reduce(_ facts: NoticeFacts, at now: Double, canShow: Bool = true) -> [Change] {
    shown.removeAll { now - $0 >= Self.window }
    var changes: [Change] = []
    let notices = notices(facts, at: now)
    let current = Set(notices.map(\.kind))
    // What a person has undone and does again is to be told again.
    if !facts.isMicrophoneMuted { last[.talkingWhileMuted] = nil }
    if !facts.isPausedAfterUnplug { last[.pause] = nil }
    begin(notices, at: now)
    for kind in Notice.Kind.allCases { changes += end(kind, isSo: current.contains(kind), facts, at: now, canShow: canShow) }
    changes += tell(current, at: now, canShow: canShow)
    nextLook = times(facts, at: now, canShow: canShow).filter { $0 > now }.min()
    return changes
  }

  /// Notes that a notice is no longer on the screen, because a person or the time has closed it.
  package mutating func closed(_ kind: Notice.Kind, byPerson: Bool) {
    stories[kind]?.isVisible = false
    if byPerson { stories[kind]?.isDismissed = true }
    if stories[kind]?.end != nil { stories[kind] = nil }
  }

  /// Notes that nothing is on the screen any more, because what showed it is gone: what still holds is told again.
  package mutating func desktopVanished() {
    stories = stories.filter { $0.value.end == nil }
    for (kind, story) in stories where story.isVisible {
      stories[kind]?.isVisible = false
      stories[kind]?.told = nil
      last[kind] = nil
    }
  }

  /// Forgets everything but when notices were shown.
  /// - Returns: the withdrawal of what is on the screen.
  package mutating func withdrawAll() -> [Change] {
    let visible = Notice.Kind.allCases.filter { stories[$0]?.isVisible == true }
    let times = shown
    self = NoticeRules()
    shown = times
    return visible.map { .withdraw($0) }
  }

  // MARK: What is so

  private mutating func notices(_ facts: NoticeFacts, at now: Double) -> [Notice] {
    if facts.isInCall, facts.interruption == nil { lastCall = now }
    let isOfCall = facts.isInCall || stories[.interruption] != nil || now - lastCall < Self.callMemory
    return facts.notices.filter { $0.kind != .interruption || isOfCall }
  }

  private mutating func begin(_ notices: [Notice], at now: Double) {
    for notice in notices {
      let kind = notice.kind
      if let story = stories[kind], story.end == nil {
        stories[kind]?.notice = notice
        stories[kind]?.seen = now
      } else {
        // One that says that it is over may still be there: it is replaced.
        let isVisible = stories[kind]?.isVisible == true
        stories[kind] = Story(notice: notice, since: now, seen: now, isVisible: isVisible)
      }
    }
  }

  // MARK: What is over

  private mutating func end(_ kind: Notice.Kind, isSo: Bool, _ facts: NoticeFacts, at now: Double, canShow: Bool) -> [Change] {
    guard let story = stories[kind] else { return [] }
    let isOver = story.end.map { $0 <= now } ?? (!isSo && now - story.seen >= kind.linger(facts))
    guard isOver else { return [] }
    stories[kind] = nil
    guard story.told != nil, !story.isDismissed, story.end == nil, canShow, shown.count < Self.most, let notice = kind.over(facts) else {
      return story.isVisible ? [.withdraw(kind)] : []
    }
    stories[kind] = Story(
      notice: notice, since: story.since, seen: now, told: notice, isVisible: true, end: now + Self.passing)
    shown.append(now)
    return [story.isVisible ? .replace(notice) : .show(notice)]
  }

  // MARK: What is due

  /// - Parameter current: the kinds that are so now; what was so a moment ago is no longer told.
  private mutating func tell(_ current: Set<Notice.Kind>, at now: Double, canShow: Bool) -> [Change] {
    var changes: [Change] = []
    isWaitingForDesktop = false
    for kind in Notice.Kind.allCases where current.contains(kind) {
      guard let story = stories[kind], story.told != story.notice, !story.isDismissed, dueTime(of: story) <= now else { continue }
      guard canShow else {
        isWaitingForDesktop = true
        continue
      }
      guard shown.count < Self.most else {
        if !story.isHeldBack { changes.append(.holdBack(story.notice)) }
        stories[kind]?.isHeldBack = true
        continue
      }
      changes.append(story.isVisible ? .replace(story.notice) : .show(story.notice))
      stories[kind]?.told = story.notice
      stories[kind]?.isVisible = true
      stories[kind]?.isHeldBack = false
      last[kind] = (story.notice, now)
      shown.append(now)
    }
    return changes
  }

  /// When a story may be told, as far as it alone is concerned.
  private func dueTime(of story: Story) -> Double {
    let kind = story.notice.kind
    let due = story.since + kind.patience
    guard let last = last[kind], last.notice == story.notice else { return due }
    return max(due, last.time + Self.window)
  }

  /// When something changes by time alone.
  private func times(_ facts: NoticeFacts, at now: Double, canShow: Bool) -> [Double] {
    var times: [Double] = []
    let room = shown.count >= Self.most ? shown[shown.count - Self.most] + Self.window : -.infinity
    for story in stories.values {
      if let end = story.end {
        times.append(end)
        continue
      }
      // What is so now ends with an event, or a poll.
      if story.seen < now { times.append(story.seen + story.notice.kind.linger(facts)) }
      guard story.told != story.notice, !story.isDismissed else { continue }
      let due = dueTime(of: story)
      // What is due waits for room, or for whoever shows it.
      if due > now || canShow { times.append(due > now ? due : room) }
    }
    if let silence = facts.silence, stories[.silentMicrophone] == nil { times.append(now + MicrophoneSilence.longest - silence) }
    return times
  }
}

extension Notice.Kind {
  /// Seconds for which it has to be so before it is told.
  fileprivate var patience: Double {
    switch self {
    case .pause, .talkingWhileMuted, .plugIn: 0
    // A daemon that is restarted, a headset that changes its profile.
    case .interruption: 2
    case .noMicrophone: 3
    case .echo, .silentMicrophone, .isolation: 5
    }
  }

  /// Seconds for which it is not so before it is over.
  fileprivate func linger(_ facts: NoticeFacts) -> Double {
    switch self {
    // Between two sentences.
    case .talkingWhileMuted: facts.isMicrophoneMuted && facts.isSending ? 10 : 0
    case .echo: facts.isSending && !facts.isMicrophoneMuted ? 5 : 0
    // Links and cycles come after the end.
    case .interruption: facts.isActive ? 0 : 3
    case .pause, .noMicrophone, .silentMicrophone, .isolation, .plugIn: 0
    }
  }

  /// What is told when it is over; nil for nothing.
  fileprivate func over(_ facts: NoticeFacts) -> Notice? {
    guard self == .interruption, facts.isActive else { return nil }
    var notice = Notice(self, "The call's sound is back", "The interruption is over.")
    notice.isPassing = true
    return notice
  }
}
