import Foundation
import Nearend
import SessionModel
import SimulatedHardware

/// Checks what a call application observes of its call besides sound: mute, the call's end, other programs' volume.
extension Soak {
  /// Number of checks before a volume counts as wrong: half a minute.
  private static let attempts = 60

  /// Checks that with this mode of muting, and nothing playing into it, *Nearend Microphone* outputs only zeros, and that the microphone
  /// returns.
  func checkGate(_ mode: MicrophoneMuteMode) throws {
    service.perform(.set(.microphoneMuteMode, EventValue(mode)))
    service.perform(.set(.microphoneMuted, true))
    guard holds.isEmpty else { return }
    appAudio.removeAll()
    try waitFor("silence after application audio") { _ in appAudio.isQuiet }
    if let samples = try record("nearend.microphone:capture_MONO", frames: 19_200) {
      // Audio in flight may pass.
      let sounds = samples.suffix(9_600).count { $0 != 0 }
      if sounds > 0 {
        expect(["muted (\(mode.rawValue)), \(sounds) of 9600 samples of the microphone are not zero"])
      } else {
        gates += 1
      }
    }
    service.perform(.set(.microphoneMuted, false))
    try waitFor("the microphone's return from a mute (\(mode.rawValue))") { $0.graph.captureLinks > 0 }
  }

  /// Ends the call, and begins another: checks that devices are released, or kept if recording is prepared, and that other programs are as
  /// loud as before.
  func hangUp() throws {
    guard holds.isEmpty else { return }
    guests.leaveCall()
    if music.isPlaying, let port = try music.monitor(), let speaker = service.snapshot().route.speaker, port.hasPrefix("\(speaker.name):") {
      try waitFor("the music to be lowered in a call") { $0.ducking.streams.contains(SoakMusic.application) }
    }
    room?.observe(false)
    try waitFor("the call's end") { now in
      let keepsMicrophone = now.session.isRecordingAlwaysPrepared && !isMicrophoneClosed
      return now.session.sendMedia.isEmpty && !now.ducking.isActive && now.ducking.streams.isEmpty
        && (now.graph.captureLinks > 0) == keepsMicrophone
    }
    if music.isPlaying { try checkMusic() }
    room?.observe(true)
    try waitForAudio("in the next call", within: 15)
  }

  /// Whether the microphone is legitimately closed: by a mute that closes it.
  var isMicrophoneClosed: Bool {
    let settings = service.session.current.settings
    return settings.isMicrophoneMuted && settings.microphoneMuteMode == .restart
  }

  private func checkMusic() throws {
    var found: Double?
    let noted = failures.count
    for _ in 0..<Self.attempts where failures.count == noted {
      // The monitor of the device to which the session manager has moved it, if its own disappeared.
      guard let port = try music.monitor() else { return }
      found = try record(port, frames: 4_800).map(SoakMusic.loudness)
      if let found, abs(found - SoakMusic.level) < 0.1 {
        restored += 1
        return
      }
      Thread.sleep(forTimeInterval: 0.1)
    }
    guard failures.count == noted else { return }
    // A stream of PipeWire 0.3.65 whose device keeps changing may end up outputting silence, with or without nearend.
    if try !music.isLowered(), let port = try music.output(), let output = try record(port, frames: 4_800), output.allSatisfy({ $0 == 0 }) {
      crashes["music (silent at its own volume)", default: 0] += 1
      music.leaves()
      return try music.start()
    }
    let level = found.map { number($0) } ?? "no"
    try expect(["after a call the music has \(level) dBFS where it had \(SoakMusic.level) before; \(saveGraph())"])
  }

  /// Records a port, from now on; nil if it disappears meanwhile, or if nothing can be recorded, which is noted with the state of the
  /// graph.
  func record(_ port: String, frames: Int) throws -> [Float]? {
    do {
      return try EarCommand.record(port, frames: frames, in: session)
    } catch {
      if try isAfterCrash() || !session.ports().contains(port) { return nil }
      try expect(["\(error); \(saveGraph())"])
      return nil
    }
  }

  /// Writes the graph to a file, and returns its path.
  func saveGraph() throws -> String {
    // Not in the session's folder, which is removed with the session.
    let file = "\(NSTemporaryDirectory())/nearend-soak-\(getpid())-\(failures.count).json"
    let graph = (try? session.run("pw-dump", []).output) ?? "pw-dump was not answered"
    try graph.write(toFile: file, atomically: false, encoding: .utf8)
    return "the graph is in \(file)"
  }
}
