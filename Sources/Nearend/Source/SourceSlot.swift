import Foundation
import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// A registered source: called on the audio thread, or served by a pump. [any]
final class RegisteredSource: Sendable {
  enum Consumer: Sendable {
    case callback(RealtimeConsumer)
    case pump(SourcePump)
  }
  let mediaId: String
  let consumer: Consumer

  init(mediaId: String, _ consumer: Consumer) {
    self.mediaId = mediaId
    self.consumer = consumer
  }

  var pump: SourcePump? {
    if case .pump(let pump) = consumer { return pump }
    return nil
  }
}

/// A program's callback with its context.
// `@unchecked Sendable`: the context is never dereferenced here; its owner guarantees that the audio thread may use it.
struct RealtimeConsumer: @unchecked Sendable {
  let callback: MicrophoneCallback
  let context: UnsafeMutableRawPointer?
}

/// The single slot for a source (L5), between the session, which decides, and the tap, which delivers. [any]
///
/// While it is attached a timer polls the audio thread's reports: new audio, the first sound, lost cycles. Otherwise nothing runs (L4).
final class SourceSlot: Sendable {
  private struct State {
    var source: RegisteredSource?
    var ticker: Ticker?
    /// What has been reported.
    var reported = Reported()
  }
  private struct Reported {
    var hadAudio = false
    var runs: UInt64 = 0
    var overruns: UInt64 = 0

    /// Returns the cycles that were lost, since the previous run and in total, if a run has begun.
    mutating func update(_ queue: SourceQueue) -> (lost: UInt64, total: UInt64)? {
      let (newRuns, total) = (queue.overrunRuns, queue.overruns)
      guard newRuns > runs else { return nil }
      defer { (runs, overruns) = (newRuns, total) }
      return (total - overruns, total)
    }
  }
  private let state = Mutex(State())
  private let tap: SourceTap
  private let events: EventBus
  private let detector = Mutex(EventDetector())

  init(tap: SourceTap, events: EventBus) { (self.tap, self.events) = (tap, events) }

  deinit {
    remove(mediaId: nil)
    settle()
  }

  /// Returns whether the source of that id has had audio other than silence, reported or not.
  func hasHeard(mediaId: String) -> Bool { state.withLock { $0.source?.mediaId == mediaId && tap.hadAudio } }

  /// The registered source.
  var current: RegisteredSource? { state.withLock { $0.source } }

  /// Accepts a source on the session's behalf; it is attached when the session runs.
  func accept(_ source: RegisteredSource) {
    state.withLock { state in
      state.source = source
      state.reported = Reported()
      tap.forgetAudio()
    }
  }

  /// Delivers to the source from now on. Lost cycles are posted.
  /// - Parameter firstSound: called once, on the slot's own thread, when the source has audio other than silence for the first time.
  func attach(mediaId: String, firstSound: @escaping @Sendable () -> Void) {
    state.withLock { state in
      guard let source = state.source, source.mediaId == mediaId else { return }
      switch source.consumer {
      case .callback(let consumer): tap.attach(consumer.callback, context: consumer.context)
      case .pump(let pump): tap.attach(pump.queue)
      }
      state.ticker = Ticker(milliseconds: source.pump == nil ? 100 : 5) { [weak self, weak source] in
        if let source { self?.tick(source, firstSound) }
      }
    }
  }

  /// Detaches the source, which stays registered. Once `settle` has returned, nothing more is delivered.
  func detach(mediaId: String) {
    state.withLock { state in
      guard state.source?.mediaId == mediaId else { return }
      tap.release()
      state.ticker = nil
    }
  }

  /// Removes the source, or any source with nil: waiters see the end. Once `settle` has returned, nothing more is delivered.
  func remove(mediaId: String?) {
    let source = state.withLock { state -> RegisteredSource? in
      guard let source = state.source, mediaId == nil || source.mediaId == mediaId else { return nil }
      tap.release()
      state = State()
      return source
    }
    source?.pump?.end()
  }

  /// Waits until no callback that was detached or removed is running. Called without the session's lock, which a callback takes that asks
  /// something; in a callback it does not wait.
  func settle() { tap.settle() }

  private func tick(_ source: RegisteredSource, _ firstSound: () -> Void) {
    source.pump?.pump()
    let (isFirstSound, overrun) = state.withLock { state -> (Bool, (lost: UInt64, total: UInt64)?) in
      // A late tick may find another source.
      guard state.source === source else { return (false, nil) }
      let isFirstSound = tap.hadAudio && !state.reported.hadAudio
      if isFirstSound { state.reported.hadAudio = true }
      return (isFirstSound, source.pump.flatMap { state.reported.update($0.queue) })
    }
    if isFirstSound { firstSound() }
    if let overrun { postOverrun(mediaId: source.mediaId, lost: overrun.lost, total: overrun.total) }
  }

  /// Posts that the source's consumer was too slow, unless that is no news: cycles lost since the previous run, and in total.
  func postOverrun(mediaId: String, lost: UInt64, total: UInt64) {
    let event = detector.withLock { $0.sourceOverrun(mediaId: mediaId, lost: lost, total: total, at: monotonicSeconds()) }
    if let event { events.post(event.kind, mediaId: event.mediaId, detail: event.detail) }
  }
}
