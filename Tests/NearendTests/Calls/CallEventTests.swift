import Foundation
import SessionModel
import Testing

@testable import Nearend

@Suite("Events as an enumeration", .timeLimit(.minutes(2)))
struct CallEventTests {
  private static let change = RouteChange(
    reason: .override, previousRoute: RouteDescription(), route: RouteDescription(outputs: [RoutePort(name: "hw.speaker")]))

  /// Every kind of event, as it is posted and as it is read.
  private static let table: [(AudioEvent.Kind, String?, [String: EventValue], AudioSession.Event.Kind)] = [
    (.mediaRegistered, "call", [:], .joined(id: "call")),
    (.mediaUnregistered, "call", [:], .left(id: "call")),
    (.interruptionBegan, nil, ["reason": "sleep"], .interrupted(.sleep)),
    (.interruptionEnded, nil, ["reason": "role", "duration": 1.5], .interruptionEnded(.role, lasted: .seconds(1.5))),
    (.interruptionEnded, nil, ["reason": "role", "duration": 2], .interruptionEnded(.role, lasted: .seconds(2))),
    (.didRecover, nil, [:], .recovered),
    (.routeChange, nil, change.detail, .routeChanged(change)),
    (
      .deviceChange, nil, ["microphone": "mic", "speaker": "", "previousMicrophone": "", "previousSpeaker": "speaker"],
      .devicesChanged(from: RouteEnds(speaker: "speaker"), to: RouteEnds(microphone: "mic"))
    ),
    (.sinkUnderrun, "call", ["consecutive": 1, "total": 7], .outputRanDry(id: "call", total: 7)),
    (.sinkFrameDrop, "call", ["consecutive": 1, "total": 8, "totalUnderruns": 7], .outputOverflowed(id: "call", total: 8)),
    (.sinkJitterSpike, "call", ["late": 0.25, "jitter": 0.01], .outputJittered(id: "call", late: .seconds(0.25))),
    (.sourceOverrun, "call", ["lost": 3, "total": 9], .microphoneOverflowed(id: "call", lostCycles: 3)),
    (.graphOverrun, nil, ["missed": 2, "total": 5], .cyclesMissed(2)),
    (.talkingWhileMuted, nil, [:], .talkingWhileMuted),
    (.settingChanged, nil, ["setting": "micMode", "value": "wideSpectrum"], .settingChanged(.micMode, "wideSpectrum")),
  ]

  @Test("T3, R4, I1: every event is a case with what belongs to it, and its date")
  func cases() {
    #expect(Set(Self.table.map(\.0)) == Set(AudioEvent.Kind.allCases))
    for (kind, id, detail, expected) in Self.table {
      let posted = AudioEvent(
        kind, time: 1_700_000_000.5, mediaId: id, detail: detail.merging(["sourceHadAudio": true]) { $1 },
        routeChange: kind == .routeChange ? Self.change : nil)
      let event = AudioSession.Event(posted, missed: 3)
      #expect(event.kind == expected)
      #expect(event.date == Date(timeIntervalSince1970: 1_700_000_000.5) && event.microphoneHadAudio && event.missed == 3)
    }
  }

  @Test("X1: an incomplete or unreadable event from the host is delivered as `.other`")
  func strangers() {
    let odd: [(AudioEvent.Kind, [String: EventValue])] = [
      (.mediaRegistered, [:]), (.interruptionBegan, ["reason": "earthquake"]), (.interruptionEnded, ["reason": "role", "duration": 1e300]),
      (.interruptionEnded, ["reason": "role", "duration": .number(.nan)]), (.graphOverrun, ["missed": "many"]), (.routeChange, [:]),
      (.sinkJitterSpike, ["late": 1]), (.settingChanged, ["setting": "colour", "value": 1]),
    ]
    for (kind, detail) in odd {
      let event = AudioEvent(kind, time: 0, mediaId: kind == .graphOverrun ? "call" : nil, detail: detail)
      guard case .other(let other, let id, let rest) = AudioSession.Event(event, missed: 0).kind else {
        Issue.record("\(kind) \(detail) is no event")
        continue
      }
      #expect(other == kind && id == event.mediaId && "\(rest)" == "\(detail)")
    }
  }

  @Test("T4: the sequence begins where it is asked for, goes on over sessions, and says how many events a slow consumer has lost")
  func sequence() async throws {
    let rig = ManagerRig()
    let session = AudioSession(rig.manager.owner)
    let events = session.events
    for _ in 0..<2 { try await session.join("call").end() }
    var iterator = events.makeAsyncIterator()
    for kind in [AudioSession.Event.Kind.joined(id: "call"), .left(id: "call"), .joined(id: "call"), .left(id: "call")] {
      let event = try #require(await iterator.next())
      #expect(event.kind == kind && event.missed == 0 && abs(event.date.timeIntervalSinceNow) < 60)
    }
    for number in 1...300 { rig.manager.owner.bus.post(.graphOverrun, detail: ["missed": .integer(number)]) }
    let late = try #require(await iterator.next())
    #expect(late.kind == .cyclesMissed(45) && late.missed == 44)
    #expect(await iterator.next()?.missed == 0)
    let task = Task { for await _ in session.events {} }
    task.cancel()
    await task.value
  }
}
