import Platform
import RealtimeCore
import SessionModel

/// The process's voice processing for Swift programs: calls are handles that end when released, errors are typed and thrown, and events are
/// an asynchronous sequence.
///
/// ```swift
/// let call = try await AudioSession.shared.join("call")
/// try call.makeOutput().write(farEnd)
/// for await buffer in try call.microphone() { send(buffer.samples) }
/// ```
///
/// Blocking methods have asynchronous twins, which do not block a thread. ``AudioSessionManager`` is the same session with the calls of
/// LiveSwitch and LiveKit, for programs that come from there.
///
/// Every call is safe from any thread. In a microphone's callback, on the audio thread, what ends or sets something takes effect soon after
/// the callback has returned; what joins or has to wait is refused, such as diagnostics and the route. An engine observer's hook must not
/// join or end a call, prepare recording or shut down. [any]
public final class AudioSession: Sendable {
  /// The process's session.
  public static let shared = AudioSession(.shared)

  let owner: SessionOwner
  /// Serializes joining and ending, so that a released handle has ended before its id is joined again.
  private let queue = SerialThread(name: "nearend.calls", callsOthers: true)

  init(_ owner: SessionOwner) { self.owner = owner }

  // MARK: Calls

  /// Joins a call: the first one starts the session, and the last to end hands everything back. Blocks until the daemon has answered.
  ///
  /// Every remote participant that is to be played separately joins under an id of its own, with `sends` false.
  /// - Parameters:
  ///   - id: a name of the program's choice, for people, reports and events.
  ///   - sends: whether the call takes the microphone.
  ///   - receives: whether the call is played on the speaker.
  /// - Throws: `JoinError`; nothing has changed then.
  public func join(_ id: String, sends: Bool = true, receives: Bool = true) throws(JoinError) -> Call {
    try performSynchronously { register(id, sends: sends, receives: receives) }.get()
  }

  /// Joins without blocking a thread. Cancelling the task does not interrupt joining; the returned call ends when it is released.
  /// - Parameters:
  ///   - id: a name of the program's choice, for people, reports and events.
  ///   - sends: whether the call takes the microphone.
  ///   - receives: whether the call is played on the speaker.
  /// - Throws: `JoinError`; nothing has changed then.
  public func join(_ id: String, sends: Bool = true, receives: Bool = true) async throws(JoinError) -> Call {
    try await perform { [self] in register(id, sends: sends, receives: receives) }.get()
  }

  private func register(_ id: String, sends: Bool, receives: Bool) -> Result<Call, JoinError> {
    guard sends || receives else { return .failure(.neitherSendsNorReceives(id: id)) }
    do throws(GraphError) {
      guard try owner.register(id: id, isSend: sends, isReceive: receives) else { return .failure(.alreadyJoined(id: id)) }
    } catch {
      return .failure(.cannotStart(error))
    }
    return .success(Call(id: id, sends: sends, receives: receives, session: self))
  }

  // MARK: The session

  /// A Boolean value indicating whether sound can be captured and played.
  public var isActive: Bool { owner.session.isActive }

  /// Whether the session is this process's own or that of a nearend that was already running; nil without a session.
  public var mode: SessionMode? { owner.mode }

  /// The microphone and the speaker in use. Waits for the graph's control thread, never for audio.
  public var route: RouteDescription { owner.route?.current ?? RouteDescription() }

  /// A description of the complete state for people.
  public var diagnostics: String { owner.diagnostics }

  /// The state for a server, in JSON with LiveSwitch's keys; nil if it cannot be encoded. Never waits for the audio thread.
  public var telemetryJSON: String? { owner.telemetryJSON }

  /// The events from now on, in a sequence that buffers 256 and then drops the oldest; ``Event/missed`` counts those.
  public var events: Events { Events(owner.bus) }

  /// Ends all calls at once: their handles remain, and throw or do nothing. Settings are kept.
  public func shutDown() {
    if !owner.isPostponed({ [self] _ in shutDown() }) { queue.sync { owner.shutDown() } }
  }

  /// Ends all calls at once, without blocking a thread.
  public func shutDown() async { await perform { [owner] in owner.shutDown() } }

  // MARK: The queue

  /// Runs `body` after what was queued before, on a thread that may block.
  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }

  /// Runs `body` after what was queued before; at once in a microphone's callback, for which what is queued may wait.
  func performSynchronously<Value>(_ body: () -> Value) -> Value { SourceTap.isInCallback ? body() : queue.sync(body) }

  /// Queues `body` without waiting for it.
  func performLater(_ body: @escaping @Sendable () -> Void) { queue.async(body) }
}
