import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// A handle of a callback that receives the processed microphone, which ends with its last reference, or by `end()`. [any]
public final class MicrophoneTap: Sendable {
  private let registration: Registration

  /// - Parameter remove: removes the callback, and waits until it does not run.
  init(remove: @escaping @Sendable () -> Void) { registration = Registration(remove: remove) }

  deinit { registration.end() }

  /// Removes the callback. When it returns, the callback is not running and is not called again. Idempotent.
  ///
  /// If the callback itself calls it, it returns at once, and the callback is removed soon after it has returned.
  public func end() { registration.end() }

  private final class Registration: Sendable {
    /// Locked while the callback is removed, so that whoever ends the tap a second time waits, too.
    private let ended = Mutex(false)
    private let remove: @Sendable () -> Void

    init(remove: @escaping @Sendable () -> Void) { self.remove = remove }

    func end() {
      // The callback may call this, and may hold the last reference to its tap.
      guard !SourceTap.isInCallback else { return _ = startThread(name: "nearend-tap") { self.end() } }
      ended.withLock { ended in
        if !ended { remove() }
        ended = true
      }
    }
  }
}

extension Call {
  /// Delivers the microphone, with the far end's echo removed, to a callback on the audio thread, once per cycle. One at a time in a
  /// program, as ``microphone(sampleRate:channels:)``, which most programs prefer.
  ///
  /// It waits while the session does not run, and continues by itself after an interruption or a change of device.
  /// - Parameters:
  ///   - context: passed to the callback; it has to live until the tap has ended.
  ///   - callback: called on the audio thread: it must not lock, allocate, wait, or call anything here but the tap's
  ///     end.
  /// - Throws: `MicrophoneError`; nothing has changed then.
  public func tapMicrophone(
    context: UnsafeMutableRawPointer? = nil, callback: @escaping MicrophoneCallback
  ) throws(MicrophoneError) -> MicrophoneTap {
    let tap = try whileJoined { () throws(MicrophoneError) in
      if let refusal = owner.registerSource(id: id, context: context, callback: callback) {
        throw MicrophoneError(.refused(refusal), self)
      }
      return MicrophoneTap { [self] in _ = whileJoined { owner.removeSource(id: id) } }
    }
    guard let tap else { throw .callEnded(id: id) }
    return tap
  }
}
