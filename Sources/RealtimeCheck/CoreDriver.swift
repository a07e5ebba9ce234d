import Foundation
import RealtimeCore

/// Drives a whole core from inside the fence. Voice processing is off, because the library has a check of its own.
// `@unchecked Sendable`: one thread drives it.
final class CoreDriver: @unchecked Sendable {
  let core: AudioCore
  var hasMicrophone = true
  /// Channels of the microphone, at most 8, every other one the inverse of the first; 0 if it has one.
  var channels = 0
  /// Whether the voice's right side is linked.
  var hasRightVoice = false
  private var position: UInt64 = 0
  private let signal = Samples(repeating: 0.5, count: longest)
  private let noise = Samples((0..<longest).map { sinf(Float($0 * $0 % 4_099)) / 4 })
  private let inverse = Samples((0..<longest).map { -sinf(Float($0 * $0 % 4_099)) / 4 })
  private let table: Buffer<UnsafePointer<Float>?>
  private let left = Samples(longest)
  private let right = Samples(longest)
  private let voice = Samples(longest)
  private let voiceRight = Samples(longest)
  private static let longest = 8_192

  init() throws {
    let (noise, inverse) = (UnsafePointer(noise.start), UnsafePointer(inverse.start))
    table = Buffer((0..<8).map { $0 % 2 == 0 ? noise : inverse })
    core = try AudioCore()
    core.controls.usesVoiceProcessing = false
    core.isSending = true
  }

  /// Lets the graph continue for `frames` frames without this process.
  func lose(frames: Int) { position += UInt64(frames) }

  func cycles(_ count: Int, quantum: Int) {
    let processor = core.realtime
    for _ in 0..<count {
      var buffers = CycleBuffers(frames: quantum, rate: 48_000, position: position, driver: 1)
      buffers.microphone = hasMicrophone ? UnsafePointer(signal.start) : nil
      if channels > 0 {
        buffers.microphone = nil
        (buffers.microphones, buffers.microphoneCount) = (UnsafePointer(table.start), channels)
      }
      buffers.call = StereoInput(left: UnsafePointer(signal.start), right: nil)
      buffers.speaker = (left.start, right.start)
      if hasRightVoice { (buffers.voice, buffers.voiceRight) = (voice.start, voiceRight.start) }
      withUnsafePointer(to: buffers) { pointer in
        onTheAudioThread { processor.process(pointer, graphSinks: nil) }
      }
      position += UInt64(quantum)
    }
  }
}
