import Foundation
import RealtimeCore
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
  }
  private let state = Mutex(State())
  private let tap: SourceTap
  private let report = Callback<@Sendable (SourceNews) -> Void>()

  init(tap: SourceTap) { self.tap = tap }

  /// Sets the function called with news of the source, on the slot's own thread. Set it before there is a source.
  func listen(_ report: @escaping @Sendable (SourceNews) -> Void) { self.report.set(report) }

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

  func attach(mediaId: String) {
    state.withLock { state in
      guard let source = state.source, source.mediaId == mediaId else { return }
      switch source.consumer {
      case .callback(let consumer): tap.attach(consumer.callback, context: consumer.context)
      case .pump(let pump): tap.attach(pump.queue)
      }
      state.ticker = Ticker(milliseconds: source.pump == nil ? 100 : 5) { [weak self, weak source] in
        if let source { self?.tick(source) }
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

  private func tick(_ source: RegisteredSource) {
    source.pump?.pump()
    // A late tick may find another source.
    let news = state.withLock { state in state.source === source ? self.news(of: source, &state.reported) : [] }
    guard !news.isEmpty, let report = report.current else { return }
    for news in news { report(news) }
  }

  private func news(of source: RegisteredSource, _ reported: inout Reported) -> [SourceNews] {
    var news: [SourceNews] = []
    if tap.hadAudio, !reported.hadAudio {
      reported.hadAudio = true
      news.append(.hadAudio(mediaId: source.mediaId))
    }
    guard let pump = source.pump else { return news }
    let (runs, overruns) = (pump.queue.overrunRuns, pump.queue.overruns)
    if runs > reported.runs {
      news.append(.overrun(mediaId: source.mediaId, lost: overruns - reported.overruns, total: overruns))
      (reported.runs, reported.overruns) = (runs, overruns)
    }
    return news
  }
}

/// News of a source, from the audio thread. [any]
enum SourceNews: Sendable {
  /// It has had audio other than silence, for the first time.
  case hadAudio(mediaId: String)
  /// Cycles were lost, for the first time of a run: those since the previous run, and in total.
  case overrun(mediaId: String, lost: UInt64, total: UInt64)
}
