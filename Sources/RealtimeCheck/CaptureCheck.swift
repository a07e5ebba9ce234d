import Foundation
import RealtimeCore
import SeededSignals

/// Checks of every state of the capture path with the WebRTC engine, in a process of their own: the library takes uncontended mutexes
/// within a block, so its locks, and nothing else, are allowed there; allocation stays forbidden.
let captureChecks: [Check] = captureChecks(.webrtc) + [handOverCheck]

/// Checks of nearend's own engine, which may neither lock nor allocate.
let nearendChecks: [Check] = captureChecks(.nearend) + arrayChecks

private func captureChecks(_ engine: EchoCanceller) -> [Check] {
  [
    Check("capture, \(engine): every rate at every quantum, changing from cycle to cycle") {
      for rate in [16_000, 22_050, 44_100, 48_000, 96_000, 192_000] {
        let driver = try CaptureDriver(engine, rate: rate)
        for quantum in [32, 100, 256, 480, 1_024, 8_192, 32] { driver.cycles(max(3, rate / 20 / quantum), quantum: quantum) }
        if driver.meters.snapshot().errors != 0 { return "the library refused a block at \(rate) Hz" }
      }
      return nil
    },
    Check("capture, \(engine): every switch, thrown while it runs") {
      let driver = try CaptureDriver(engine, rate: 48_000)
      let controls = driver.controls
      let switches: [() -> Void] = [
        { controls.isBypassed.toggle() }, { controls.isHighPassFilterEnabled.toggle() }, { controls.isEchoCancellationEnabled.toggle() },
        { controls.isNoiseSuppressionEnabled.toggle() }, { controls.isGainControlEnabled.toggle() },
        { controls.isMicrophoneMuted.toggle() }, { controls.mutesInput.toggle() }, { controls.usesVoiceProcessing.toggle() },
        { controls.streamDelay += 9_000 },
        { controls.echoPathChanged() },
      ]
      for round in 0..<32 {
        switches[round % switches.count]()
        driver.cycles(13, quantum: 256)
      }
      return require(driver.meters.snapshot().microphonePeak > 0.01, "nothing was heard")
    },
    Check("capture, \(engine): ports without buffers, infinite and NaN samples") {
      let driver = try CaptureDriver(engine, rate: 48_000)
      driver.cycles(20, quantum: 256, input: .none)
      driver.cycles(20, quantum: 256, input: .garbage)
      driver.cycles(200, quantum: 256)
      return require(driver.meters.snapshot().microphonePeak > 0.01, "nothing was heard")
    },
    Check("capture, \(engine): a microphone that clips, and a far end that is soft beside its echo") {
      for input in [CaptureDriver.Input.clipped, .softFarEnd] {
        let driver = try CaptureDriver(engine, rate: 48_000)
        driver.cycles(1_000, quantum: 256, input: input)
        if driver.meters.snapshot().microphonePeak <= 0.01 { return "nothing was heard" }
      }
      return nil
    },
    Check("capture, \(engine): 1000 cycles with an echo that is measured and cancelled") {
      let driver = try CaptureDriver(engine, rate: 48_000)
      driver.cycles(1_000, quantum: 480)
      let meters = driver.meters.snapshot()
      return require(
        meters.echoDelay.known != nil && meters.echoSeconds > 3, "no echo was measured: \(meters)")
    },
    Check("capture, \(engine): cycles and parts of cycles that are lost, at every quantum") {
      let driver = try CoreDriver()
      driver.core.controls.usesVoiceProcessing = true
      driver.core.controls.engine = engine
      try driver.core.prepare(rate: 48_000)
      for quantum in [64, 100, 256, 480, 1_024] {
        for lost in [quantum, 1, 3 * quantum, quantum + 1, 12_000 / quantum * quantum, 12_001, 47_999] {
          driver.cycles(max(5, 3_000 / quantum), quantum: quantum)
          driver.lose(frames: lost)
        }
      }
      driver.cycles(200, quantum: 256)
      return require(driver.core.meters.snapshot().microphonePeak > 0.1, "nothing was heard")
    },
  ]
}

private let arrayChecks: [Check] = [
  Check("capture: arrays of 2 and 8 microphones, at every rate, and switched") {
    for (rate, microphones) in [(16_000, 2), (44_100, 8), (48_000, 8), (96_000, 3)] {
      let driver = try CaptureDriver(.nearend, rate: rate, microphones: microphones)
      for (quantum, input) in [(64, CaptureDriver.Input.echo), (100, .garbage), (256, .echo), (480, .none), (1_024, .echo)] {
        driver.controls.isBeamformingEnabled.toggle()
        driver.cycles(max(3, rate / 4 / quantum), quantum: quantum, input: input)
      }
      driver.cycles(max(3, 2 * rate / 256), quantum: 256)
      if driver.meters.snapshot().microphonePeak <= 0.01 { return "nothing was heard at \(rate) Hz" }
    }
    return nil
  },
  Check("capture: microphones of an array that die, one after another, and live again") {
    let driver = try CaptureDriver(.nearend, rate: 48_000, microphones: 8)
    for living in [8, 5, 1, 0, 3, 8] {
      driver.living = living
      driver.cycles(100, quantum: 256)
    }
    return require(driver.meters.snapshot().microphonePeak > 0.01, "nothing was heard")
  },
]

