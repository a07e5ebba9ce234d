import Foundation

@testable import RealtimeCore

/// A core driven by hand, cycle by cycle, like the graph; voice processing is off, so that the voice is the microphone bit by bit.
// `@unchecked Sendable`: one thread at a time drives it.
final class CoreRig: @unchecked Sendable {
  let core: AudioCore
  var rate = 48_000
  /// The output of the last cycle.
  private(set) var voice: [Float] = []
  /// Its right side.
  private(set) var voiceRight: [Float] = []
  private var position: UInt64 = 0
  private var driver: UInt32 = 1
  private var nanoseconds: UInt64 = 1_000_000_000
  private let outputs: UnsafeMutablePointer<Float>

  init() throws {
    core = try AudioCore()
    core.controls.usesVoiceProcessing = false
    core.isSending = true
    outputs = .allocate(capacity: 4 * CoreState.maximumQuantum)
    outputs.initialize(repeating: 0, count: 4 * CoreState.maximumQuantum)
  }

  deinit { outputs.deallocate() }

  /// Polls, like a control side, until no capture path is being made any more.
  func renewCapturePath() throws {
    repeat {
      try core.renewCapturePath()
      usleep(100)
    } while core.isMakingCapturePath
  }

  /// The left speaker's samples since the start.
  private(set) var played: [Float] = []
  /// The left speaker's samples in the last cycle.
  private(set) var lastSpeaker: [Float]?

  /// Advances the graph by `frames` without this process.
  func lose(frames: Int) {
    position += UInt64(frames)
    pass(frames: frames)
  }

  /// Lets the graph stand still.
  /// - Parameter isDriverNew: whether another device drives it afterwards, whose clock starts anew.
  func stand(seconds: Double, isDriverNew: Bool = false) {
    pass(frames: Int(seconds * Double(rate)))
    if isDriverNew { (driver, position) = (driver + 1, 0) }
  }

  private func pass(frames: Int) { nanoseconds += UInt64(frames) * 1_000_000_000 / UInt64(rate) }

  /// Runs one cycle of the length of `microphone`, or of `channels`, if it has several. `links`, as many, take the channels' place.
  @discardableResult
  func cycle(
    _ microphone: [Float], channels: [[Float]] = [], call: (left: [Float], right: [Float])? = nil, reference: [Float]? = nil,
    hasReference: Bool = true, hasMicrophone: Bool = true, links: [UnsafePointer<Float>?] = []
  ) -> (left: [Float], right: [Float]) {
    let frames = channels.first?.count ?? microphone.count
    let (left, right) = (outputs + CoreState.maximumQuantum, outputs + 2 * CoreState.maximumQuantum)
    let silence = [Float](repeating: 0, count: frames)
    microphone.withUnsafeBufferPointer { microphone in
      (call?.left ?? silence).withUnsafeBufferPointer { callLeft in
        (call?.right ?? silence).withUnsafeBufferPointer { callRight in
          var buffers = CycleBuffers(frames: frames, rate: rate, position: position, driver: driver)
          buffers.nanoseconds = nanoseconds
          if channels.isEmpty, links.isEmpty, hasMicrophone { buffers.microphone = microphone.baseAddress }
          buffers.call = StereoInput(left: callLeft.baseAddress, right: callRight.baseAddress)
          buffers.voice = outputs
          buffers.voiceRight = outputs + 3 * CoreState.maximumQuantum
          buffers.speaker = (left, right)
          (reference ?? silence).withUnsafeBufferPointer { reference in
            buffers.reference = StereoInput(left: hasReference ? reference.baseAddress : nil, right: nil)
            withPointers(to: channels) { table, count in
              links.withUnsafeBufferPointer { links in
                (buffers.microphones, buffers.microphoneCount) = links.isEmpty ? (table, count) : (links.baseAddress, links.count)
                core.realtime.process(&buffers, graphSinks: nil)
              }
            }
          }
        }
      }
    }
    position += UInt64(frames)
    pass(frames: frames)
    voice = Array(UnsafeBufferPointer(start: outputs, count: frames))
    voiceRight = Array(UnsafeBufferPointer(start: outputs + 3 * CoreState.maximumQuantum, count: frames))
    let speaker = (Array(UnsafeBufferPointer(start: left, count: frames)), Array(UnsafeBufferPointer(start: right, count: frames)))
    lastSpeaker = speaker.0
    played += speaker.0
    return speaker
  }
}

extension CoreRig {
  /// Runs cycles of 256 frames on a microphone of several channels, equally long, and returns the voice.
  /// - Parameters:
  ///   - reference: what the speaker plays.
  ///   - willRun: called before each cycle, with its first frame.
  func run(_ channels: [[Float]], reference: [Float]? = nil, willRun: (Int) -> Void = { _ in }) -> [Float] {
    runBoth(channels, reference: reference, willRun: willRun).left
  }

  /// The same, and returns both sides of the voice.
  func runBoth(
    _ channels: [[Float]], reference: [Float]? = nil, willRun: (Int) -> Void = { _ in }
  ) -> (left: [Float], right: [Float]) {
    let quantum = 256
    var (left, right): ([Float], [Float]) = ([], [])
    for start in stride(from: 0, to: channels[0].count / quantum * quantum, by: quantum) {
      willRun(start)
      let part = start..<start + quantum
      cycle([], channels: channels.map { Array($0[part]) }, reference: reference.map { Array($0[part]) })
      left += voice
      right += voiceRight
    }
    return (left, right)
  }
}

/// Calls `body` with a table of the channels, equally long.
private func withPointers(to channels: [[Float]], _ body: (UnsafePointer<UnsafePointer<Float>?>?, Int) -> Void) {
  let frames = channels.first?.count ?? 0
  channels.flatMap { $0 }.withUnsafeBufferPointer { samples in
    let table = channels.indices.map { channel in samples.baseAddress.map { $0 + channel * frames } }
    table.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
  }
}

/// The audio of a microphone callback.
final class CallbackRecorder {
  struct Call: Equatable {
    var samples: [Float]
    var frames: Int
    var channelCount: Int
    var sampleRate: Int
    var position: UInt64
  }
  var calls: [Call] = []

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static let callback: MicrophoneCallback = { context, samples, frames, channelCount, sampleRate, position in
    let samples = Array(UnsafeBufferPointer(start: samples, count: frames * channelCount))
    Unmanaged<CallbackRecorder>.fromOpaque(context!).takeUnretainedValue().calls.append(
      Call(samples: samples, frames: frames, channelCount: channelCount, sampleRate: sampleRate, position: position))
  }
}
