import Foundation
import SessionModel
import TestSupport
import Testing

@Suite("Diagnostics")
struct DiagnosticsTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")
  private static let reports: [(name: String, report: ServiceReport)] = [
    ("diagnostics-idle", Sample.idle), ("diagnostics-call", Sample.call), ("diagnostics-interrupted", Sample.interrupted),
  ]

  /// `NEAREND_WRITE_SNAPSHOTS=1 swift test --filter DiagnosticsTests` rewrites the files; read the difference before committing it.
  @Test("T1 K8: the diagnostics' text looks as its snapshot", arguments: reports.map(\.name))
  func looksAsItsSnapshot(name: String) throws {
    let report = try #require(Self.reports.first { $0.name == name }?.report)
    let text = Diagnostics(report).text
    let file = Self.folder.appending(path: name + ".txt")
    if ProcessInfo.processInfo.environment["NEAREND_WRITE_SNAPSHOTS"] == "1" { try Data(text.utf8).write(to: file) }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(text == expected)
  }

  @Test(
    "T1: every line of the reference's example is there, in its words",
    arguments: [
      "AudioSessionManager Diagnostics:", "- Active medias: 3", "- Media IDs: source-abc123, sink-def456, sink-ghi789",
      "- Session Category: PlayAndRecord", "- Session Mode: VideoChat", "- Session Active: YES", "- VPIO Initialised: YES",
      "- Microphone Input: source-abc123", "- Speaker Outputs: 3",
      "  - sink-def456: 16000 Hz, 1 ch, 9600 bytes buffered", "  - sink-ghi789: 48000 Hz, 2 ch, 7200 bytes buffered",
      "- Sample Rate: 48000 Hz",
    ])
  func example(line: String) {
    #expect(Diagnostics(Sample.call).text.split(separator: "\n").map(String.init).contains(line))
  }

  @Test("T1: category and mode are what is configured: whatever the media does, through interruptions; nothing where the program does it")
  func category() {
    func lines(_ events: [SessionEvent]) -> [String] {
      var report = Sample.idle
      for event in events { report.session = reduce(report.session, event).state }
      return Diagnostics(report).text.split(separator: "\n").filter { $0.hasPrefix("- Session Category") || $0.hasPrefix("- Session Mode") }
        .map(String.init)
    }
    let none = ["- Session Category: None", "- Session Mode: Default"]
    let call = ["- Session Category: PlayAndRecord", "- Session Mode: VideoChat"]
    let listener = SessionEvent.registerMedia(id: "ear", isSend: false, isReceive: true)
    #expect(lines([]) == none)
    #expect(lines([listener]) == call)
    #expect(lines([listener, .interruptionBegan(.sleep)]) == call)
    #expect(lines([.setInitOnly(.manualAudioSessionManagement(true)), listener]) == none)
    #expect(lines([.setInitOnly(.manualAudioSessionManagement(true)), listener, .activatedExternally]) == call)
    #expect(
      lines([.setAutomaticConfiguration(false), listener])
        == ["- Session Category: None (automatic configuration is off)", "- Session Mode: Default"])
  }

  @Test("T1: each fact has one line: no label comes twice, but for each place that telemetry goes to", arguments: reports.map(\.name))
  func noLineTwice(name: String) throws {
    let text = Diagnostics(try #require(Self.reports.first { $0.name == name }?.report)).text
    let labels = text.split(separator: "\n").filter { $0.hasPrefix("- ") }.map { $0.prefix { $0 != ":" } }.filter { $0 != "- Telemetry" }
    #expect(Set(labels).count == labels.count)
  }

  @Test("T1: hardware rate and output volume are the devices', routes have their ports' types")
  func hardware() {
    let lines = Diagnostics(Sample.call).text.split(separator: "\n")
    for line in [
      "- Hardware Sample Rate: 16000 Hz in", "- Output Volume: 65 %, muted", "- Mix Volume: 80 %",
      "- Route Inputs: usbAudio, USB Microphone (alsa_input.usb)", "- Route Outputs: usbAudio, USB Speaker (alsa_output.usb)",
    ] { #expect(lines.contains { $0 == line }, "\(line)") }
  }

  @Test("T1: values other than the usual are reported: no voice processing, bypass, no AGC, mono, manual management, a session that waits")
  func unusual() {
    let lines = Diagnostics(Sample.plain).text.split(separator: "\n")
    for line in [
      "- Manual Audio Session Management: YES", "- Session Active: NO", "- Session Mode: Default", "- Bypass Voice Processing: YES",
      "- AGC: NO",
      "- Channel Count: 1 (mono) out, 1 (mono) in",
    ] { #expect(lines.contains { $0 == line }, "\(line)") }
    #expect(lines.contains { $0.hasPrefix("- Voice Processing: off") })
  }

  @Test("S6 T1: a stage that puts out NaN is reported; otherwise there is no such line")
  func brokenStage() {
    #expect(!Diagnostics(Sample.call).text.contains("Stages"))
    var report = Sample.call
    report.silencedStageSamples.capture = 480
    let lines = Diagnostics(report).text.split(separator: "\n")
    #expect(lines.contains { $0 == "- Capture Stages: broken: 480 samples were NaN or infinite, and were silenced" })
    #expect(ServiceMetrics(report).text.contains("nearend_stage_silenced_samples_total{chain=\"capture\"} 480\n"))
  }

  @Test("T1: without a source the microphone input is None; without a session nothing is active")
  func nothing() {
    let lines = Diagnostics(Sample.idle).text.split(separator: "\n")
    for line in ["- Microphone Input: None", "- Session Active: NO", "- VPIO Initialised: NO", "- Active medias: 0", "- Media IDs: None"] {
      #expect(lines.contains { $0 == line }, "\(line)")
    }
  }
}
