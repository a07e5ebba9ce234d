import Foundation
import RealtimeCore

/// Checks of recording and playing back for people who hear themselves.
let auditionChecks: [Check] = [
  Check("audition: recorded, played back, ended early, at every quantum, muted or not") {
    let driver = try CoreDriver()
    let tap = driver.core.audition
    for quantum in [32, 100, 480, 8_192] {
      driver.core.controls.isAuditioned = true
      driver.core.controls.isMicrophoneMuted = quantum == 100
      tap.record(seconds: 0.5, rate: 48_000, stageLatency: 100, voiceGain: 0.5)
      driver.cycles(26_000 / quantum + 1, quantum: quantum)
      guard tap.recorded.isComplete else { return "nothing was recorded at \(quantum)" }
      for track in [AuditionTrack.microphone, .voice] {
        tap.play(track)
        driver.cycles(26_000 / quantum + 1, quantum: quantum)
        guard tap.hasPlayed(track) else { return "\(track) was not played at \(quantum)" }
      }
      tap.play(.microphone)
      driver.cycles(2, quantum: quantum)
      tap.play(nil)
      driver.cycles(2, quantum: quantum)
      tap.end()
      driver.core.controls.isAuditioned = false
      driver.cycles(2, quantum: quantum)
    }
    return nil
  },
  Check("audition: begun and ended by another thread") {
    let driver = try CoreDriver()
    let tap = driver.core.audition
    let isDone = DispatchSemaphore(value: 0)
    let other = Thread {
      for round in 0..<500 {
        tap.record(seconds: 0.01, rate: 48_000)
        if round % 3 == 0 { usleep(200) }
        tap.play(round % 2 == 0 ? .voice : .microphone)
        if round % 2 == 0 { tap.end() }
      }
      tap.end()
      isDone.signal()
    }
    other.start()
    while isDone.wait(timeout: .now()) == .timedOut { driver.cycles(5, quantum: 64) }
    return require(!tap.holdsRecording, "a recording is left")
  },
]
