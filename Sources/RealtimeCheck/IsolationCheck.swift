import Foundation
import RealtimeCore

/// Checks of the mic modes' part of the audio thread. The isolator is not a network, but allocates and is slow at times, like one.
let isolationChecks: [Check] = [
  Check("isolation: in time and late, at every quantum, in and out of the mode, bypassed, muted and unheard") {
    let driver = try CoreDriver()
    let core = driver.core
    core.controls.usesVoiceProcessing = true
    core.isolation.use { () throws(IsolationError) in SlowIsolator() }
    let switches: [() -> Void] = [
      {}, { core.controls.isBypassed.toggle() }, { core.controls.isMicrophoneMuted.toggle() }, { core.isSending.toggle() },
      { core.controls.usesVoiceProcessing.toggle() }, { core.controls.mutesInput.toggle() },
    ]
    var wasHeard = false
    for round in 0..<48 {
      core.controls.micMode = [.voiceIsolation, .voiceIsolation, .wideSpectrum, .voiceIsolation, .standard][round % 5]
      try core.prepare()
      let quantum = [32, 100, 256, 480, 1_024, 8_192][round % 6]
      switches[round % switches.count]()
      for _ in 0..<max(4, 9_600 / quantum) {
        driver.cycles(1, quantum: quantum)
        usleep(500)
        core.collect()
      }
      switches[round % switches.count]()
      wasHeard = wasHeard || core.isolation.status.isHeard
    }
    return require(wasHeard && core.isolation.status.lateBlocks > 0, "\(core.isolation.status)")
  },
  Check("isolation: a worker that stands still until nothing more can be given to it, and then goes on") {
    let driver = try CoreDriver()
    let core = driver.core
    core.controls.usesVoiceProcessing = true
    core.controls.micMode = .voiceIsolation
    core.isolation.use { () throws(IsolationError) in SlowIsolator() }
    core.isolation.isSynchronous = true
    try core.prepare()
    // Nothing isolates: the FIFO holds 1.4 s.
    driver.cycles(600, quantum: 256)
    let late = core.isolation.status.lateBlocks
    for _ in 0..<100 {
      core.isolation.drain()
      driver.cycles(1, quantum: 256)
    }
    return require(late > 100 && core.isolation.status.isHeard, "\(core.isolation.status)")
  },
]

/// Halves the amplitude; now and then takes longer than allowed.
private final class SlowIsolator: VoiceIsolator, @unchecked Sendable {
  let name = "slow"
  let delay = 1440
  private var blocks = 0

  // Safe: one thread at a time isolates.
  func isolate(_ block: UnsafePointer<Float>, into voice: UnsafeMutablePointer<Float>) {
    blocks += 1
    if blocks % 40 == 0 { usleep(40_000) }
    let samples = Array(UnsafeBufferPointer(start: block, count: 480)).map { 0.5 * $0 }
    for i in 0..<480 { voice[i] = samples[i] }
  }
}
