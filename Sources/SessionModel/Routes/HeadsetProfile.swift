/// Decides when a Bluetooth headset switches between music (A2DP) and calls (HFP), the only profile with a microphone (R6). Pure; times are
/// given. [any]
///
///     music ──sends for `callDelay`──▶ calls ──nobody sends for `musicDelay`──▶ music
///
/// Both delays exceed those of WirePlumber's own policy (500 ms and 2 s), so that only one of the two acts. A profile that another program
/// or a person has chosen meanwhile stays.
package struct HeadsetProfile: Sendable, Equatable {
  /// A Bluetooth headset's card.
  package struct Card: Sendable, Equatable {
    /// `device.name`
    package var name: String
    /// Name of the active profile.
    package var profile: String
    /// The best profile with a microphone; nil if the card has none.
    package var callProfile: String?

    package init(name: String, profile: String, callProfile: String?) {
      self.name = name
      self.profile = profile
      self.callProfile = callProfile
    }
  }
  /// A profile switch to be undone later.
  package struct Change: Codable, Sendable, Equatable {
    package var card: String
    package var former: String
    package var ours: String

    package init(card: String, former: String, ours: String) {
      self.card = card
      self.former = former
      self.ours = ours
    }
  }
  package struct Request: Sendable, Equatable {
    package var card: String
    package var profile: String

    package init(card: String, profile: String) {
      self.card = card
      self.profile = profile
    }
  }

  /// Seconds of sending before the headset is switched.
  package static let callDelay = 0.75
  /// Seconds without sending before it is switched back.
  package static let musicDelay = 3.0
  /// Seconds to wait for a switch to complete.
  package static let patience = 2.0

  /// The switch in effect.
  package private(set) var change: Change?
  /// The switch of a headset that went away, while a different one is used.
  private var setAside: Change?
  /// The switch that a later run must undo; with two headsets, that of the one in use.
  package var unfinished: Change? { change ?? setAside }
  private var hasTakenEffect = false
  /// Whether the headset disappeared after nearend's switch; when it returns it starts afresh.
  private var isAway = false
  private var requested = -Double.infinity
  /// The time from which a switch has been due.
  private var due: Double?
  /// Whether nearend's switch was undone by others while something sends; it is not repeated before sending ends.
  private var isOverruled = false

  /// - Parameter change: a switch left behind by an earlier run that crashed.
  package init(change: Change? = nil) {
    self.change = change
    hasTakenEffect = change != nil
  }

  /// Compares the wanted profile with the actual one.
  ///
  /// - Parameters:
  ///   - sends: whether something records.
  ///   - used: the card of the Bluetooth headset in use: the speaker's unless a person picked a microphone, otherwise the microphone's; nil
  ///     if neither is one.
  ///   - cards: every Bluetooth card that exists.
  ///   - time: seconds of a monotonic clock.
  /// - Returns: the switch to request now, and when to call again.
  package mutating func decide(sends: Bool, used: String?, cards: [Card], at time: Double) -> (request: Request?, next: Double?) {
    if !sends { isOverruled = false }
    setAsideOrResume(used: used, cards: cards)
    if let change { return review(change, sends: sends, used: used, cards: cards, at: time) }
    guard sends, !isOverruled, let card = cards.first(where: { $0.name == used }), let call = card.callProfile, card.profile != call,
      card.profile.hasPrefix("a2dp")
    else {
      due = nil
      return (nil, nil)
    }
    guard isDue(after: Self.callDelay, at: time) else { return (nil, due.map { $0 + Self.callDelay }) }
    change = Change(card: card.name, former: card.profile, ours: call)
    hasTakenEffect = false
    return (request(card.name, call, at: time), time + Self.patience)
  }

  /// Sets the switch of a headset that is gone aside, so that a different headset can be switched, and resumes it when the headset returns.
  private mutating func setAsideOrResume(used: String?, cards: [Card]) {
    func isThere(_ name: String) -> Bool { cards.contains { $0.name == name } }
    if let gone = change, !isThere(gone.card), let used, isThere(used) {
      (setAside, change, isAway, due) = (gone, nil, false, nil)
    }
    if change == nil, let back = setAside, isThere(back.card) {
      (change, setAside, hasTakenEffect, isAway) = (back, nil, true, true)
    }
  }

  private mutating func review(
    _ change: Change, sends: Bool, used: String?, cards: [Card], at time: Double
  ) -> (request: Request?, next: Double?) {
    // The card may come back.
    guard let card = cards.first(where: { $0.name == change.card }) else {
      isAway = true
      return (nil, nil)
    }
    if card.profile == change.ours {
      hasTakenEffect = true
      isAway = false
    } else {
      guard hasTakenEffect || isAway || time - requested >= Self.patience else { return (nil, requested + Self.patience) }
      // The profile was chosen by others, or the switch is impossible.
      self.change = nil
      isOverruled = sends && !isAway
      isAway = false
      due = nil
      return (nil, sends && !isOverruled ? time : nil)
    }
    guard !sends || used != card.name else {
      due = nil
      return (nil, nil)
    }
    guard isDue(after: Self.musicDelay, at: time) else { return (nil, due.map { $0 + Self.musicDelay }) }
    self.change = nil
    return (request(card.name, change.former, at: time), time + Self.patience)
  }

  /// Returns the request that restores the original profile when nearend leaves, even if the card has not reported the switch yet.
  package mutating func leave(cards: [Card]) -> Request? {
    guard let change, let card = cards.first(where: { $0.name == change.card }) else { return nil }
    guard card.profile == change.ours || !hasTakenEffect && card.profile == change.former else { return nil }
    self.change = nil
    return Request(card: card.name, profile: change.former)
  }

  private mutating func request(_ card: String, _ profile: String, at time: Double) -> Request {
    due = nil
    requested = time
    return Request(card: card, profile: profile)
  }

  private mutating func isDue(after delay: Double, at time: Double) -> Bool {
    let since = due ?? time
    due = since
    return time - since >= delay
  }
}
