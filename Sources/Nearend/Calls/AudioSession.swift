import Dispatch
import SessionModel

/// The process's voice processing as Swift programs expect it: calls are handles that end when they are let go, what goes wrong is thrown
/// and typed, and what happens is an asynchronous sequence.
///
///     let call = try await AudioSession.shared.join("call")
///     let output = try call.makeOutput()
///     for await buffer in try call.microphone() { … }
///
/// A layer over ``AudioSessionManager``, which has the calls of LiveSwitch and LiveKit: one session underneath, so that a program may use
/// both. What waits has a twin that is awaited: in asynchronous code `await` does not block a thread.
///
/// Every call is safe from any thread except the audio thread. An engine observer's hook must not join or end a call. [any]
public final class AudioSession: Sendable {
  /// The process's session.
  public static let shared = AudioSession(AudioSessionManager.shared)

  /// The same session, with the names of LiveSwitch and LiveKit.
  public let manager: AudioSessionManager
  /// Joining and ending happen here one after another, so that a handle let go has ended before its id is joined again.
  private let queue = DispatchQueue(label: "nearend.calls")

  init(_ manager: AudioSessionManager) { self.manager = manager }

  // MARK: Calls

  /// Joins: the first call starts the session, and the last to end hands everything back. Waits for the daemon's answer.
  ///
  /// Every remote participant that is to be heard separately joins with an id of its own, with `sends` false.
  /// - Parameters:
  ///   - id: a name for people, reports and events; free.
  ///   - sends: whether the call takes the microphone.
  ///   - receives: whether the call is played on the speaker.
  /// - Throws: `JoinError`; nothing has changed then.
  public func join(_ id: String, sends: Bool = true, receives: Bool = true) throws(JoinError) -> Call {
    try queue.sync { register(id, sends: sends, receives: receives) }.get()
  }

  /// Joins without blocking a thread. Cancelling the task does not interrupt it: the call is returned, and ends when it is let go.
  /// - Parameters:
  ///   - id: a name for people, reports and events; free.
  ///   - sends: whether the call takes the microphone.
  ///   - receives: whether the call is played on the speaker.
  /// - Throws: `JoinError`; nothing has changed then.
  public func join(_ id: String, sends: Bool = true, receives: Bool = true) async throws(JoinError) -> Call {
    try await perform { [self] in register(id, sends: sends, receives: receives) }.get()
  }

  private func register(_ id: String, sends: Bool, receives: Bool) -> Result<Call, JoinError> {
    guard sends || receives else { return .failure(.neitherSendsNorReceives(id: id)) }
    do throws(GraphError) {
      guard try manager.register(id: id, isSend: sends, isReceive: receives) else { return .failure(.alreadyJoined(id: id)) }
    } catch {
      return .failure(.cannotStart(error))
    }
    return .success(Call(id: id, sends: sends, receives: receives, session: self))
  }

  // MARK: The session

  /// A Boolean value indicating whether sound can be captured and played.
  public var isActive: Bool { manager.isSessionActive }

  /// Whether the session is this process's own or that of a nearend that ran already; nil without a session.
  public var mode: AudioSessionManager.Mode? { manager.mode }

  /// The microphone and the speaker in use. Waits for the graph's control thread, never for audio.
  public var route: RouteDescription { manager.currentRoute }

  /// Describes the complete state for people.
  public var diagnostics: String { manager.getDiagnostics() }

  /// The events from now on, in a sequence that holds 256 and then loses the oldest; ``Event/missed`` tells how many.
  public var events: Events { Events(manager.bus) }

  /// Ends all calls at once: their handles stay, and throw or do nothing. Settings are kept.
  public func shutDown() { queue.sync { manager.shutDown() } }

  /// Ends all calls at once, without blocking a thread.
  public func shutDown() async { await perform { [manager] in manager.shutDown() } }

  // MARK: The queue

  /// Does something in turn, on a thread that may wait.
  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }

  func performSynchronously(_ body: () -> Void) { queue.sync(execute: body) }

  /// Does something in turn, later.
  func performLater(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
