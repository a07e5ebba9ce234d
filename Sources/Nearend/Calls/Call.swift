import SessionModel
import Synchronization

/// A handle of a joined call, which ends with its last reference, or by `end()`. [any]
///
/// ```swift
/// // A call that takes the microphone, and one for each participant that is heard.
/// let me = try await AudioSession.shared.join("me", receives: false)
/// let alice = try await AudioSession.shared.join("alice", sends: false)
/// let output = try alice.makeOutput(sampleRate: 16_000)
/// try output.write(samples)
/// await alice.end()
/// ```
///
/// Its output, its microphone and its tap retain it, so a program that holds one of them need not hold the call.
public final class Call: Sendable, Identifiable {
  /// The id it was joined with.
  public let id: String
  /// A Boolean value indicating whether it takes the microphone.
  public let sends: Bool
  /// A Boolean value indicating whether it is played.
  public let receives: Bool

  let session: AudioSession
  var owner: SessionOwner { session.owner }
  private let ended = Atomic(false)
  private let registration: Registration
  /// Serializes creating and ending its parts with its own end: parts are ended by id, which may belong to a later call.
  private let parts = Mutex(())

  init(id: String, sends: Bool, receives: Bool, session: AudioSession) {
    (self.id, self.sends, self.receives, self.session) = (id, sends, receives, session)
    registration = Registration(id: id, owner: session.owner)
  }

  deinit {
    guard !hasEnded else { return }
    session.performLater { [registration] in registration.end() }
  }

  /// A Boolean value indicating whether it has ended: by `end()`, with the session, or because its media was unregistered by id.
  public var hasEnded: Bool { ended.load(ordering: .acquiring) || registration.hasEnded }

  /// Ends the call with its output and its microphone. The end of a program's last call hands everything back. Idempotent. Blocks until
  /// done; called by its own microphone's callback, it returns at once, and the call ends soon after the callback has returned.
  public func end() {
    if owner.isPostponed({ [self] _ in end() }) { return }
    let isFirst = close()
    session.performSynchronously { if isFirst { registration.end() } }
  }

  /// Ends the call without blocking a thread.
  public func end() async {
    let isFirst = close()
    await session.perform { [registration] in if isFirst { registration.end() } }
  }

  /// Returns false if it has ended already. Removes the microphone's callback at once, so that it is not called any more when its tap,
  /// which finds the call ended, returns.
  private func close() -> Bool {
    parts.withLock { _ in
      let isFirst = !ended.exchange(true, ordering: .acquiringAndReleasing)
      if isFirst, !registration.hasEnded { owner.removeSource(id: id) }
      return isFirst
    }
  }

  /// Runs `body`, which needs the call; returns nil if the call has ended.
  func whileJoined<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value? {
    try parts.withLock { _ throws(Failure) in hasEnded ? nil : try body() }
  }
}

/// The media of a call. The session's end, or a program that also uses `AudioSessionManager`, may unregister it as well. A later
/// registration under the same id belongs to somebody else.
private final class Registration: Sendable {
  private let id: String
  private let owner: SessionOwner
  private let isOver: Latch
  private let subscription: EventBus.Subscription

  private final class Latch: Sendable {
    let isSet = Atomic(false)
  }

  init(id: String, owner: SessionOwner) {
    (self.id, self.owner) = (id, owner)
    let isOver = Latch()
    self.isOver = isOver
    subscription = owner.bus.subscribe { news in
      guard case .event(let event) = news, event.kind == .mediaUnregistered, event.mediaId == id else { return }
      isOver.isSet.store(true, ordering: .releasing)
    }
    if owner.session.program(id) == nil { isOver.isSet.store(true, ordering: .releasing) }
  }

  var hasEnded: Bool { isOver.isSet.load(ordering: .acquiring) }

  func end() { if !hasEnded { owner.unregister(id: id) } }
}
