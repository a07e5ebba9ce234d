/// A callback of a program's own stage on the audio thread: processes audio in place. [realtime]
///
/// It must not lock, allocate or wait, and must not add or remove a stage itself. The buffers are valid until it returns. NaN and infinite
/// samples in its output become silence, and are counted (`StageChain.silencedSamples`).
///
/// - Parameters:
///   - context: the stage's.
///   - left: `frames` floats, full scale ±1.
///   - right: the other side; nil in the capture chain while the voice is mono, which it is unless stereo is asked for.
///   - frames: 1–8192; may change between calls.
///   - sampleRate: the graph's, in Hz; may change between calls.
// Not one pointer to a struct: a Swift struct cannot appear in a C function's type.
public typealias StageCallback =
  @convention(c) (
    _ context: UnsafeMutableRawPointer?, _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, _ frames: Int,
    _ sampleRate: Int
  ) -> Void

/// A program's own stage in the capture or the render chain (S6). [any]
// `@unchecked Sendable`: the context is only passed on; the program owns it and coordinates access to it.
public struct AudioStage: @unchecked Sendable {
  /// Processes the audio of each cycle in which its chain runs. [realtime]
  public var callback: StageCallback
  /// Passed to the callback; it must stay valid until `released`. nil if the callback needs none.
  public var context: UnsafeMutableRawPointer?
  /// The stage's delay in frames, part of the latency reported to the graph. Constant.
  public var latency: Int
  /// Called once, on a control thread, when the stage can no longer be called and the context may be freed.
  public var released: (@Sendable (UnsafeMutableRawPointer?) -> Void)?
  /// Called with the context when the chain falls idle, once per pause: later audio does not continue the earlier. [realtime]
  var onIdle: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

  /// Creates a stage, which takes effect once it is in a chain. A negative latency counts as 0.
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
