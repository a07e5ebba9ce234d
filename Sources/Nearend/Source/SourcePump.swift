import RealtimeCore
import Synchronization

/// Passes a stream's audio from the audio thread's queue to the tasks and threads that wait for it. [any]
///
/// Audio stays in the queue until one waits for it, so that a slow consumer shows as overruns and uses no memory.
final class SourcePump: Sendable {
  let queue: SourceQueue
  let sampleRate: Int
  let channelCount: Int

  /// Called once, with the next buffer; with nil after the end.
  typealias Waiter = @Sendable (MicrophoneBuffer?) -> Void
  private struct State {
    let converter: SourceConverter
    /// Oldest first.
    var waiters: [Waiter] = []
    var hasEnded = false
  }
  private let state: Mutex<State>

  /// - Parameter capacity: the queue's, in words.
  /// Throws `SourceError.outOfMemory`.
  init(sampleRate: Int, channelCount: Int, capacity: Int = SourceQueue.defaultCapacity) throws(SourceError) {
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    queue = SourceQueue(capacity: capacity, channels: channelCount)
    state = Mutex(State(converter: try SourceConverter(sampleRate: sampleRate, channelCount: channelCount)))
  }

  /// Returns the next buffer; nil after the end.
  func next() async -> MicrophoneBuffer? {
    await withCheckedContinuation { continuation in next { continuation.resume(returning: $0) } }
  }

  /// Passes the next buffer on: at once, or on the thread that has it.
  func next(_ waiter: @escaping Waiter) {
    let (isOver, buffer) = state.withLock { state -> (Bool, MicrophoneBuffer?) in
      if state.hasEnded { return (true, nil) }
      // Earlier waiters are served first.
      if state.waiters.isEmpty, let buffer = state.converter.next(from: queue) { return (true, buffer) }
      state.waiters.append(waiter)
      return (false, nil)
    }
    if isOver { waiter(buffer) }
  }

  /// Serves the waiters, as far as there is audio.
  func pump() {
    while true {
      let served = state.withLock { state -> (Waiter, MicrophoneBuffer)? in
        guard let waiter = state.waiters.first, let buffer = state.converter.next(from: queue) else { return nil }
        state.waiters.removeFirst()
        return (waiter, buffer)
      }
      guard let (waiter, buffer) = served else { return }
      waiter(buffer)
    }
  }

  /// Ends the stream for all current and later waiters. Idempotent.
  func end() {
    let waiters = state.withLock { state in
      state.hasEnded = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter(nil) }
  }
}
