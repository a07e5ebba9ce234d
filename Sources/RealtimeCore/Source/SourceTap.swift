import Foundation
import Synchronization

/// Where the one source of a program takes the processed voice from the capture path (L5): the control side.
///
///     capture path ──▶ voice ──▶ tap ──▶ callback on the audio thread, or a queue
///
/// Consumers come and go while audio runs: each change publishes another, and the old one is freed when no cycle can hold it any more. The audio thread
/// never waits for a call here.
// Sound: what is attached is guarded by a lock that the audio thread never takes; everything else is atomic or immutable.
public final class SourceTap: @unchecked Sendable {
  /// What the audio thread calls.
  let delivery: SourceDelivery
  private let cells: SourceCells
  private let memory: CellBlock
  private let lock = Mutex(())
  private var consumer: UnsafeMutablePointer<SourceConsumer>?
  /// The queue whose memory the consumer points into.
  private var queue: SourceQueue?

  init() {
    var memory = CellBlock(count: SourceCells.count)
    cells = SourceCells(&memory)
    cells.channelCount.store(1)
    delivery = SourceDelivery(cells: cells)
    self.memory = memory
  }

  /// The audio thread must have stopped for good.
  deinit { Self.free(consumer) }

  /// Calls `callback` with `context` on the audio thread in every cycle from the next on. What was attached before is detached. [control]
  public func attach(_ callback: @escaping MicrophoneCallback, context: UnsafeMutableRawPointer?) {
    publish(SourceConsumer(callback: callback, context: context), queue: nil)
  }

  /// Writes every cycle from the next on into `queue`, which belongs to one tap. What was attached before is detached. [control]
  public func attach(_ queue: SourceQueue) { publish(SourceConsumer(queue: queue.writer), queue: queue) }

  /// When it returns, the callback is not running and is not called again, and nothing more comes into the queue. Waits for a cycle that is under way,
  /// so never to be called by a callback itself. Where nothing is attached it has no effect. [control]
  public func detach() {
    lock.withLock { _ in replace(with: nil, queue: nil) }
  }

  /// Whether anything that was attached since `forgetAudio` was given audio of the microphone's that is more than silence and noise. [any]
  public var hadAudio: Bool { cells.hadAudio.load() != 0 }
  /// A new source begins: none of its audio has been heard yet. [any]
  public func forgetAudio() { cells.hadAudio.store(0) }

  /// Channels of what a callback is given, 1 or 2. [any]
  public var channelCount: Int {
    get { Int(cells.channelCount.load()) }
    set { cells.channelCount.store(newValue == 2 ? 2 : 1) }
  }

  // MARK: Publishing

  private func publish(_ consumer: consuming SourceConsumer, queue: SourceQueue?) {
    let pointer = UnsafeMutablePointer<SourceConsumer>.allocate(capacity: 1)
    pointer.initialize(to: consumer)
    lock.withLock { _ in replace(with: pointer, queue: queue) }
  }

  private func replace(with new: UnsafeMutablePointer<SourceConsumer>?, queue newQueue: SourceQueue?) {
    // Pairs with the load in SourceDelivery.deliver, inside the cycle's guard.
    cells.consumer.storeSequential(UInt64(UInt(bitPattern: new)))
    let ticket = cells.cycle.ticket()
    // Short: no more is inside the guard than the delivery itself.
    while !cells.cycle.isOver(ticket) { usleep(50) }
    Self.free(consumer)
    consumer = new
    queue = newQueue
  }

  private static func free(_ consumer: UnsafeMutablePointer<SourceConsumer>?) {
    consumer?.deinitialize(count: 1)
    consumer?.deallocate()
  }
}
