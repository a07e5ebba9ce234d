/// What a program's own stage is called with on the audio thread: audio to be changed in place. [realtime]
///
/// It must neither lock, allocate nor wait, and must not add or remove a stage itself. The buffers are valid until it returns. What it
/// leaves in them should be finite: what is not becomes silence, and is counted (`StageChain.silencedSamples`).
///
/// - Parameters:
///   - context: the stage's.
///   - left: `frames` floats, full scale ±1.
///   - right: the same of the other side; nil in the capture chain, where the voice is mono.
///   - frames: 1–8192; may change from one call to the next.
///   - sampleRate: the graph's, in Hz; may change from one call to the next.
// Not one pointer to a struct: a Swift struct has no place in a C function's type.
public typealias StageCallback =
  @convention(c) (
    _ context: UnsafeMutableRawPointer?, _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, _ frames: Int,
    _ sampleRate: Int
  ) -> Void

/// A program's own stage in the capture or the render chain (S6). [any]
// Sound: the context is only handed on; whose it is, and what may touch it when, is the program's affair.
public struct AudioStage: @unchecked Sendable {
  public var callback: StageCallback
  public var context: UnsafeMutableRawPointer?
  /// Frames by which it delays what goes through it; added to the latency that the graph is told. Constant.
  public var latency: Int
  /// Called once, on a control thread, when the stage can no longer be called: the context may be freed.
  public var released: (@Sendable (UnsafeMutableRawPointer?) -> Void)?

  public init(
    latency: Int = 0, context: UnsafeMutableRawPointer? = nil, released: (@Sendable (UnsafeMutableRawPointer?) -> Void)? = nil,
    callback: @escaping StageCallback
  ) {
    self.latency = max(0, latency)
    self.context = context
    self.released = released
    self.callback = callback
  }
}
