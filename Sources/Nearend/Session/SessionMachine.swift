import Foundation
import Platform
import SessionModel

/// A session's state, and the history of its interruptions. Changed in two steps, so that what belongs to an event can still prevent it:
/// `change(for:)`, then `commit`. Belongs behind a lock.
struct SessionMachine {
  private(set) var state: SessionState
  private var history = InterruptionHistory()
  /// Whether the session refuses registrations.
  var isEnded = false

  init(_ state: SessionState = SessionState()) { self.state = state }

  /// Continues an earlier session's state.
  mutating func resume(_ session: SessionState) { state = session }

  /// Returns what an event changes, or why it is refused.
  func change(for event: SessionEvent) -> SessionChange {
    let (new, effects) = isEnded && event.addsUse ? (state, [.refused(.ended)]) : reduce(state, event)
    return SessionChange(old: state, new: new, effects: effects)
  }

  /// Changes the state, and completes the change with the interruptions that ended.
  mutating func commit(_ change: inout SessionChange) {
    let (old, new) = (change.old, change.new)
    let clock = secondsSinceBoot()
    let isRecovered = change.effects.contains(.recovered)
    let isAwaited = history.records(at: clock).contains { $0.outcome == .waits }
    history.note(from: old, to: new, isRecovered: isRecovered, time: Date().timeIntervalSince1970, clock: clock)
    let records = history.records(at: clock)
    change.records = old.interruptions.filter { !new.interruptions.contains($0) }.map { reason in
      records.last { $0.reason == reason } ?? InterruptionRecord(reason: reason, began: 0, duration: 0, outcome: .ended)
    }
    change.overcomesInterruption = isRecovered && (isAwaited || !change.records.isEmpty)
    state = new
  }

  /// The source's media id, as long as no sound of it has been noted.
  var silentSource: String? { state.source.flatMap { $0.hadAudio ? nil : $0.mediaId } }

  /// Notes that the source has had audio; what comes with its media's end is to say so.
  mutating func noteAudio(ofSource id: String) { state = reduce(state, .sourceHadAudio(mediaId: id)).state }

  /// Ends the session. Returns false, without any change, if something uses it, or it is still activated without media (S5).
  mutating func endIfUnused() -> Bool {
    guard !state.isNeeded, !state.isActivated else { return false }
    isEnded = true
    return true
  }

  /// The interruptions, past and current, oldest first (I1).
  var interruptions: [InterruptionRecord] { history.records(at: secondsSinceBoot()) }

  /// The current interruption that began first (I1).
  var interruption: Interruption? {
    interruptions.first { $0.outcome == .holds }.map { Interruption(reason: $0.reason, duration: $0.duration) }
  }
}

/// What an event does to a session.
struct SessionChange {
  let old: SessionState
  var new: SessionState
  let effects: [SessionEffect]
  /// The interruptions that ended with this change.
  var records: [InterruptionRecord] = []
  /// Whether the session recovers from an interruption with this change, and does not start for another reason.
  var overcomesInterruption = false

  var refusal: SessionRefusal? {
    for case .refused(let refusal) in effects { return refusal }
    return nil
  }

  /// The same for a session that stays as it was.
  var withdrawn: SessionChange { SessionChange(old: old, new: old, effects: effects) }
}

extension SourceSlot {
  /// Notes a sound that the slot has not reported yet, so that what follows knows of it.
  func catchUp(_ machine: inout SessionMachine) {
    if let id = machine.silentSource, hasHeard(mediaId: id) { machine.noteAudio(ofSource: id) }
  }
}

extension EventBus {
  /// Takes over whether the source has had audio. Called with the session's lock held: this one is a leaf.
  func update(sourceOf change: SessionChange) {
    sourceHadAudio = change.new.source?.hadAudio ?? false
  }

  /// Posts which media were registered and unregistered.
  func postMedia(of change: SessionChange) {
    for media in change.new.media where !change.old.media.contains(media) { post(.mediaRegistered, mediaId: media.id) }
    for media in change.old.media where !change.new.media.contains(media) {
      // Its own source, which is gone by now or before it, is what its end tells of.
      let hadAudio = media.owner == .program && change.old.mediaWithAudio.contains(media.id)
      post(.mediaUnregistered, mediaId: media.id, hadAudio: hadAudio ? true : nil)
    }
  }
}

extension SessionEvent {
  /// Whether the event may make an unused session needed.
  fileprivate var addsUse: Bool {
    switch self {
    case .registerMedia, .setRecordingAlwaysPrepared(true): true
    case .applications(let applications): !applications.isEmpty
    default: false
    }
  }
}
