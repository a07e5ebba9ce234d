/// A value at a fixed address, which it owns: control side and audio thread reach it through `pointer`, and it never moves.
///
/// An object that goes to the audio thread through a `Mailbox`, or in a published table, leaves by `release()`; whoever gets it back frees
/// it by `Owned(adopting:)`.
package struct Owned<Value: ~Copyable>: ~Copyable {
  /// The value; valid as long as this. [any]
  package let pointer: UnsafeMutablePointer<Value>

  /// Moves a value to memory of its own. [control]
  package init(_ value: consuming Value) {
    pointer = .allocate(capacity: 1)
    pointer.initialize(to: value)
  }

  /// Takes over what `release()` has given away. [control]
  init(adopting pointer: UnsafeMutablePointer<Value>) { self.pointer = pointer }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }

  /// Gives the value away without freeing it. [control]
  consuming func release() -> UnsafeMutablePointer<Value> {
    let pointer = pointer
    discard self
    return pointer
  }
}
