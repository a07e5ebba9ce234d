import Foundation
import Nearend
import SessionModel
import SimulatedHardware

/// What a call application sees of its call, beyond sound: mute, the call's end, other programs' volume.
extension Soak {
  /// Times that a volume is looked at until it is not right: half a minute.
  private static let looks = 60

  /// Muted so, and nothing plays into it, *Nearend Microphone* gives zeros and nothing else; afterwards the microphone is back.
  func checkGate(_ mode: MicrophoneMuteMode) throws {
    service.perform(.setMicrophoneMuteMode(mode))
    service.perform(.setMicrophoneMuted(true))
    guard holds.isEmpty else { return }
    appAudio.removeAll()
    try settle("silence after application audio") { _ in appAudio.isQuiet }
    if let samples = try hear("nearend.microphone:capture_MONO", frames: 19_200) {
      // What was under way comes through.
      let sounds = samples.suffix(9_600).count { $0 != 0 }
      if sounds > 0 {
        expect(["muted (\(mode.rawValue)), \(sounds) of 9600 samples of the microphone are not zero"])
      } else {
        gates += 1
      }
    }
    service.perform(.setMicrophoneMuted(false))
    try settle("the microphone's return from a mute (\(mode.rawValue))") { $0.graph.captureLinks > 0 }
  }

  /// The call is over, and another one begins: devices are handed back, or kept where recording is prepared, and what plays beside it is as
  /// loud as before.
  func hangUp() throws {
    guard holds.isEmpty else { return }
    guests.leaveCall()
    if music.isPlaying, let port = try music.monitor(), let speaker = service.snapshot().route.speaker, port.hasPrefix("\(speaker.name):") {
      try settle("the music to be lowered in a call") { $0.ducking.streams.contains(SoakMusic.application) }
    }
    room?.observe(false)
    try settle("the call's end") { now in
      let keepsMicrophone = now.session.isRecordingAlwaysPrepared && !isMicrophoneClosed
      return now.session.sendMedia.isEmpty && !now.ducking.isActive && now.ducking.streams.isEmpty
        && (now.graph.captureLinks > 0) == keepsMicrophone
    }
    if music.isPlaying { try checkMusic() }
    room?.observe(true)
    try waitForAudio("in the next call", within: 15)
  }

  /// By right, where it is muted by closing it.
  var isMicrophoneClosed: Bool {
    let settings = service.session.current.settings
    return settings.isMicrophoneMuted && settings.microphoneMuteMode == .restart
  }

  private func checkMusic() throws {
    var found: Double?
    for _ in 0..<Self.looks {
      // Where the session manager has moved it to, if its device went.
      guard let port = try music.monitor() else { return }
      found = try hear(port, frames: 4_800).map(SoakMusic.loudness)
      if let found, abs(found - SoakMusic.level) < 0.1 {
        restored += 1
        return
      }
      Thread.sleep(forTimeInterval: 0.1)
    }
    expect(["after a call the music has \(found.map { number($0) } ?? "no") dBFS where it had \(SoakMusic.level) before"])
  }

  /// What a port gives from now on; nil where it goes meanwhile.
  private func hear(_ port: String, frames: Int) throws -> [Float]? {
    do {
      return try EarCommand.hear(port, frames: frames, in: session)
    } catch {
      if try isAfterCrash() || !session.ports().contains(port) { return nil }
      throw error
    }
  }
}
