import DashboardView
import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import TestSupport
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// A program on the library, and other programs on its control socket.
  @Suite("Two programs", .serialized)
  struct TwoPrograms {
    private static let rate = 48_000
    /// Frames of 20 ms.
    private static let frame = 960
    private static let own = ["ann", "bea", "cleo"]
    private static let others = ["xenia", "yara", "zoe"]
    private static let client =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../Examples/control_client.py").standardized.path

    @Test("L1, K4, U1: three participants of a program on the library and three on its socket are all heard, and all seen")
    func threeAndThree() throws {
      let session = try LiveGraph.session(.hardware)
      let manager = AudioSessionManager.shared
      manager.shutDown()
      manager.configuration = AudioSessionConfiguration(
        remote: session.socket, interruptions: InterruptionOptions(systemBus: .none), controlSocket: "\(session.path)/nearend/control.sock")
      var clients: [ChildProcess] = []
      defer {
        for client in clients { client.end(grace: 0.2) }
        manager.shutDown()
        manager.configuration = AudioSessionConfiguration(controlSocket: nil)
      }
      let signals = Self.tones.mapValues { sine($0, frames: 12 * Self.rate, level: 0.1) }
      for id in Self.own {
        try manager.registerMedia(id: id, isSend: false, isReceive: true)
        #expect(manager.registerSpeakerOutput(mediaId: id, sampleRate: Self.rate, channelCount: 1, bufferSize: 19_200))
      }
      for id in Self.others {
        let file = "\(session.path)/\(id).wav"
        try WaveFile(samples: signals[id]!).write(to: file)
        clients.append(try session.spawn("python3", [Self.client, "play", id, file], output: "\(session.path)/\(id).log"))
      }
      let talk = Thread {
        for start in stride(from: 0, to: 12 * Self.rate, by: Self.frame) {
          for id in Self.own {
            _ = manager.writeSpeakerData(mediaId: id, data: signals[id]![start..<start + Self.frame].map { Int16($0 * 32_767) })
          }
          Thread.sleep(forTimeInterval: Double(Self.frame) / Double(Self.rate))
        }
      }
      talk.start()
      try session.wait(for: "all six to play") {
        try status(session).sinks.filter { $0.state == .playing }.map(\.id).sorted() == (Self.own + Self.others)
      }

      let probe = try GraphProbe(socket: session.socket, name: "ear", play: [:], record: ["mix"], frames: 2 * Self.rate)
      try session.wait(forPorts: [probe.recordPort("mix")])
      _ = try session.run("pw-link", "nearend:speaker_FL", probe.recordPort("mix"))
      try session.wait(for: "the link to the ear") {
        try session.links()[.init(from: "nearend:speaker_FL", to: probe.recordPort("mix"))] == "active"
      }
      let mix = try #require(try probe.run().samples["mix"])
      for (id, frequency) in Self.tones {
        let share = Measures.share(ofTone: frequency, in: mix, rate: Self.rate)
        #expect(share > 0.3, "\(id): \(share)")
      }
      let moment = Measures.clearestMoment(ofTone: 700, in: mix, rate: Self.rate)
      #expect(Measures.share(ofTone: 620, in: moment, rate: Self.rate) < 0.05, "who is not there is not heard")

      var state = ViewState()
      state.page = .participants
      let screen = Frame(drawing: try status(session), size: Size(width: 120, height: 40), state: state).text
      for id in Self.own + Self.others { #expect(screen.contains(id), "\(screen)") }
    }

    /// Each participant's tone in Hz.
    private static let tones: [String: Double] = ["ann": 400, "bea": 550, "cleo": 700, "xenia": 850, "yara": 1_000, "zoe": 1_300]

    private func status(_ session: PrivateSession) throws -> Snapshot {
      let result = try session.run(
        "curl", "--silent", "--show-error", "--unix-socket", "\(session.path)/nearend/control.sock", "http://nearend/status")
      try #require(result.succeeded, "\(result.errors)")
      return try JSONDecoder().decode(Snapshot.self, from: Data(result.output.utf8))
    }
  }
}
