/// A callback that takes processed microphone audio on the audio thread, once per cycle. [realtime]
///
/// It must not lock, allocate or wait, and whatever it ends or sets takes effect only after it has returned. The samples are valid until it
/// returns.
///
/// - Parameters:
///   - context: the context that it was registered with.
///   - samples: `frames` × `channelCount` floats, interleaved, full scale ±1.
///   - frames: the quantum, 32–8192.
///   - channelCount: 1, or 2 (`captureChannelCount`): left and right, or the mono voice on both where there is no stereo.
///   - sampleRate: the graph's, in Hz; may change between calls.
///   - position: frames delivered before these since the source was attached.
// Not one pointer to a struct: a Swift struct cannot appear in a C function's type.
public typealias MicrophoneCallback =
  @convention(c) (
    _ context: UnsafeMutableRawPointer?, _ samples: UnsafePointer<Float>, _ frames: Int, _ channelCount: Int, _ sampleRate: Int,
    _ position: UInt64
  ) -> Void
