import Foundation
import Nearend
import RealtimeCore
import SeededSignals
import SessionModel

/// Programs that play into the microphone, over the socket and in this process, with an account of every frame: what was accepted is
/// played, waits, or was reported as refused.
final class AppAudioAccount {
  /// A stream of `capture(appAudio:)`; a buffer in another format begins the next.
  private struct Captured {
    let sink: RingSink
    var frames: UInt64 = 0
    var refused: UInt64 = 0
    /// Whether it was idle at the last check, so that its counters are final.
    var wasIdle = false
    var isSettled = false
  }
  private let service: NearendService
  private let uploads: UploadAccount
  /// The last one is still in use.
  private var captured: [Captured] = []
  private var pieces = (accepted: 0, refused: 0)
  /// Quiet enough not to be taken for the room's voice.
  private static let amplitude = 0.001

  init(_ service: NearendService, socket: String, folder: String) {
    self.service = service
    uploads = UploadAccount(service, socket: socket, folder: folder)
  }

  /// A summary for people.
  var summary: String { "\(uploads.summary); \(pieces.accepted) pieces captured, \(pieces.refused) refused" }

  /// Whether nothing plays into the microphone, or waits to.
  var isQuiet: Bool { uploads.isQuiet && captured.allSatisfy(\.sink.isIdle) }

  func uploadComes(id: String, rate: Int, channels: Int, seconds: Double) throws {
    let samples = Self.tone(frames: Int(seconds * Double(rate)), rate: rate, channels: channels)
    try uploads.start(id: id, rate: rate, channels: channels, samples: samples)
  }

  func uploadLeaves(id: String) { uploads.remove(id: id) }

  func capture(frames: Int, rate: Int, channels: Int) throws {
    let samples = Self.tone(frames: frames, rate: rate, channels: channels)
    let buffer = try AppAudioBuffer(interleaved: samples, sampleRate: rate, channelCount: channels)
    let isTaken = service.play(appAudio: buffer) == nil
    if isTaken { pieces.accepted += 1 } else { pieces.refused += 1 }
    guard let sink = service.core.appAudio.mixer.ringSinks.last(where: { $0.id.hasPrefix(AppAudio.captureId) }) else { return }
    if captured.last?.sink !== sink { captured.append(Captured(sink: sink)) }
    let last = captured.count - 1
    if isTaken { captured[last].frames += UInt64(frames) } else { captured[last].refused += 1 }
    captured[last].wasIdle = false
  }

  /// Removes every program, and ends the captured stream.
  func removeAll() {
    uploads.removeAll()
    service.core.appAudio.endCapture()
  }

  /// Returns the discrepancies since the last call.
  func drainDifferences() -> [String] {
    var problems = uploads.drainProblems()
    for source in service.snapshot().appAudio.sources where source.framesRead > source.framesWritten {
      problems.append("\(source.id) played \(source.framesRead) frames of \(source.framesWritten)")
    }
    for index in captured.indices {
      let entry = captured[index]
      let (now, id) = (entry.sink.status(), entry.sink.id)
      if now.framesWritten != entry.frames {
        problems.append("\(id) counts \(now.framesWritten) frames where \(entry.frames) were accepted")
      }
      if now.totalDrops > entry.refused { problems.append("\(id) counts \(now.totalDrops) drops where \(entry.refused) were refused") }
      if entry.wasIdle, now.framesRead != entry.frames {
        problems.append("\(id) is over: \(entry.frames) frames were accepted, and \(now.framesRead) played")
      }
      (captured[index].isSettled, captured[index].wasIdle) = (entry.wasIdle, entry.sink.isIdle)
    }
    // The last stream may continue.
    captured = captured.dropLast().filter { !$0.isSettled } + captured.suffix(1)
    return problems
  }

  private static func tone(frames: Int, rate: Int, channels: Int) -> [Float] {
    sine(300, frames: frames, rate: rate, level: amplitude).flatMap { Array(repeating: $0, count: channels) }
  }
}
