extension UnsafeMutablePointer where Pointee == Float {
  /// Allocates working memory for audio: `count` floats, all zero, for the caller to deallocate. [control]
  static func silence(_ count: Int) -> Self {
    let pointer = Self.allocate(capacity: count)
    pointer.initialize(repeating: 0, count: count)
    return pointer
  }
}
