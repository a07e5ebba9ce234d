import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import Testing

@testable import SimulatedHardware

/// nearend in a real graph, with telemetry to a file.
@Suite("Telemetry in a graph", .serialized)
struct LiveTests {
  private static func records(_ folder: Folder) throws -> [TelemetryRecord] {
    try folder.lines("asm.jsonl").map { try JSONDecoder().decode(TelemetryRecord.self, from: Data($0.utf8)) }
  }

  @Test("T3 K5 K6: a call's snapshot, its underrun and frame drop, and its change of speaker are in the file; diagnostics tell the graph")
  func call() throws {
    var configuration = SessionConfiguration()
    configuration.devices.append(SimulatedDevice(.speaker, name: "hw.second", description: "Second Speaker", priority: 900))
    configuration.runsPulse = false
    let session = try PrivateSession(configuration)
    let folder = try Folder()
    let service = try NearendService(
      NearendOptions(graph: GraphOptions(remote: session.socket), telemetry: TelemetryOptions(file: folder.path("asm.jsonl"))))
    try service.start()
    defer { service.stop() }
    func records(_ kind: AudioEvent.Kind) throws -> [TelemetryRecord] { try Self.records(folder).filter { $0.event == kind } }

    let sink = try service.addRingSink(id: "bruno", sampleRate: 16_000, channelCount: 1, bufferSize: 6_400)
    try session.wait(for: "the call's snapshot") { try Self.records(folder).first?.occasion == .callStart }
    let packet = [Int16](repeating: 1_000, count: 320)
    func write() -> Bool { packet.withUnsafeBytes { sink.write($0) } }

    // Once cycles run, the ring is full, so the next write is refused; then it plays out.
    try session.wait(for: "cycles") { service.snapshot().graph.cycles > 0 }
    while write() {}
    try session.wait(for: "the frame drop") { try records(.sinkFrameDrop).first?.mediaId == "bruno" }
    try session.wait(for: "the underrun") { try records(.sinkUnderrun).first?.mediaId == "bruno" }
    #expect(try records(.sinkUnderrun).first?.detail?["total"] == 1)
    let keys = try records(.sinkFrameDrop).first?.detail?.keys.sorted()
    #expect(keys == ["consecutive", "sourceHadAudio", "total", "totalUnderruns"])

    service.perform(.set(.speaker, "hw.second"))
    try session.wait(for: "the change of device") { try records(.deviceChange).first?.detail?["speaker"] == "hw.second" }
    #expect(try records(.deviceChange).first?.detail?["previousSpeaker"] == "hw.speaker")
    try session.wait(for: "a snapshot of the new route") {
      try Self.records(folder).contains { $0.occasion == .routeChange && $0.snapshot?.diagnostics.contains("hw.second") == true }
    }

    let diagnostics = service.diagnostics()
    for line in ["- Session Active: YES", "- VPIO Initialised: YES", "- PipeWire Daemon: connected, version ", "- Telemetry: file, "] {
      #expect(diagnostics.contains(line), "\(diagnostics)")
    }
    let metrics = try Exposition(service.metrics())
    #expect(metrics["nearend_connected"] == 1)
    #expect(try #require(metrics["nearend_cycles_total"]) > 0)
    #expect(try #require(metrics["nearend_sink_drops_total", "sink", "bruno"]) >= 1)
    #expect(metrics["nearend_events_total", "kind", "deviceChange"] == 1)
    _ = service.telemetryJSON()
    // The level falls as soon as nothing is written any more.
    var peak = 0.0
    try session.wait(for: "the level", detail: { "\(peak) dBFS" }) {
      _ = write()
      peak = service.snapshot().sinks.first?.peak ?? 0
      return abs(peak - 20 * log10(1_000.0 / 32_768)) < 3
    }
  }
}
