import Foundation
import RealtimeCore

/// Checks of a voice of two channels.
let stereoChecks: [Check] = [
  Check("stereo: both sides at every quantum, while another thread changes modes, processing, choice, mute and source, and cycles are lost")
  {
    let driver = try CoreDriver()
    let core = driver.core
    core.source.channelCount = 2
    core.controls.micMode = .wideSpectrum
    try core.prepare()
    driver.channels = 8
    driver.hasRightVoice = true
    let isDone = DispatchSemaphore(value: 0)
    let other = Thread {
      for round in 0..<200 {
        core.controls.usesVoiceProcessing = round % 5 != 0
        core.controls.micMode = round % 7 == 0 ? .standard : .wideSpectrum
        core.controls.isMicrophoneMuted = round % 11 == 0
        core.inputs.channels = [.each, .mean, .only([1, 8]), .auto][round % 4]
        if round % 3 == 0 { core.source.attach(SourceQueue(channels: 2)) } else { core.source.detach() }
        usleep(500)
      }
      isDone.signal()
    }
    other.start()
    var heard = false
    while isDone.wait(timeout: .now()) == .timedOut {
      for quantum in [32, 100, 480, 8_192] {
        driver.cycles(4, quantum: quantum)
        heard = heard || core.controls.isStereo
        driver.lose(frames: 2 * quantum)
      }
      driver.hasRightVoice.toggle()
    }
    core.source.detach()
    core.collect()
    return require(heard, "the voice was never one of two channels")
  }
]
