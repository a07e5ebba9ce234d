import PipeWireGraph
import SessionModel
import Synchronization

/// The process's voice processing with the calls of LiveSwitch and LiveKit, for programs that come from there.
///
/// LiveSwitch: `FMLiveSwitchCocoaAudioSessionManager`. Call `registerMedia`, then `registerMicrophoneInput` or `registerSpeakerOutput`,
/// then `unregisterMedia`; the first registration starts the session, the last unregistration hands everything back.
///
/// ``AudioSession`` is the same session for Swift programs. A program may use both.
///
/// Every call is safe from any thread (L8), and none blocks the audio thread. There, in a microphone's callback, what unregisters, ends or
/// sets something takes effect soon after the callback has returned; what registers or has to wait is refused: there are no diagnostics,
/// telemetry, route, unit and statuses of outputs.
public final class AudioSessionManager: Sendable {
  /// The shared manager, created on first use and never released. LiveSwitch: `sharedInstance`.
  public static let shared = AudioSessionManager(.shared)

  let owner: SessionOwner
  let observers = ObserverList()
  private let subscription = Mutex<EventBus.Subscription?>(nil)

  init(_ owner: SessionOwner) {
    self.owner = owner
    let received = owner.bus.subscribe { [weak self] news in
      guard let self, case .event(let event) = news else { return }
      observers.tell(event, from: self)
    }
    subscription.withLock { $0 = received }
  }

  /// Whether the session is this process's own or that of a nearend that was already running; nil without a session. [any]
  ///
  /// With `configuration.controlSocket` set, and a nearend of the same user answering there, the first registration joins it, so that one
  /// canceller hears everything. Joining adds up to 2 ms to the voice, the polling interval of the host's relay, and in both directions the
  /// delay of a socket and of waking a thread, which grows on a busy machine; rings keep their size and target. See <doc:Joining>.
  public var mode: SessionMode? { owner.mode }

  // MARK: Media

  /// Registers media that sends (takes the microphone) or receives (is played). The first starts the session; a concurrent registration
  /// waits for that. Ignored with neither send nor receive, or for a registered id. In manual mode node and devices exist from here on, and
  /// no real device is linked to them before the call manager's activation.
  /// - Throws: why the session cannot start, or an engine observer's veto; the media is not registered then, and nothing is left behind.
  ///
  /// LiveSwitch: `registerMediaWithMediaId:isSend:isReceive:` (L2). Waits for the daemon's answer.
  public func registerMedia(id: String, isSend: Bool, isReceive: Bool) throws(GraphError) {
    _ = try owner.register(id: id, isSend: isSend, isReceive: isReceive)
  }

  /// Unregisters media with its microphone input and its speaker output. The last of any owner (applications that use nearend's devices
  /// count, L3) stops the session and hands everything back, unless `isAutomaticDeactivationEnabled` is false. Ignored for an unknown id.
  ///
  /// LiveSwitch: `unregisterMediaWithMediaId:` (L2).
  public func unregisterMedia(id: String) { owner.unregister(id: id) }

  /// Ends the session at once: all media is unregistered, and applications lose the devices. Settings are kept. Ignored without a session.
  public func shutDown() { owner.shutDown() }

  /// Locked while a session exists: a set is then ignored and logs a warning.
  public var configuration: AudioSessionConfiguration {
    get { owner.configuration }
    set {
      guard !owner.configure(newValue) else { return }
      owner.log.add(.warning, "configuration has no effect while a session exists; set it before the first registration")
    }
  }
}
