import Foundation
import PipeWireGraph
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import Nearend

/// A temporary folder, removed with the last reference.
final class Folder {
  let url: URL
  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "nearend-telemetry-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }
  func lines(_ name: String) throws -> [String] {
    String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

@Suite("Telemetry to a file")
struct FileTests {
  @Test("T3: lines are appended, to what was there too, for the owner alone")
  func appends() throws {
    let folder = try Folder()
    for number in 0..<3 { try TelemetryFile(path: folder.path("asm.jsonl")).append(Data("line \(number)".utf8)) }
    #expect(try folder.lines("asm.jsonl") == ["line 0", "line 1", "line 2"])
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path("asm.jsonl"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test("T3: a file that has grown to its limit becomes .1, so that there are never more than two")
  func rotates() throws {
    let folder = try Folder()
    let file = try TelemetryFile(path: folder.path("asm.jsonl"), limit: 100)
    for number in 0..<50 { try file.append(Data("record \(number + 1_000)".utf8)) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["asm.jsonl", "asm.jsonl.1"])
    let kept = try folder.lines("asm.jsonl.1") + folder.lines("asm.jsonl")
    #expect(kept == (50 - kept.count..<50).map { "record \($0 + 1_000)" })
    for name in ["asm.jsonl", "asm.jsonl.1"] { #expect(try Data(contentsOf: folder.url.appending(path: name)).count <= 100) }
    try file.append(Data(count: 1_000))
    #expect(try Data(contentsOf: folder.url.appending(path: "asm.jsonl")).count == 1_001, "a record that is larger than the limit is kept")
  }

  @Test("T3: a destination that cannot be written is a configuration error that names it, when nearend starts")
  func impossible() throws {
    let folder = try Folder()
    for path in [folder.url.path, folder.path("no/such/folder"), "", "/dev/null"] {
      do {
        _ = try TelemetryFile(path: path)
        Issue.record("'\(path)' was opened")
      } catch {
        #expect(error.description.contains("'\(path)'"), "\(error)")
      }
    }
    let service = try NearendService(NearendOptions(telemetry: TelemetryOptions(file: folder.path("no/such/folder"))))
    do {
      try service.start()
      Issue.record("it started")
    } catch {
      #expect("\(error)".contains("no/such/folder"))
    }
  }
}

@Suite("Telemetry of a service")
struct TelemetryTests {
  private final class Lines: Sendable {
    let all = Mutex<[TelemetryRecord]>([])
  }

  /// A bus with telemetry that records the lines it would send.
  private static func rig(_ gate: TelemetryGate = TelemetryGate(), version: String = "1.10") -> (EventBus, Telemetry, Lines, Call) {
    let (bus, lines, media) = (EventBus(), Lines(), Call())
    let outlet = TelemetryOutlet(name: "test") { batch in
      for line in batch {
        let record = try JSONDecoder().decode(TelemetryRecord.self, from: line)
        lines.all.withLock { $0.append(record) }
      }
    }
    let telemetry = Telemetry(outlets: [outlet], gate: gate, version: version)
    telemetry.listen(to: bus) {
      media.isUp.withLock { $0 }
    } snapshot: {
      TelemetryDocument(Sample.call)
    }
    return (bus, telemetry, lines, media)
  }

  /// A call that is up, or not.
  final class Call: Sendable {
    let isUp = Mutex(true)
  }

  @Test("T3: an event is an asmEvent with its detail, a call's start and a route's change an asmSnapshot of the whole document")
  func records() throws {
    let (bus, telemetry, lines, _) = Self.rig()
    bus.post(.mediaRegistered, mediaId: "a")
    bus.post(.sinkUnderrun, mediaId: "a", detail: ["consecutive": 1, "total": 3])
    #expect(eventually { lines.all.withLock { $0.count } == 2 }, "waited for two records")
    bus.post(.deviceChange, detail: ["speaker": "x"])
    bus.post(.routeChange)
    telemetry.stop()
    let records = lines.all.withLock { $0 }
    #expect(records.map(\.type) == [.asmSnapshot, .asmEvent, .asmEvent, .asmEvent, .asmSnapshot])
    #expect(records.map(\.occasion) == [.callStart, nil, nil, nil, .routeChange])
    #expect(records.map(\.event) == [nil, .sinkUnderrun, .deviceChange, .routeChange, nil])
    #expect(records[0].snapshot == TelemetryDocument(Sample.call))
    #expect(records[1].mediaId == "a")
    #expect(records[1].detail == ["consecutive": 1, "total": 3, "sourceHadAudio": false])
    #expect(records.allSatisfy { $0.version == "1.10" && $0.time > 1.7e9 })
  }

  @Test(
    "T3: the gate holds back what it does not let through",
    arguments: [
      ("1.11", [], []), (nil, ["asmEvent"], [.asmSnapshot]), (nil, ["asmSnapshot"], [.asmEvent]), ("1.9", [], TelemetryType.allCases),
    ]
      as [(String?, [String], [TelemetryType])])
  func gate(version: String?, disabled: [String], types: [TelemetryType]) throws {
    let gate = try TelemetryGate(sendASMTelemetryMinRemoteVersion: version, disabledTelemetryTypes: disabled)
    let (bus, telemetry, lines, _) = Self.rig(gate)
    bus.post(.mediaRegistered)
    bus.post(.sinkUnderrun, mediaId: "a")
    telemetry.stop()
    #expect(Set(lines.all.withLock { $0.map(\.type) }) == Set(types))
  }

  @Test("T3: without a call nothing is sent; after it stops, nothing more")
  func silence() {
    let (bus, telemetry, lines, media) = Self.rig()
    media.isUp.withLock { $0 = false }
    bus.post(.deviceChange)
    bus.post(.graphOverrun)
    media.isUp.withLock { $0 = true }
    telemetry.stop()
    bus.post(.sinkUnderrun)
    #expect(lines.all.withLock { $0 }.isEmpty)
  }
}
