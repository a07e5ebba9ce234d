import Dispatch
import SessionModel
import Synchronization

/// Hears of what happens to the sound. Seed: `FMLiveSwitchCocoaAudioSessionManagerObserver`.
public protocol AudioSessionManagerObserver: AnyObject, Sendable {
  /// `event.detail["sourceHadAudio"]` is always there (T4).
  @MainActor func audioSessionManager(_ manager: AudioSessionManager, didPost event: AudioEvent)
}

extension AudioSessionManager {
  /// Called on the main queue from now on. Held weakly; adding one twice has no effect (T4). Seed: `addObserver:`. [any]
  public func addObserver(_ observer: any AudioSessionManagerObserver) { observers.add(observer) }

  /// Unknown observer: no effect (T4). Seed: `removeObserver:`. [any]
  public func removeObserver(_ observer: any AudioSessionManagerObserver) { observers.remove(observer) }

  /// What happens from now on; each access gives a stream of its own. Who does not keep up loses the oldest. [any]
  public var events: AsyncStream<AudioEvent> {
    AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
      let subscription = bus.subscribe { continuation.yield($0) }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}

/// Observers, held weakly. [any]
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

  /// Whoever observes when the main queue gets there is told.
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
