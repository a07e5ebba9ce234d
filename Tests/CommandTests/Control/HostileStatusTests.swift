import DashboardView
import Doctor
import Foundation
import OfflineProcessing
import SessionModel
import TestSupport
import Testing

@testable import Nearend
@testable import NearendCommand

/// Replaces each number in the control socket's documents, one at a time, by each of the most extreme numbers that JSON can express, and
/// passes the result to every reader.
@Suite("Hostile documents")
struct HostileStatusTests {
  private static var numbers: [Any] { ["inf", "-inf", "nan", 1e300, -1e300, 1e18, -1e18, -1] }

  private static var snapshot: Snapshot {
    var now = Sample.active(sinks: 0)
    now.session.state = .interrupted
    now.session.interruption = Interruption(reason: .role, duration: 90)
    now.session.interruptions = [InterruptionRecord(reason: .role, began: 1_700_000_000, duration: 90, outcome: .ended)]
    now.processing.echo = .failing
    now.ducking = DuckingStatus(isActive: true, hasVoice: true, gain: -12, streams: ["music"])
    // A participant that is resampled.
    now.sinks = [Sample.sink(1)]
    (now.sinks[0].state, now.sinks[0].gain) = (.playing, 0.5)
    return now
  }

  private static var history: CallHistory {
    CallHistory(
      (1...20).map { number in
        var point = HistoryPoint(number: UInt64(number), time: 1_700_000_000 + 0.2 * Double(number))
        (point.microphoneLevel, point.voiceLevel, point.erle, point.echoDelay) = (-20, -25, 30, 40)
        point.sinks = [HistoryPoint.Sink(id: "alice", fill: 0.5, underruns: 1)]
        return point
      })
  }

  @Test(
    "X1: no number of a status document, however absurd, ends what reads it: dashboard, status, doctor, diagnostics, metrics, telemetry")
  func status() throws {
    let count = try Self.each(of: Self.snapshot) { snapshot in
      for page in Page.allCases { Self.draw(snapshot, Self.history, page) }
      #expect(!StatusText(snapshot).lines.isEmpty)
      var facts = DoctorFacts()
      facts.status = snapshot
      #expect(!findings(in: facts).isEmpty)
      let report = ServiceReport(snapshot: snapshot, session: SessionState())
      #expect(!Diagnostics(report).text.isEmpty && !ServiceMetrics(report).text.isEmpty)
      #expect(report.telemetryJSON() != nil)
    }
    #expect(count > 200)
  }

  @Test("X1: no number of a history, however absurd, ends what draws it: the Graphs page, plot")
  func history() throws {
    let count = try Self.each(of: Self.history) { history in
      Self.draw(Self.snapshot, history, .graphs)
      for span in [1.0, 60, 600] { _ = HistoryColumns(history, span: span, count: 120).largest(\.erle) }
      _ = Chart(history, seconds: 60, engine: .nearend)
    }
    #expect(count > 100)
  }

  private static func draw(_ snapshot: Snapshot, _ history: CallHistory, _ page: Page) {
    var state = ViewState()
    state.page = page
    _ = Frame(drawing: snapshot, history: history, size: Size(width: 100, height: 40), state: state)
  }

  /// Returns how many of the changed documents could be decoded.
  private static func each<Document: Codable>(of document: Document, _ body: (Document) throws -> Void) throws -> Int {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let value = try JSONSerialization.jsonObject(with: encoder.encode(document))
    var decoded = 0
    for path in paths(in: value) {
      for number in numbers {
        let data = try JSONSerialization.data(withJSONObject: replacing(path[...], in: value, by: number))
        guard let changed = try? JSONDecoder.ofDocuments.decode(Document.self, from: data) else { continue }
        decoded += 1
        try body(changed)
      }
    }
    return decoded
  }

  private enum Step { case key(String), index(Int) }

  /// The paths of all numbers; of an array only those of the first and the last element.
  private static func paths(in value: Any) -> [[Step]] {
    switch value {
    case let members as [String: Any]:
      members.sorted { $0.key < $1.key }.flatMap { member in paths(in: member.value).map { [.key(member.key)] + $0 } }
    case let elements as [Any]:
      Set([0, elements.count - 1]).filter(elements.indices.contains).flatMap { index in
        paths(in: elements[index]).map { [.index(index)] + $0 }
      }
    case is NSNumber: [[]]
    default: []
    }
  }

  private static func replacing(_ path: ArraySlice<Step>, in value: Any, by number: Any) -> Any {
    switch path.first {
    case .key(let key):
      var members = value as? [String: Any] ?? [:]
      members[key] = members[key].map { replacing(path.dropFirst(), in: $0, by: number) }
      return members
    case .index(let index):
      var elements = value as? [Any] ?? []
      elements[index] = replacing(path.dropFirst(), in: elements[index], by: number)
      return elements
    case nil: return number
    }
  }
}