/// A whole core, because the hand-over is between its paths.
private let handOverCheck = Check("capture: engines take over from one another at every quantum, and are interrupted while they do") {
  let driver = try CoreDriver()
  let core = driver.core
  core.controls.usesVoiceProcessing = true
  let interruptions: [() -> Void] = [
    {}, { core.isSending.toggle() }, { core.controls.usesVoiceProcessing.toggle() }, { core.controls.echoPathChanged() },
    { core.controls.isMicrophoneMuted.toggle() }, { driver.cycles(3, quantum: 100) },
  ]
  for round in 0..<24 {
    core.controls.engine = round % 2 == 0 ? .webrtc : .nearend
    core.collect()
    try core.prepare()
    let quantum = [64, 256, 480, 1_024][round % 4]
    driver.cycles(3, quantum: quantum)
    interruptions[round % interruptions.count]()
    driver.cycles(max(4, 4_000 / quantum), quantum: quantum)
  }
  core.isSending = true
  core.controls.usesVoiceProcessing = true
  driver.cycles(20, quantum: 256)
  return require(core.meters.snapshot().microphonePeak > 0.1 && core.captureLatency > 0, "nothing was heard")
}

/// Runs the capture checks in a child process that may lock inside the library.
let captureCheck = Check("capture path, in a process of its own") {
  let suppressions = FileManager.default.temporaryDirectory.appendingPathComponent("nearend-realtime-\(getpid()).supp")
  try Data("function-name-matches:pthread_mutex_lock\nfunction-name-matches:pthread_mutex_unlock\n".utf8).write(to: suppressions)
  defer { try? FileManager.default.removeItem(at: suppressions) }
  let child = Process()
  child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  child.arguments = ["--capture"]
  child.environment = ProcessInfo.processInfo.environment.merging(["RTSAN_OPTIONS": "suppressions=\(suppressions.path)"]) { $1 }
  try child.run()
  child.waitUntilExit()
  return require(child.terminationStatus == 0, "it ended with exit code \(child.terminationStatus)")
}

/// Drives a capture path from inside the fence: bursts of noise from the far end, and their echo 150 ms later.
private final class CaptureDriver {
  /// `clipped`: the echo, loud, at rails of 0.3; `softFarEnd`: the echo of a far end that is 30 dB softer.
  enum Input { case echo, none, garbage, clipped, softFarEnd }
  let controls = CaptureControls()
  let meters = SequenceLocked(CaptureMeters())
  private let path: Owned<CapturePath>
  private let far, near, clipped, softFar, garbage, voice: Samples
  private let length: Int
  private var position = 0
  private static let longest = 8_192
  /// Microphones of an array that have buffers, the first ones.
  var living: Int
  private let microphones: Int
  private let others: UnsafeMutablePointer<UnsafePointer<Float>?>

  init(_ engine: EchoCanceller, rate: Int, microphones: Int = 1) throws {
    (self.microphones, living) = (microphones, microphones)
    others = .allocate(capacity: microphones)
    others.initialize(repeating: nil, count: microphones)
    path = Owned(
      try CapturePath(
        engine: engine, rate: rate, maximumQuantum: Self.longest, controls: controls, meters: meters, microphones: microphones))
    length = 5 * rate
    let capacity = length + Self.longest + microphones
    far = Samples(capacity)
    near = Samples(capacity)
    clipped = Samples(capacity)
    softFar = Samples(capacity)
    garbage = Samples(repeating: .nan, count: Self.longest)
    voice = Samples(Self.longest)
    var random = SeededGenerator(seed: 1)
    // Bursts and pauses of uneven length: with even ones, a delay could be mistaken for one that is a period longer.
    var isOn = false, left = 0
    for i in 0..<capacity {
      if left == 0 {
        isOn.toggle()
        left = rate / 1_000 * Int.random(in: 40...300, using: &random)
      }
      left -= 1
      far[i] = isOn ? 0.3 * random.sample() : 0
      let echo = i - 150 * rate / 1_000
      near[i] = echo >= 0 ? 0.5 * far[echo] : 0
      clipped[i] = max(-0.3, min(0.3, 8 * near[i]))
      softFar[i] = 0.03 * far[i]
    }
  }

  deinit { others.deallocate() }

  func cycles(_ count: Int, quantum: Int, input: Input = .echo) {
    for _ in 0..<count {
      let (path, voice) = (path.pointer, voice.start)
      let (microphone, reference): (UnsafeMutablePointer<Float>?, UnsafeMutablePointer<Float>?) =
        switch input {
        case .echo: (near + position, far + position)
        case .none: (nil, nil)
        case .garbage: (garbage.start, garbage.start)
        case .clipped: (clipped + position, far + position)
        case .softFarEnd: (near + position, softFar + position)
        }
      let count = microphones - 1, others = others
      // Each hears the same a little later.
      for i in 0..<count { others[i] = i + 1 < living ? microphone.map { UnsafePointer($0 + (input == .garbage ? 0 : i)) } : nil }
      let first = living > 0 ? microphone : nil
      onTheAudioThread {
        path.pointee.process(
          microphone: first, reference: reference, right: reference, voice: voice, frames: quantum, others: UnsafePointer(others),
          otherCount: count)
      }
      position += quantum
      if position >= length { position = 0 }
    }
  }
}
