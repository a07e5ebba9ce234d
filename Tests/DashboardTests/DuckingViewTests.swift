import SessionModel
import TestSupport
import Testing

@testable import DashboardView

@Suite struct DuckingViewTests {
  private func text(_ snapshot: Snapshot, _ page: Page, _ size: Size = .minimum) -> String {
    var state = ViewState()
    state.page = page
    return Frame(drawing: snapshot, size: size, state: state).text
  }

  @Test("D3 U2: o turns through the levels and O switches voice activity, on every page", arguments: Page.allCases)
  func keys(page: Page) {
    var snapshot = Sample.active()
    var state = ViewState()
    state.page = page
    let levels = DuckingLevel.allCases
    for (level, next) in zip(levels, levels.dropFirst() + levels.prefix(1)) {
      snapshot.ducking.settings.level = level
      #expect(state.press(.character("o"), on: snapshot, size: .minimum).commands == [.set(.duckingLevel, EventValue(next))])
    }
    for isOn in [false, true] {
      snapshot.ducking.settings.isAdvanced = isOn
      #expect(state.press(.character("O"), on: snapshot, size: .minimum).commands == [.set(.isAdvancedDuckingEnabled, .bool(!isOn))])
    }
  }

  @Test("D3 U1: while others are lowered the Call page says by how much, and Diagnostics names them")
  func indicator() {
    var snapshot = Sample.active()
    #expect(!text(snapshot, .call).contains("others"))
    snapshot.ducking = DuckingStatus(settings: DuckingSettings(level: .mid, isAdvanced: true), isActive: true, gain: -5, streams: ["mpv"])
    #expect(text(snapshot, .call).contains(", others -5.0 dB"))
    snapshot.session.receiveMedia = [String(repeating: "a very long name ", count: 20)]
    #expect(text(snapshot, .call).contains(", others -5.0 dB"))
    #expect(text(snapshot, .diagnostics, Size(width: 120, height: 72)).contains("mid, by voice activity, now -5 dB: mpv"))
  }

  @Test(
    "D3 U3: the amount of ducking is shown in full at 80 columns, whatever else is in the row", arguments: GlyphSet.allCases)
  func whole(set: GlyphSet) {
    var snapshot = Sample.active()
    snapshot.ducking = DuckingStatus(isActive: true, gain: -24, streams: ["mpv"])
    for length in 0..<60 {
      snapshot.route.speaker?.description = String(repeating: "s", count: length)
      for media in [[], ["a"], ["firefox-72", "mpv-80"], ["李雷-1", "Zoë 🦊-2"]] {
        snapshot.session.receiveMedia = media
        var state = ViewState()
        state.glyphs = set
        let row =
          Frame(drawing: snapshot, size: .minimum, state: state).text.split(separator: "\n").first { $0.hasPrefix(" Speaker") } ?? ""
        #expect(row.contains(", others -24.0 dB"), "\(row)")
        #expect(media.first != "firefox-72" || row.contains("f"), "\(row)")
      }
    }
  }

  @Test("O3 U1: the rehearsal's row has no figures while the microphone is muted")
  func mutedRehearsal() {
    var snapshot = Sample.active()
    snapshot.rehearsal = RehearsalStatus(phase: .farEnd, erle: 131.5, nearEndLevel: -97, seconds: 75)
    #expect(text(snapshot, .call).contains("echo 131.5 dB lower"))
    snapshot.session.isMicrophoneMuted = true
    #expect(text(snapshot, .call).contains("far end talks, echo n/a, near end n/a, 1 min 15 s"))
  }
}
