import Foundation
import Synchronization

@testable import RealtimeCore

/// An isolator of known effect: halves the level, with the delay that it reports.
// `@unchecked Sendable`: only the worker isolates; the rest is guarded by a lock.
final class IsolatorDouble: VoiceIsolator, @unchecked Sendable {
  let name = "double"
  let delay: Int
  private let gain: Float
  private var line: [Float]
  private let state = Mutex((blocks: 0, isStuck: false))

  init(delay: Int = 1440, gain: Float = 0.5) {
    (self.delay, self.gain) = (delay, gain)
    line = [Float](repeating: 0, count: delay)
  }

  var blocks: Int { state.withLock { $0.blocks } }
  /// Whether isolating blocks.
  var isStuck: Bool {
    get { state.withLock { $0.isStuck } }
    set { state.withLock { $0.isStuck = newValue } }
  }

  func isolate(_ block: UnsafePointer<Float>, into voice: UnsafeMutablePointer<Float>) {
    while isStuck { usleep(1_000) }
    line += UnsafeBufferPointer(start: block, count: 480)
    for i in 0..<480 { voice[i] = gain * line[i] }
    line.removeFirst(480)
    state.withLock { $0.blocks += 1 }
  }
}

extension CoreRig {
  /// A core with voice processing whose modes are changed while cycles run. Isolation runs between cycles, unless it has its own
  /// thread.
  convenience init(
    isolator: IsolatorDouble, rate: Int = 48_000, hasThread: Bool = false, configure: (CaptureControls) -> Void = { _ in }
  ) throws {
    try self.init()
    self.rate = rate
    core.isolation.use { () throws(IsolationError) in isolator }
    core.isolation.isSynchronous = !hasThread
    core.controls.usesVoiceProcessing = true
    configure(core.controls)
    try core.prepare(rate: rate)
  }

  /// Runs whole cycles, and the control side's and the worker's part between them; returns the voice.
  func run(
    _ microphone: some Collection<Float>, reference: [Float]? = nil, quantum: Int, each: (Int) throws -> Void = { _ in },
    drains: (Int) -> Bool = { _ in true }
  ) throws -> [Float] {
    let microphone = Array(microphone)
    var voice: [Float] = []
    for index in 0..<microphone.count / quantum {
      try each(index)
      let range = index * quantum..<(index + 1) * quantum
      cycle(Array(microphone[range]), reference: reference.map { Array($0[range]) })
      voice += self.voice
      core.collect()
      if drains(index) { core.isolation.drain() }
    }
    return voice
  }

  /// Changes the mode as the control side does in a call, which makes what the mode needs meanwhile.
  func change(to mode: MicMode) throws {
    core.controls.micMode = mode
    try renewCapturePath()
  }
}
