import Foundation
import RealtimeCore

/// Both kinds of source, and their coming and going.
let sourceChecks: [Check] = [
  Check("source: a callback, mono and stereo, at every quantum") {
    let driver = try SourceDriver()
    let calls = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    calls.initialize(to: 0)
    defer { calls.deallocate() }
    driver.core.source.attach({ context, _, _, _, _, _ in context!.assumingMemoryBound(to: Int.self).pointee += 1 }, context: calls)
    for channelCount in [1, 2] {
      driver.core.source.channelCount = channelCount
      for quantum in [32, 100, 480, 8_192] { driver.cycles(5, quantum: quantum) }
    }
    driver.core.source.detach()
    driver.cycles(5, quantum: 256)
    return require(calls.pointee == 40 && driver.core.source.hadAudio, "\(calls.pointee) calls")
  },
  Check("source: a queue, until it is full and after") {
    let driver = try SourceDriver()
    let queue = SourceQueue()
    driver.core.source.attach(queue)
    for quantum in [32, 100, 480, 8_192] { driver.cycles(20, quantum: quantum) }
    var samples: [Float] = []
    while queue.read(into: &samples) != nil {}
    driver.cycles(1, quantum: 256)
    let isBack = queue.read(into: &samples)?.frames == 256
    driver.core.source.detach()
    return require(queue.overruns > 0 && queue.overrunRuns == 1 && isBack, "\(queue.overruns) overruns in \(queue.overrunRuns) runs")
  },
  Check("source: attached and detached by another thread") {
    let driver = try SourceDriver()
    let tap = driver.core.source
    let isDone = DispatchSemaphore(value: 0)
    let other = Thread {
      for round in 0..<500 {
        let queue = SourceQueue()
        if round % 3 != 0 { tap.attach(queue) } else { tap.attach({ _, _, _, _, _, _ in }, context: nil) }
        var samples: [Float] = []
        for _ in 0..<3 { _ = queue.read(into: &samples) }
        if round % 2 == 0 { tap.detach() }
      }
      tap.detach()
      isDone.signal()
    }
    other.start()
    while isDone.wait(timeout: .now()) == .timedOut { driver.cycles(5, quantum: 64) }
    return require(tap.hadAudio, "nothing was delivered")
  },
  Check("mix: mono and stereo") {
    let driver = try SourceDriver()
    let peaks = [1, 2, 1].map { channelCount in
      driver.core.mixer.channelCount = channelCount
      // Until the meter has fallen to what is played.
      driver.cycles(100, quantum: 256)
      return driver.core.mixer.speakerPeak
    }
    return require(peaks == [0.25, 0.5, 0.25], "the peaks were \(peaks)")
  },
]

/// A whole core, and the graph that drives it from inside the fence. Voice processing is off: the library has a check of its own.
// Sound: one thread drives it.
final class SourceDriver: @unchecked Sendable {
  let core: AudioCore
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

  func cycles(_ count: Int, quantum: Int) {
    let processor = core.realtime
    for _ in 0..<count {
      var buffers = CycleBuffers(frames: quantum, rate: 48_000, position: position, driver: 1)
      buffers.microphone = UnsafePointer(signal)
      buffers.call = StereoInput(left: UnsafePointer(signal), right: nil)
      buffers.speaker = (left, right)
      withUnsafePointer(to: buffers) { pointer in
        onTheAudioThread { processor.process(pointer, graphSinks: nil) }
      }
      position += UInt64(quantum)
    }
  }
}
