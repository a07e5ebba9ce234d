internal import CRealtime
import Foundation
import Synchronization

/// Delivers the processed voice from the capture path to a program's one source (L5): the control side.
///
///     capture path ──▶ voice ──▶ tap ──▶ callback on the audio thread, or a queue
///
/// Consumers come and go while audio runs: each change publishes a new one, and the old one is freed when no cycle can hold it any more.
/// The audio thread never waits for a call here.
// `@unchecked Sendable`: the attached consumer is guarded by a lock that the audio thread never takes; everything else is atomic or
// immutable.
package final class SourceTap: @unchecked Sendable {
  /// The audio thread's half.
  let delivery: SourceDelivery
  private let cells: SourceCells
  private let memory: CellBlock
  private let lock = Mutex(())
  private var consumer: UnsafeMutablePointer<SourceConsumer>?
  /// The queue whose memory the consumer points into.
  private var queue: SourceQueue?
  /// What was detached, and at most the ticket's cycle still holds; oldest first.
  private var retired: [Retired] = []
  private struct Retired {
    let consumer: UnsafeMutablePointer<SourceConsumer>
    let queue: SourceQueue?
    let ticket: UInt64
  }

  /// Creates a tap of one channel without a consumer. [control]
  package init() {
    var memory = CellBlock()
    cells = SourceCells(&memory)
    cells.channelCount.store(1)
    delivery = SourceDelivery(cells: cells)
    self.memory = memory
  }

  /// The audio thread must have stopped for good.
  deinit {
    if let consumer { _ = Owned(adopting: consumer) }
    for retired in retired { _ = Owned(adopting: retired.consumer) }
  }

  /// Calls `callback` with `context` on the audio thread in every cycle from the next on. Detaches the previous consumer. [control]
  package func attach(_ callback: @escaping MicrophoneCallback, context: UnsafeMutableRawPointer?) {
    publish(SourceConsumer(callback: callback, context: context), queue: nil)
  }

  /// Writes every cycle from the next on into `queue`, which belongs to one tap. Detaches the previous consumer. [control]
  package func attach(_ queue: SourceQueue) { publish(SourceConsumer(queue: queue.writer), queue: queue) }

  /// Detaches the consumer. When it returns, the callback is not running and is not called again, and nothing more enters the queue. Waits
  /// for a cycle in progress, as `settle` does. Ignored if nothing is attached. [control]
  package func detach() {
    release()
    settle()
  }

  /// Detaches the consumer from the next cycle on, without waiting: a callback may still be running until `settle` has returned. [control]
  package func release() { lock.withLock { _ in replace(with: nil, queue: nil) } }

  /// Waits until nothing that was detached is running any more. To be called without a lock that a callback may take; in a callback, which
  /// must not wait for itself, it returns at once. [any]
  package func settle() {
    while !lock.withLock({ _ in freesRetired() }) {
      if Self.isInCallback { return }
      // Short: the guard encloses no more than the delivery itself.
      usleep(50)
    }
  }

  /// Whether anything attached since `forgetAudio` received microphone audio other than silence. [any]
  package var hadAudio: Bool { cells.hadAudio.load() }
  /// Clears `hadAudio` for a new source. [any]
  package func forgetAudio() { cells.hadAudio.store(false) }

  /// Channels that a callback receives, 1 or 2. [any]
  package var channelCount: Int {
    get { Int(cells.channelCount.load()) }
    set { cells.channelCount.store(newValue == 2 ? 2 : 1) }
  }

  /// Delivers one cycle's voice, which is mono, in place of the audio thread, for a tap that no capture path feeds. One thread at a time.
  /// - Parameters:
  ///   - frames: at most 8192.
  ///   - rate: Hz.
  ///   - hasAudio: whether the microphone's part of it is more than silence.
  package func feed(_ voice: UnsafePointer<Float>, frames: Int, rate: Int, hasAudio: Bool) {
    delivery.deliver(voice, right: nil, frames: frames, rate: rate, hasAudio: hasAudio)
  }

  /// Whether the caller is a microphone's callback, for whose return it must not wait. [any]
  package static var isInCallback: Bool { rt_is_in_microphone_callback() }

  // MARK: Publishing

  private func publish(_ consumer: consuming SourceConsumer, queue: SourceQueue?) {
    let pointer = Owned(consumer).release()
    lock.withLock { _ in replace(with: pointer, queue: queue) }
  }

  private func replace(with new: UnsafeMutablePointer<SourceConsumer>?, queue newQueue: SourceQueue?) {
    // Pairs with the load in SourceDelivery.deliver, inside the cycle's guard.
    cells.consumer.storeSequential(UInt64(UInt(bitPattern: new)))
    if let consumer { retired.append(Retired(consumer: consumer, queue: queue, ticket: cells.cycle.ticket())) }
    consumer = new
    queue = newQueue
    _ = freesRetired()
  }

  /// Frees what no cycle holds any more; returns whether that is all.
  private func freesRetired() -> Bool {
    retired.removeAll { retired in
      guard cells.cycle.isOver(retired.ticket) else { return false }
      _ = Owned(adopting: retired.consumer)
      return true
    }
    return retired.isEmpty
  }
}
