/// Hands whole objects to the audio thread, one at a time, and brings the replaced one back to be freed where freeing is allowed.
///
/// One control thread posts and collects; the audio thread takes. Neither ever waits. Ownership goes with the pointer: control → (post) → mailbox →
/// (take) → audio thread → (take of the next) → tray → (collect) → control. Copies of the value are views of one mailbox.
///
///     mailbox.post(new)                                          // [control]; frees what comes back, an older one that was never taken
///     if let new = mailbox.take(returning: current) { current = new }   // [realtime], at the start of a cycle
///     if let old = mailbox.collect() { free(old) }               // [control], now and then
// Sound: a pointer is in one place at a time, and each move acquires what the last one released.
public struct Mailbox: @unchecked Sendable {
  private let cells: UnsafeMutablePointer<UInt64>
  private let incoming: CounterCell
  private let tray: CounterCell

  /// An empty mailbox; free it with `deallocate()`. [control]
  public init() {
    cells = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 64).bindMemory(to: UInt64.self, capacity: 16)
    cells.initialize(repeating: 0, count: 16)
    incoming = CounterCell(cells)
    tray = CounterCell(cells + 8)
  }

  /// Frees the mailbox itself; collect and post(nil) first to get back what lies in it. [control]
  public func deallocate() { cells.deallocate() }

  /// Puts `object` where the audio thread takes it at its next cycle. Returns one that was posted earlier and never taken: the caller owns it again.
  /// `nil` takes a posted object back. [control]
  @discardableResult
  public func post(_ object: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: UInt(incoming.exchange(UInt64(UInt(bitPattern: object)))))
  }

  /// The newly posted object, or nil where there is none, or while the last returned one has not been collected. `old` then belongs to the control
  /// side and must not be touched again. [realtime]
  @_noLocks @_noAllocation
  public func take(returning old: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // Relaxed look first: a cycle without news costs one load.
    if incoming.load() == 0 || tray.loadAcquire() != 0 { return nil }
    let new = incoming.exchange(0)
    if new == 0 { return nil }
    tray.storeRelease(UInt64(UInt(bitPattern: old)))
    return UnsafeMutableRawPointer(bitPattern: UInt(new))
  }

  /// Gives an object back that was not returned when the next was taken, because both were needed for a while. False, and it stays with the audio thread,
  /// while the last returned one has not been collected. [realtime]
  @_noLocks @_noAllocation
  public func giveBack(_ old: UnsafeMutableRawPointer) -> Bool {
    if tray.loadAcquire() != 0 { return false }
    tray.storeRelease(UInt64(UInt(bitPattern: old)))
    return true
  }

  /// The object that the audio thread has let go of, once. [control]
  public func collect() -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: UInt(tray.exchange(0)))
  }
}
