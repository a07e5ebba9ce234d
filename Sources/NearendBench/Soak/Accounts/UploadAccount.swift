import ControlClient
import Foundation
import Nearend
import SimulatedHardware
import Synchronization

/// Programs that play into the microphone over the socket, and the answers about their frames: all are played, unless the program was
/// removed.
final class UploadAccount: Sendable {
  /// The answer of `PUT /appaudio`.
  private struct Counts: Decodable {
    var framesWritten: Int
    var framesPlayed: Int
    var drops: Int
  }
  private struct Upload {
    var frames: Int
    /// Whether it has been removed.
    var isLeaving = false
  }
  private struct State {
    var open: [String: Upload] = [:]
    var problems: [String] = []
    var played = 0
    var brokenOff = 0
  }
  private let service: NearendService
  private let socket: String
  private let folder: String
  private let state = Mutex(State())
  /// Seconds that programs may take to leave.
  private static let patience = 15.0

  init(_ service: NearendService, socket: String, folder: String) { (self.service, self.socket, self.folder) = (service, socket, folder) }

  var isQuiet: Bool { state.withLock { $0.open.isEmpty } }
  /// A summary for people.
  var summary: String { state.withLock { "\($0.played) uploads played to the last frame, \($0.brokenOff) removed meanwhile" } }

  /// Starts a program. `samples` are interleaved, at full scale ±1.
  func start(id: String, rate: Int, channels: Int, samples: [Float]) throws {
    let file = "\(folder)/\(id).pcm"
    try samples.map { Int16($0 * 32_767) }.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: file))
    state.withLock { $0.open[id] = Upload(frames: samples.count / channels) }
    let thread = Thread { [self] in
      let input = open(file, O_RDONLY)
      let target = "/appaudio/\(id)?rate=\(rate)&channels=\(channels)"
      let answer = Result { try ControlClient(path: socket).upload("PUT", target, from: input) }
      close(input)
      unlink(file)
      note(answer, of: id)
    }
    thread.name = id
    thread.start()
  }

  /// Removes a program; ignored if it has played to the end.
  func remove(id: String) {
    let isThere = state.withLock { state in
      state.open[id]?.isLeaving = true
      return state.open[id] != nil
    }
    if isThere { service.removeAppAudio(id: id) }
  }

  /// Removes all programs; returns when all have left.
  func removeAll() {
    let end = monotonicSeconds() + Self.patience
    // A program that was about to start has started by now.
    while !isQuiet, monotonicSeconds() < end {
      for id in state.withLock({ Array($0.open.keys) }) { remove(id: id) }
      Thread.sleep(forTimeInterval: 0.005)
    }
    state.withLock { state in
      state.problems += state.open.keys.sorted().map { "upload \($0) was removed, and did not end within \(Self.patience) s" }
      state.open = [:]
    }
  }

  /// Returns the problems since the last call.
  func drainProblems() -> [String] {
    state.withLock { state in
      defer { state.problems = [] }
      return state.problems
    }
  }

  private func note(_ answer: Result<HTTPAnswer?, any Error>, of id: String) {
    state.withLock { state in
      guard let upload = state.open.removeValue(forKey: id) else { return }
      let found = try? answer.get()
      let counts = (found?.body).flatMap { try? JSONDecoder().decode(Counts.self, from: $0) }
      switch (found?.status, counts) {
      case (200, let counts?) where counts.framesWritten == upload.frames && counts.framesPlayed == upload.frames && counts.drops == 0:
        state.played += 1
      case (409, let counts?) where upload.isLeaving && counts.framesPlayed <= counts.framesWritten && counts.drops == 0:
        state.brokenOff += 1
      // A program that is removed while it sends may be disconnected.
      case (nil, _) where upload.isLeaving: state.brokenOff += 1
      default:
        let words = found.map { "\($0.status) \(String(decoding: $0.body, as: UTF8.self))" } ?? "\(answer)"
        state.problems.append("upload \(id) of \(upload.frames) frames\(upload.isLeaving ? ", removed," : "") ended with \(words)")
      }
    }
  }
}
