import Foundation
import RealtimeCore

/// Checks of application audio, and of the modes of muting, in a whole core (D1, D4).
let appAudioChecks: [Check] = [
  Check("application audio: captured, mixed, monitored, ducked and limited, at every quantum") {
    let driver = try CoreDriver()
    let core = driver.core
    for (index, rate) in [44_100, 48_000, 8_000].enumerated() {
      let buffer = try AppAudioBuffer(interleaved: [Float](repeating: 0.9, count: 2 * rate), sampleRate: rate, channelCount: 1 + index % 2)
      guard core.capture(appAudio: buffer) else { return "nothing was captured at \(rate) Hz" }
      core.appAudio.isMonitored.toggle()
      core.appAudio.isDucked.toggle()
      core.appAudio.micVolume = index == 0 ? 0.5 : 1
      core.appAudio.appVolume = index == 1 ? 0.5 : 1
      for quantum in [32, 100, 480, 8_192] { driver.cycles(10, quantum: quantum) }
    }
    let wasSounding = core.appAudio.isSounding
    core.appAudio.endCapture()
    driver.cycles(400, quantum: 480)
    core.appAudio.collect()
    driver.cycles(10, quantum: 480)
    return require(wasSounding && !core.appAudio.isSounding, "sounding \(wasSounding), then \(core.appAudio.isSounding)")
  },
  Check("application audio: captured by another thread") {
    let driver = try CoreDriver()
    let core = driver.core
    let isDone = DispatchSemaphore(value: 0)
    let other = Thread {
      for round in 0..<200 {
        let rate = [48_000, 44_100][round / 50 % 2]
        if let buffer = try? AppAudioBuffer(interleaved: [Int16](repeating: 9_000, count: 480), sampleRate: rate, channelCount: 1) {
          _ = core.capture(appAudio: buffer)
        }
        core.appAudio.collect()
      }
      isDone.signal()
    }
    other.start()
    while isDone.wait(timeout: .now()) == .timedOut { driver.cycles(5, quantum: 64) }
    return nil
  },
  Check("mute: every way, with the microphone there and gone") {
    let driver = try CoreDriver()
    let controls = driver.core.controls
    let switches: [() -> Void] = [
      { controls.isMicrophoneMuted.toggle() }, { controls.mutesInput.toggle() }, { controls.isVoiceOnlyPrepared.toggle() },
      { driver.hasMicrophone.toggle() },
    ]
    for round in 0..<64 {
      switches[round % 7 % switches.count]()
      driver.cycles(5, quantum: [32, 256, 1_024][round % 3])
    }
    return nil
  },
]
