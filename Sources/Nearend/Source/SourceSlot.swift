import Foundation
import RealtimeCore
import Synchronization

/// Who takes the processed microphone: called on the audio thread, or served by a pump. [any]
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

/// A program's callback with what it is to be given.
// Sound: nobody here looks behind the context; whoever registered it has promised that the audio thread may.
struct RealtimeConsumer: @unchecked Sendable {
  let callback: MicrophoneCallback
  let context: UnsafeMutableRawPointer?
}

/// The one place for a source (L5), between the session that decides and the tap that delivers. [any]
///
/// While it is attached a timer looks at what the audio thread tells: new audio, the first sound, lost cycles. While it is not, nothing runs (L4).
final class SourceSlot: Sendable {
  private struct State {
    var source: RegisteredSource?
    var ticker: Ticker?
    /// Runs of overruns that were told of.
    var toldRuns: UInt64 = 0
  }
  private let state = Mutex(State())
  private let tap: SourceTap
  private let events: EventBus

  init(tap: SourceTap, events: EventBus) {
    self.tap = tap
    self.events = events
  }

  deinit { remove(mediaId: nil) }

  /// What is registered now.
  var current: RegisteredSource? { state.withLock { $0.source } }

  /// The session has accepted it; it is attached when the session runs.
  func accept(_ source: RegisteredSource) {
    state.withLock { state in
      state.source = source
      state.toldRuns = 0
      tap.forgetAudio()
      events.sourceHadAudio = false
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

  /// When it returns, nothing more comes; the source stays.
  func detach(mediaId: String) {
    state.withLock { state in
      guard state.source?.mediaId == mediaId else { return }
      tap.detach()
      state.ticker = nil
    }
  }

  /// When it returns, nothing more comes, and who waits for more sees the end; nil is for whatever is there.
  func remove(mediaId: String?) {
    let source = state.withLock { state -> RegisteredSource? in
      guard let source = state.source, mediaId == nil || source.mediaId == mediaId else { return nil }
      tap.detach()
      state = State()
      return source
    }
    source?.pump?.end()
  }

  private func tick(_ source: RegisteredSource) {
    source.pump?.pump()
    let isLosing = state.withLock { state in
      // A tick may come late, when another source is here.
      guard state.source === source else { return false }
      if tap.hadAudio { events.sourceHadAudio = true }
      guard let runs = source.pump?.queue.overrunRuns, runs > state.toldRuns else { return false }
      state.toldRuns = runs
      return true
    }
    if isLosing, let queue = source.pump?.queue {
      events.post(.sourceOverrun, mediaId: source.mediaId, detail: ["overruns": .integer(Int(queue.overruns))])
    }
  }
}

/// Calls a function again and again until it is freed.
// Sound: the timer is set up once, and Dispatch lets any thread cancel it.
private final class Ticker: @unchecked Sendable {
  private static let queue = DispatchQueue(label: "nearend.source", qos: .userInteractive)
  private let timer: any DispatchSourceTimer

  init(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
    timer = DispatchSource.makeTimerSource(queue: Self.queue)
    timer.schedule(deadline: .now(), repeating: .milliseconds(milliseconds), leeway: .milliseconds(1))
    timer.setEventHandler(handler: body)
    timer.resume()
  }

  deinit { timer.cancel() }
}
