import Foundation
import RealtimeCore

/// Drives a whole core from inside the fence. Voice processing is off, because the library has a check of its own.
// `@unchecked Sendable`: one thread drives it.
final class CoreDriver: @unchecked Sendable {
  let core: AudioCore
  var hasMicrophone = true
  private var position: UInt64 = 0
  private let signal, left, right: UnsafeMutablePointer<Float>
  private static let longest = 8_192

  init() throws {
    core = try AudioCore()
    core.controls.usesVoiceProcessing = false
    core.isSending = true
    (signal, left, right) = (Self.floats(0.5), Self.floats(0), Self.floats(0))
  }

  deinit { for pointer in [signal, left, right] { pointer.deallocate() } }

  private static func floats(_ value: Float) -> UnsafeMutablePointer<Float> {
    let pointer = UnsafeMutablePointer<Float>.allocate(capacity: longest)
    pointer.initialize(repeating: value, count: longest)
    return pointer
  }

  /// Lets the graph continue for `frames` frames without this process.
  func lose(frames: Int) { position += UInt64(frames) }

  func cycles(_ count: Int, quantum: Int) {
    let processor = core.realtime
    for _ in 0..<count {
      var buffers = CycleBuffers(frames: quantum, rate: 48_000, position: position, driver: 1)
      buffers.microphone = hasMicrophone ? UnsafePointer(signal) : nil
      buffers.call = StereoInput(left: UnsafePointer(signal), right: nil)
      buffers.speaker = (left, right)
      withUnsafePointer(to: buffers) { pointer in
        onTheAudioThread { processor.process(pointer, graphSinks: nil) }
      }
      position += UInt64(quantum)
    }
  }
}
