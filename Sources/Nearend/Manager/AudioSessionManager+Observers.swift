import Dispatch
import SessionModel
import Synchronization

/// An observer of audio events. LiveSwitch: `FMLiveSwitchCocoaAudioSessionManagerObserver`.
public protocol AudioSessionManagerObserver: AnyObject, Sendable {
  /// Called for each event; `event.detail["sourceHadAudio"]` is always present (T4).
  @MainActor func audioSessionManager(_ manager: AudioSessionManager, didPost event: AudioEvent)
}

extension AudioSessionManager {
  /// Adds an observer, which is held weakly and called on the main queue. Idempotent (T4). LiveSwitch: `addObserver:`. [any]
  public func addObserver(_ observer: any AudioSessionManagerObserver) { observers.add(observer) }

  /// Removes an observer; ignored if unknown (T4). LiveSwitch: `removeObserver:`. [any]
  public func removeObserver(_ observer: any AudioSessionManagerObserver) { observers.remove(observer) }

  /// The events from now on; each access returns a new stream. A slow consumer loses the oldest events. [any]
  public var events: AsyncStream<AudioEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
      let subscription = owner.bus.subscribe { if case .event(let event) = $0 { continuation.yield(event) } }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}

/// Weakly held observers. [any]
final class ObserverList: Sendable {
  private struct Entry: Sendable {
    weak var observer: (any AudioSessionManagerObserver)?
  }
  private let entries = Mutex<[Entry]>([])

  func add(_ observer: any AudioSessionManagerObserver) {
    entries.withLock { entries in
      entries.removeAll { $0.observer == nil }
      if !entries.contains(where: { $0.observer === observer }) { entries.append(Entry(observer: observer)) }
    }
  }

  func remove(_ observer: any AudioSessionManagerObserver) {
    entries.withLock { $0.removeAll { $0.observer == nil || $0.observer === observer } }
  }

  /// Calls those who are still observers when the main queue runs it.
  func tell(_ event: AudioEvent, from manager: AudioSessionManager) {
    guard entries.withLock({ !$0.isEmpty }) else { return }
    DispatchQueue.main.async { [weak manager, self] in
      guard let manager else { return }
      let observers = entries.withLock { $0.compactMap(\.observer) }
      MainActor.assumeIsolated {
        for observer in observers { observer.audioSessionManager(manager, didPost: event) }
      }
    }
  }
}
