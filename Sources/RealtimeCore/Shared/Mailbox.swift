/// Hands whole objects to the audio thread, one at a time, and returns the replaced one to be freed on the control side.
///
/// One control thread posts and collects; the audio thread takes. Neither ever waits. Ownership moves with the pointer: control → (post) →
/// mailbox → (take) → audio thread → (take of the next) → tray → (collect) → control. Copies of the value are views of one mailbox.
///
///     mailbox.post(new)                                          // [control]; free the returned one, which was never taken
///     if let new = mailbox.take(returning: current) { current = new }   // [realtime], at the start of a cycle
///     if let old = mailbox.collect() { free(old) }               // [control], periodically
// `@unchecked Sendable`: a pointer is in one place at a time, and each move acquires what the last one released.
package struct Mailbox: @unchecked Sendable {
  private let incoming: CounterCell
  private let tray: CounterCell

  /// Creates an empty mailbox in `block`. Call `collect` and `post(nil)` to get its content back before the block goes. [control]
  package init(_ block: inout CellBlock) {
    incoming = CounterCell(block.next())
    tray = CounterCell(block.next())
  }

  /// Offers `object` to the audio thread's next cycle. Returns an object that was posted earlier and never taken, which the caller owns
  /// again. `nil` withdraws a posted object. [control]
  @discardableResult
  package func post(_ object: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: UInt(incoming.exchange(UInt64(UInt(bitPattern: object)))))
  }

  /// Returns the newly posted object; nil if there is none, or the last returned one has not been collected. `old` then belongs to the
  /// control side and must not be touched again. [realtime]
  @_noLocks @_noAllocation
  package func take(returning old: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // Relaxed check first: a cycle without news costs one load.
    if incoming.load() == 0 || tray.loadAcquire() != 0 { return nil }
    let new = incoming.exchange(0)
    if new == 0 { return nil }
    tray.storeRelease(UInt64(UInt(bitPattern: old)))
    return UnsafeMutableRawPointer(bitPattern: UInt(new))
  }

  /// Returns an object that was kept when the next one was taken, because both were needed for a while. Returns false, and keeps it with
  /// the audio thread, while the last returned one has not been collected. [realtime]
  @_noLocks @_noAllocation
  package func giveBack(_ old: UnsafeMutableRawPointer) -> Bool {
    if tray.loadAcquire() != 0 { return false }
    tray.storeRelease(UInt64(UInt(bitPattern: old)))
    return true
  }

  /// Returns the object that the audio thread has released, once. [control]
  package func collect() -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: UInt(tray.exchange(0)))
  }
}
