import Foundation
import Testing

@testable import SimulatedHardware

@Suite("Graph probe")
struct ProbeTests {
  private static let noise: [Float] = {
    var generator = SeededGenerator(seed: 11)
    return (0..<24_000).map { _ in 0.1 * Float(generator.gaussian()) }
  }()

  private static func session(_ clock: SessionConfiguration.Clock, quantum: Int, fragments: [String: String] = [:]) throws -> PrivateSession
  {
    var configuration = SessionConfiguration()
    configuration.clock = clock
    configuration.quantum = quantum
    configuration.runsPulse = false
    configuration.fragments = fragments
    return try PrivateSession(configuration)
  }

  @Test("O3: on the patient clock a direct link and the microphone give back every sample in its own cycle", arguments: [32, 256, 1_024])
  func directLink(quantum: Int) throws {
    let session = try Self.session(.patient(speed: 2), quantum: quantum)
    let probe = try GraphProbe(
      socket: session.socket, play: ["noise": Self.noise], record: ["direct", "microphone"], frames: Self.noise.count)
    try session.link(probe.playPort("noise"), probe.recordPort("direct"))
    try session.link(probe.playPort("noise"), "hw.mic:input_MONO")
    try session.link("hw.mic:capture_MONO", probe.recordPort("microphone"))
    let recording = try probe.run()
    #expect(recording.isExact)
    #expect(recording.quantum == quantum...quantum)
    #expect(recording.rate == 48_000)
    for (port, samples) in recording.samples {
      let differences = zip(samples, Self.noise).count { $0 != $1 }
      #expect(differences == 0, "at \(port)")
    }
  }

  @Test("O3: where the speaker drives, its monitor comes exactly one quantum late", arguments: [256, 1_024])
  func knownDelay(quantum: Int) throws {
    let session = try Self.session(.speaker, quantum: quantum)
    let probe = try GraphProbe(socket: session.socket, play: ["noise": Self.noise], record: ["monitor"], frames: Self.noise.count + 2_048)
    try session.link(probe.playPort("noise"), "hw.speaker:playback_FL")
    try session.link("hw.speaker:monitor_FL", probe.recordPort("monitor"))
    let recording = try probe.run()
    let lag = Measures.lag(of: recording.samples["monitor"] ?? [], after: Self.noise, most: 4_096)
    #expect(lag?.frames == quantum)
    #expect(lag.map { $0.correlation > 0.5 } == true, "\(String(describing: lag))")
  }

  @Test("O3: a probe without a link says so")
  func nothingRuns() throws {
    let session = try Self.session(.speaker, quantum: 256)
    let probe = try GraphProbe(socket: session.socket, play: [:], record: ["nothing"], frames: 480)
    let error = sessionError { _ = try probe.run(timeout: 0.3) }
    #expect(error?.code == .timedOut)
    #expect(error?.message.contains("1 of its ports") == true)
    #expect(throws: SessionError.self) { try GraphProbe(socket: session.socket, play: [:], record: [], frames: 480) }
  }
}
