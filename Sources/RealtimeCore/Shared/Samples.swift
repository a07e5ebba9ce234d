/// Working memory for audio, which it owns: floats, all zero at first. [realtime] except `init` and `deinit`.
package typealias Samples = Buffer<Float>

/// Memory for a fixed number of plain values, which it owns: it is freed with whatever holds the buffer.
///
/// The audio thread takes `start`, a view that must not outlive the buffer.
package struct Buffer<Element: BitwiseCopyable>: ~Copyable {
  /// The first value. [realtime]
  package private(set) var start: UnsafeMutablePointer<Element>

  /// Allocates `count` values, 1 or more. [control]
  package init(repeating value: Element, count: Int) {
    start = .allocate(capacity: count)
    start.initialize(repeating: value, count: count)
  }

  /// Allocates a copy of `values`, which may be empty. [control]
  package init(_ values: [Element]) {
    start = .allocate(capacity: max(1, values.count))
    for (i, value) in values.enumerated() { (start + i).initialize(to: value) }
  }

  /// Takes over allocated memory, of which an initializer keeps a view: Swift 6.0 crashes where one reads a buffer of its own. [control]
  package init(adopting start: UnsafeMutablePointer<Element>) { self.start = start }

  deinit { start.deallocate() }
}

// Not of every element: the audio thread is to need no type's metadata.
extension Buffer<Float> {
  /// Allocates `count` zeros. [control]
  package init(_ count: Int) { self.init(repeating: 0, count: count) }

  package subscript(_ index: Int) -> Float {
    @inline(__always) @_noLocks @_noAllocation get { start[index] }
    @inline(__always) @_noLocks @_noAllocation nonmutating set { start[index] = newValue }
  }

  /// The sample `offset` samples after the first.
  @inline(__always) @_noLocks @_noAllocation
  package static func + (samples: borrowing Samples, offset: Int) -> UnsafeMutablePointer<Float> { samples.start + offset }

  /// Exchanges the memory of two buffers: Swift 6.0 takes `swap` of a noncopyable type for an allocation.
  @_noLocks @_noAllocation
  mutating func exchange(with other: inout Samples) { (start, other.start) = (other.start, start) }
}

/// Memory without a type, which it owns: zero at first, and aligned to cache lines, so that threads contend only for what they share.
struct CacheLines: ~Copyable {
  /// Bytes of a cache line.
  static let line = 64
  let start: UnsafeMutableRawPointer

  /// Allocates `byteCount` bytes, 1 or more. [control]
  init(byteCount: Int) {
    start = .allocate(byteCount: byteCount, alignment: Self.line)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  deinit { start.deallocate() }
}
