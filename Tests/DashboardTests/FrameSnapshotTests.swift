import Foundation
import SessionModel
import TestSupport
import Testing

@testable import DashboardView

/// A frame to compare with `Snapshots/<name>.txt`.
///
/// `NEAREND_WRITE_SNAPSHOTS=1 swift test --filter DashboardTests` rewrites the files; read the difference before committing it.
struct NamedFrame: Sendable, CustomTestStringConvertible {
  var name: String
  var snapshot: Snapshot
  var history = CallHistory()
  var size: Size
  var state: ViewState

  var testDescription: String { name }

  init(
    _ name: String, _ snapshot: Snapshot, _ width: Int, _ height: Int, glyphs: GlyphSet = .unicode,
    history: CallHistory = CallHistory(), _ change: (inout ViewState) -> Void = { _ in }
  ) {
    self.name = "\(name)-\(width)x\(height)"
    self.snapshot = snapshot
    self.history = history
    size = Size(width: width, height: height)
    state = ViewState(glyphs: glyphs)
    change(&state)
  }

  static let all: [NamedFrame] =
    [(80, 24), (120, 40), (200, 60)].flatMap { width, height in
      [
        NamedFrame("call-active", Sample.active(), width, height),
        NamedFrame("call-idle", Sample.idle, width, height),
        NamedFrame("call-interrupted", Sample.interrupted, width, height),
        NamedFrame("call-muted", Sample.muted, width, height),
        NamedFrame("call-rehearsal", Sample.rehearsal, width, height),
        NamedFrame("participants-0", Sample.active(sinks: 0), width, height) { $0.page = .participants },
        NamedFrame("participants-3", Sample.active(), width, height) { $0.page = .participants },
        NamedFrame("participants-300", Sample.active(sinks: 300), width, height) { $0.page = .participants },
      ]
    } + [
      NamedFrame("call-muted-and-interrupted", Sample.mutedAndInterrupted, 80, 24),
      NamedFrame("call-isolated-late", Sample.isolatedLate, 80, 24),
      NamedFrame("call-not-isolated", Sample.notIsolated, 80, 24),
      NamedFrame("call-bypassed", Sample.bypassed, 80, 24),
      NamedFrame("call-remote", Sample.remote, 80, 24),
      NamedFrame("call-remote", Sample.remote, 120, 40),
      NamedFrame("participants-remote", Sample.remote, 80, 24) { $0.page = .participants },
      NamedFrame("call-outgoing", Sample.outgoing, 80, 24),
      NamedFrame("call-outgoing", Sample.outgoing, 120, 40),
      NamedFrame("routes-talking-while-muted", Sample.talkingWhileMuted, 80, 24) { $0.page = .routes },
      NamedFrame("log-muted-by-device", Sample.mutedByDevice, 80, 24) { $0.page = .log },
      NamedFrame("call-300", Sample.active(sinks: 300), 120, 40),
      NamedFrame("call-ascii", Sample.rehearsal, 80, 24, glyphs: .ascii),
      NamedFrame("call-compat", Sample.rehearsal, 80, 24, glyphs: .compat),
      NamedFrame("routes", Sample.active(), 80, 24) { $0.page = .routes },
      NamedFrame("routes", Sample.active(), 120, 40) { $0.page = .routes },
      NamedFrame("routes-ascii", Sample.unplugged, 80, 24, glyphs: .ascii) { $0.page = .routes },
      NamedFrame("routes-unplugged", Sample.unplugged, 80, 24) { $0.page = .routes },
      NamedFrame("routes-unplugged", Sample.unplugged, 200, 60) { $0.page = .routes },
      NamedFrame("routes-channels", Sample.array, 80, 24) { $0.page = .routes },
      NamedFrame("routes-picked", Sample.picked, 80, 24) { $0.page = .routes },
      NamedFrame("routes-smart", Sample.smart(), 80, 24) { $0.page = .routes },
      NamedFrame("routes-bypassed", Sample.smart(bypasses: ["equalizer"]), 80, 24) { $0.page = .routes },
      NamedFrame("routes-nothing", Sample.mutedUnpluggedAndInterrupted, 80, 24) { $0.page = .routes },
      NamedFrame("call-unplugged", Sample.unplugged, 80, 24),
      NamedFrame("diagnostics", Sample.rehearsal, 80, 24) { $0.page = .diagnostics },
      NamedFrame("diagnostics-participants", Sample.active(sinks: 4), 80, 24) {
        $0.page = .diagnostics
        $0.diagnosticsScroll = 1_000
      },
      NamedFrame("diagnostics-interrupted", Sample.interrupted, 80, 24) { $0.page = .diagnostics },
      NamedFrame("diagnostics", Sample.rehearsal, 120, 72) { $0.page = .diagnostics },
      NamedFrame("log", Sample.active(), 80, 24) { $0.page = .log },
      NamedFrame("graphs", Sample.active(), 80, 24, history: Sample.history) { $0.page = .graphs },
      NamedFrame("graphs", Sample.active(), 120, 40, history: Sample.history) { $0.page = .graphs },
      NamedFrame("graphs", Sample.active(), 200, 60, history: Sample.history) { $0.page = .graphs },
      NamedFrame("graphs-ascii", Sample.active(), 80, 24, glyphs: .ascii, history: Sample.history) { $0.page = .graphs },
      NamedFrame("graphs-compat", Sample.active(sinks: 8), 80, 24, glyphs: .compat, history: Sample.history) { $0.page = .graphs },
      NamedFrame("graphs-three-banners", Sample.mutedUnpluggedAndInterrupted, 80, 24, history: Sample.history) { $0.page = .graphs },
      NamedFrame("graphs-nothing", Sample.idle, 80, 24) { $0.page = .graphs },
      NamedFrame("audition-recording", Sample.auditioned(.recording), 80, 24) { $0.auditionBefore = 0 },
      NamedFrame("audition-done", Sample.auditioned(.done), 80, 24, history: Sample.heardPicture) { $0.auditionBefore = 0 },
      NamedFrame("audition-done-ascii", Sample.auditioned(.done), 120, 40, glyphs: .ascii, history: Sample.heardPicture) {
        $0.auditionBefore = 0
      },
      NamedFrame("audition-silent", Sample.auditionedSilence, 80, 24) { $0.auditionBefore = 0 },
      NamedFrame("audition-elsewhere", Sample.auditioned(.microphone), 80, 24),
      NamedFrame("audition-about-to-begin", Sample.active(), 80, 24) { $0.auditionBefore = 0 },
      NamedFrame("help", Sample.active(), 80, 24) { $0.isHelpShown = true },
      NamedFrame("help-both-banners", Sample.mutedAndInterrupted, 80, 24) { $0.isHelpShown = true },
      NamedFrame("help-three-banners", Sample.mutedUnpluggedAndInterrupted, 80, 24) { $0.isHelpShown = true },
      NamedFrame("call-no-participants", Sample.active(sinks: 0), 80, 24),
      NamedFrame("call-echo-off", Sample.echoOff, 80, 24),
      NamedFrame("compact", Sample.active(), 60, 15),
      NamedFrame("compact-muted", Sample.muted, 60, 15),
      NamedFrame("compact-talking-while-muted", Sample.talkingWhileMuted, 40, 10),
      NamedFrame("call-silent-microphone", Sample.silentMicrophone, 80, 24),
      NamedFrame("compact-silent-microphone", Sample.silentMicrophone, 40, 10),
      NamedFrame("compact-muted-and-quiet", Sample.mutedAndQuiet, 40, 10),
      NamedFrame("compact-echo-off", Sample.echoOff, 40, 10),
      NamedFrame("compact-audition", Sample.auditioned(.voice), 40, 10) { $0.auditionBefore = 0 },
      NamedFrame("compact-audition-done", Sample.auditioned(.done), 40, 10) { $0.auditionBefore = 0 },
      NamedFrame("compact-audition-done", Sample.auditioned(.done), 60, 15) { $0.auditionBefore = 0 },
      NamedFrame("compact-audition-ended", Sample.auditioned(.ended), 60, 15) { $0.auditionBefore = 0 },
      NamedFrame("compact-ascii", Sample.mutedUnpluggedAndInterrupted, 40, 12, glyphs: .ascii),
      NamedFrame("compact-help", Sample.active(), 60, 15) { $0.isHelpShown = true },
      NamedFrame("too-small", Sample.muted, 39, 9),
      NamedFrame("too-small", Sample.active(), 12, 2),
    ]
}

@Suite struct FrameSnapshotTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")

  @Test("U1 U3: a frame looks as its snapshot", arguments: NamedFrame.all)
  func looksAsItsSnapshot(_ named: NamedFrame) throws {
    let text = Frame(drawing: named.snapshot, history: named.history, size: named.size, state: named.state).text + "\n"
    let file = Self.folder.appending(path: named.name + ".txt")
    if ProcessInfo.processInfo.environment["NEAREND_WRITE_SNAPSHOTS"] == "1" {
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    let difference = zip(
      text.split(separator: "\n", omittingEmptySubsequences: false), expected.split(separator: "\n", omittingEmptySubsequences: false)
    )
    .enumerated().first { $0.element.0 != $0.element.1 }
    #expect(
      text == expected,
      "\(named.name), row \(difference?.offset ?? -1):\n\(difference?.element.0 ?? "")\nexpected:\n\(difference?.element.1 ?? "")")
  }

  @Test("U3: every snapshot file belongs to a frame")
  func noStrayFiles() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
    #expect(files == NamedFrame.all.map { $0.name + ".txt" }.sorted())
  }
}
