import ControlClient
import Foundation
import SessionModel
import SimulatedHardware
import Synchronization
import Testing

@testable import Nearend

@Suite("Endpoints", .serialized)
struct EndpointTests {
  @Test("O1: GET /status is the status document")
  func status() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    let answer = try rig.request("GET", "/status")
    #expect(answer.status == 200)
    #expect(try JSONDecoder().decode(Snapshot.self, from: answer.body).version == nearendVersion)
  }

  @Test("U5: GET /history tells the last minutes, and after=N only what came since; a bad number is refused")
  func history() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    func history(_ query: String = "") throws -> CallHistory {
      try JSONDecoder().decode(CallHistory.self, from: rig.request("GET", "/history\(query)").body)
    }
    #expect(try history().points.isEmpty, "no cycle has run")
    for text in ["-1", "x"] {
      let answer = try rig.request("GET", "/history?after=\(text)")
      #expect(answer.status == 400 && answer.reason.contains("after=\(text)"))
    }
  }

  @Test("O1: GET /diagnostics, /telemetry and /metrics are the service's own texts")
  func reports() throws {
    let rig = try ControlRig()
    defer { rig.stop() }
    #expect(try !rig.request("GET", "/diagnostics").body.isEmpty)
    #expect(try JSONSerialization.jsonObject(with: rig.request("GET", "/telemetry").body) is [String: Any])
    #expect(try String(decoding: rig.request("GET", "/metrics").body, as: UTF8.self).contains("# TYPE nearend_"))
  }

  @Test(
    "T3: PUT /telemetry/config takes an operator's configuration at any time, says what holds everything back, and refuses what is wrong")
  func telemetryConfiguration() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let guide = #"{"clientTelemetry": {"sendASMTelemetryMinRemoteVersion": "1.25.4", "disabledTelemetryTypes": ["asmSnapshot"]}}"#
    let off = try rig.request("PUT", "/telemetry/config", guide)
    #expect(off.status == 409, "telemetry has no destination")
    try rig.service.startTelemetry(TelemetryOptions(file: "\(rig.folder)/asm.jsonl"))
    let answer = try rig.request("PUT", "/telemetry/config", guide)
    #expect(answer.status == 200)
    let values = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
    #expect(values["sendASMTelemetryMinRemoteVersion"] as? String == "1.25.4")
    #expect(values["disabledTelemetryTypes"] as? [String] == ["asmSnapshot"])
    let reason = "sendASMTelemetryMinRemoteVersion is 1.25.4, and this is nearend \(nearendVersion)"
    #expect(values["heldBack"] as? String == reason)
    #expect(rig.service.log.all.contains { $0.level == .warning && $0.message == "telemetry is held back: \(reason)" })
    #expect(try String(decoding: rig.request("GET", "/diagnostics").body, as: UTF8.self).contains("- Telemetry Held Back: \(reason)"))
    rig.service.session.send(.registerMedia(id: "quiet", isSend: false, isReceive: true))
    for wrong in ["", "[]", #"{"clientTelemetry": 1}"#, #"{"clientTelemetry": {"sendASMTelemetryMinRemoteVersion": "soon"}}"#] {
      #expect(try rig.request("PUT", "/telemetry/config", wrong).status == 422, "\(wrong)")
    }
    let foreign = #"{"clientTelemetry": {"disabledTelemetryTypes": ["asmSnapshot", "mediaStats"]}}"#
    #expect(try rig.request("PUT", "/telemetry/config", foreign).status == 200)
    #expect(rig.service.log.all.contains { $0.message.contains("what nearend never sends: mediaStats") })
    rig.service.session.send(.interruptionBegan(.role))
    rig.service.session.send(.interruptionEnded(.role))
    rig.service.stop()
    let lines = try String(contentsOfFile: "\(rig.folder)/asm.jsonl", encoding: .utf8).split(separator: "\n")
    let records = try lines.map { try JSONDecoder().decode(TelemetryRecord.self, from: Data($0.utf8)) }
    #expect(records.map(\.event) == [.interruptionBegan, .interruptionEnded], "nothing of before")
  }

  @Test("O1: PATCH /settings to an ending session is refused")
  func settingsAtTheEnd() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    rig.service.session.end()
    #expect(try rig.refusal(503, "PATCH", "/settings", #"{"outputVolume": 0.5}"#)?.contains("session is ending") == true)
    #expect(try rig.request("POST", "/mute").status == 503)
    #expect(try rig.request("GET", "/settings").status == 200)
  }

  @Test("O1: PATCH /settings changes several settings, by name or alias, and answers with all")
  func settings() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let answer = try rig.request("PATCH", "/settings", #"{"ns": false, "microphoneMuted": true, "outputVolume": 0.5}"#)
    #expect(answer.status == 200)
    let values = try JSONDecoder().decode([String: EventValue].self, from: answer.body)
    #expect(values["noiseSuppression"] == .bool(false))
    #expect(values["microphoneMuted"] == .bool(true))
    #expect(values["outputVolume"] == .number(0.5))
    #expect(values.count == Setting.allCases.count)
    #expect(rig.service.value(of: .noiseSuppression) == .bool(false))
    #expect(try rig.request("GET", "/settings").body == answer.body)
  }

  @Test("O1 V10: PATCH /settings takes the canceller by its word or as a switch, and what GET gave gives the same again")
  func echoCanceller() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    for (body, canceller, engine) in [
      (#"{"aec": "webrtc"}"#, "webrtc", "webrtc"), (#"{"aec": false}"#, "off", "webrtc"), (#"{"echoCanceller": "on"}"#, "webrtc", "webrtc"),
      (#"{"echoCancellation": false}"#, "off", "webrtc"), (#"{"echoCancellation": false, "aec": "nearend"}"#, "off", "nearend"),
      (#"{"aec": true}"#, "nearend", "nearend"),
    ] {
      let answer = try rig.request("PATCH", "/settings", body)
      #expect(answer.status == 200)
      let values = try JSONDecoder().decode([String: EventValue].self, from: answer.body)
      #expect(values["echoCanceller"] == .string(canceller), "\(body)")
      #expect(values["echoCancellation"] == .bool(canceller != "off"))
      let processing = rig.service.snapshot().processing
      #expect(processing.engine.rawValue == engine)
      for component in processing.components {
        let isEngine = component.component == .echoCancellation || component.component == .noiseSuppression
        #expect(component.engine == (isEngine ? (engine == "webrtc" ? processing.library : "nearend") : nil))
      }
      let all = String(decoding: answer.body, as: UTF8.self)
      #expect(try rig.request("PATCH", "/settings", all).body == answer.body)
    }
    #expect(try rig.refusal(422, "PATCH", "/settings", #"{"aec": "speex"}"#)?.contains("nearend, webrtc or off") == true)
  }

  @Test(
    "O1 L6: PATCH /settings changes all or nothing",
    arguments: [
      (404, #"{"microphoneMuted": true, "nosuch": 1}"#, "unknown setting 'nosuch'"),
      (422, #"{"microphoneMuted": true, "outputVolume": 2}"#, "0 to 1"),
      (422, #"{"microphoneMuted": true, "ns": "off"}"#, "true or false"),
      (422, #"{"microphoneMuted": true, "mute": false}"#, "once"),
      (409, #"{"microphoneMuted": true, "useVoiceProcessingIO": false}"#, "keep a session"),
      (400, #"{"microphoneMuted": true, "ns": null}"#, "an object such as"), (400, #"["microphoneMuted"]"#, "an object such as"),
      (400, "{\"microphoneMuted\": true", "an object such as"), (400, "", "an object such as"),
    ])
  func allOrNothing(status: Int, body: String, words: String) throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    rig.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: false))
    let reason = try rig.refusal(status, "PATCH", "/settings", body)
    #expect(reason?.contains(words) == true, "\(reason ?? "another status")")
    #expect(rig.service.value(of: .microphoneMuted) == .bool(false))
  }

  @Test("L2: a client that is gone before it has its answer leaves no media behind; media that was there before stays")
  func goneBeforeTheAnswer() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    #expect(try rig.request("POST", "/media/before?send=1").status == 200)
    #expect(rig.wait { rig.service.clientCount == 0 })
    try ControlEndpoints.registering.withLock { _ in
      for id in ["before", "gone"] {
        let client = try rig.raw()
        client.send("POST /media/\(id)?send=1 HTTP/1.1\r\n\r\n")
        client.close()
      }
      #expect(rig.wait { rig.service.clientCount == 2 })
    }
    #expect(rig.wait { rig.service.clientCount == 0 })
    #expect(rig.snapshot.session.sendMedia == ["before"])
    #expect(try rig.request("POST", "/media/gone?send=1").status == 200)
    #expect(rig.snapshot.session.sendMedia == ["before", "gone"])
  }

  @Test("L2: media is unregistered in one step: nobody registers it in between, and its count goes with it")
  func unregisteredAsOne() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    #expect(try rig.request("POST", "/media/call?send=1").status == 200)
    let heldBack = Mutex<[Bool]>([])
    let subscription = rig.service.events.subscribe { news in
      guard case .event(let event) = news, event.kind == .mediaUnregistered else { return }
      let ended = DispatchSemaphore(value: 0)
      // Another client's thread reads at this moment.
      Thread {
        let isFree = ControlEndpoints.registering.withLockIfAvailable { _ in true } ?? false
        heldBack.withLock { $0.append(!isFree) }
        ended.signal()
      }.start()
      ended.wait()
    }
    #expect(try rig.request("DELETE", "/media/call").status == 200)
    subscription.cancel()
    #expect(heldBack.withLock { $0 } == [true])
  }

  @Test("L3, O1: a session that just ends answers everything that would use it with 503, and changes nothing")
  func ending() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    rig.service.session.end()
    let refused = [
      try rig.refusal(503, "POST", "/media/call?send=1"), try rig.refusal(503, "GET", "/source"),
      try rig.refusal(503, "PATCH", "/settings", #"{"microphoneMuted": true, "recordingAlwaysPrepared": true}"#),
      try rig.refusal(503, "POST", "/commands", #"{"command": "disableVoiceProcessing"}"#),
    ]
    for reason in refused { #expect(reason?.contains("session is ending") == true, "\(reason ?? "another status")") }
    let sink = try rig.raw()
    sink.send("PUT /sinks/alice HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
    #expect(try sink.status() == 503)
    #expect(rig.snapshot.session.sendMedia.isEmpty && rig.snapshot.sinks.isEmpty)
    #expect(rig.service.value(of: .microphoneMuted) == .bool(false))
    #expect(rig.service.value(of: .recordingAlwaysPrepared) == .bool(false))
  }

  @Test("O1: POST /mute and /unmute")
  func mute() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    #expect(try rig.request("POST", "/mute").status == 200)
    #expect(rig.snapshot.session.isMicrophoneMuted)
    #expect(try rig.request("POST", "/unmute").status == 200)
    #expect(!rig.snapshot.session.isMicrophoneMuted)
  }

  @Test("S2: POST /activate and /deactivate are a call manager's calls; in default mode 409")
  func activation() throws {
    let rig = try ControlRig(speed: 0, isManual: true)
    defer { rig.stop() }
    #expect(try rig.request("POST", "/media/call?send=1&receive=1").status == 200)
    #expect(rig.snapshot.session.state == .waiting)
    #expect(try rig.request("POST", "/activate").status == 200)
    #expect(rig.snapshot.session.isActive)
    #expect(try rig.request("POST", "/deactivate").status == 200)
    #expect(!rig.snapshot.session.isActive)
    #expect(try rig.request("DELETE", "/media/call").status == 200)

    let automatic = try ControlRig(speed: 0)
    defer { automatic.stop() }
    #expect(try automatic.refusal(409, "POST", "/activate")?.contains("manualAudioSessionManagement") == true)
  }

  @Test("O1 L2: media is registered and unregistered by name")
  func media() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    #expect(try rig.request("POST", "/media/call?send=1").status == 200)
    #expect(rig.snapshot.session.sendMedia == ["call"])
    #expect(try rig.request("POST", "/media/call?send=1").status == 200, "again has no effect")
    #expect(try rig.refusal(409, "POST", "/media/call?receive=1")?.contains("'call'") == true)
    #expect(try rig.refusal(400, "POST", "/media/other")?.contains("send=1 or receive=1") == true)
    #expect(try rig.refusal(400, "POST", "/media/other?send=maybe")?.contains("send=maybe") == true)
    #expect(try rig.refusal(422, "POST", "/media/a%20b?send=1")?.contains("1 to 64 letters") == true)
    #expect(try rig.request("DELETE", "/media/call").status == 200)
    #expect(rig.snapshot.session.state == .idle)
    #expect(try rig.refusal(404, "DELETE", "/media/call")?.contains("'call'") == true)
  }

  @Test("O1: a name in use, and a voice that has a consumer, are refused with a code for programs")
  func codes() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    #expect(try rig.request("POST", "/sinks/alice?device=1").code == nil)
    #expect(try rig.request("POST", "/sinks/alice?device=1").code == "nameTaken")
    let first = try rig.raw()
    first.send("GET /source HTTP/1.1\r\n\r\n")
    #expect(try first.status() == 200)
    #expect(try rig.request("GET", "/source").code == "sourceTaken")
    #expect(try rig.request("POST", "/sinks/bob").code == nil)
  }

  @Test("K7 K8 K9: a participant's device comes, changes and goes; each error says what was wrong")
  func device() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    #expect(try rig.request("POST", "/sinks/alice?device=1").status == 201)
    #expect(try rig.refusal(409, "POST", "/sinks/alice?device=1")?.contains("already registered") == true)
    #expect(try rig.refusal(400, "POST", "/sinks/bob")?.contains("device=1") == true)
    #expect(try rig.refusal(422, "POST", "/sinks/speaker?device=1")?.contains("nearend's own ports") == true)
    let change = try rig.request("PATCH", "/sinks/alice", #"{"gain": 0.5, "muted": true, "ssrc": 4294967295}"#)
    #expect(change.status == 200)
    let sink = try JSONDecoder().decode([SinkStatus].self, from: rig.request("GET", "/sinks").body).first
    #expect(sink?.gain == 0.5)
    #expect(sink?.isMuted == true)
    #expect(sink?.ssrc == .max)
    for (status, body) in [(422, #"{"gain": 5, "muted": false}"#), (422, #"{"ssrc": -1, "muted": false}"#), (404, #"{"volume": 1}"#)] {
      #expect(try rig.refusal(status, "PATCH", "/sinks/alice", body) != nil, "\(body)")
    }
    #expect(rig.snapshot.sinks.first?.isMuted == true, "nothing changed")
    #expect(try rig.refusal(404, "PATCH", "/sinks/bob", "{}")?.contains("there are: alice") == true)
    #expect(try rig.request("DELETE", "/sinks/alice").status == 200)
    #expect(rig.snapshot.sinks.isEmpty)
    #expect(try rig.refusal(404, "DELETE", "/sinks/alice")?.contains("there is none now") == true)
  }

  @Test("O1: a dashboard elsewhere clears counters through POST /commands; another command is named")
  func commands() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    #expect(try rig.request("POST", "/commands", #"{"command": "clearCounters"}"#).status == 200)
    #expect(rig.snapshot.log.last?.message == "counters cleared")
    #expect(try rig.refusal(400, "POST", "/commands", #"{"command": "nosuch"}"#)?.contains("saveDiagnostics") == true)
    #expect(try rig.refusal(400, "POST", "/commands", #"{"command": "clearCounters", "seconds": 3}"#)?.contains("'seconds'") == true)
  }

  @Test("D1: a dashboard elsewhere lets a person hear themselves as long as it asks for, and five seconds if it does not say")
  func listen() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let request = CommandRequest(.listen(seconds: 2.5))
    let body = String(decoding: try JSONEncoder().encode(request.body), as: UTF8.self)
    #expect(try rig.request(request.method, request.target, body).status == 200)
    // Without a daemon there is no microphone: it says so, and of how many seconds it would have been.
    #expect(rig.snapshot.audition?.seconds == 2.5 && rig.snapshot.audition?.reason?.contains("no microphone") == true)
    for (seconds, expected) in [(", \"seconds\": 7", 7.0), ("", AuditionStatus.standardLength)] {
      #expect(try rig.request("POST", "/commands", "{\"command\": \"listen\"\(seconds)}").status == 200)
      #expect(rig.snapshot.audition?.seconds == expected)
    }
    for wrong in ["0", "31", "\"2\"", "true"] {
      #expect(try rig.refusal(400, "POST", "/commands", "{\"command\": \"listen\", \"seconds\": \(wrong)}") != nil, "\(wrong)")
    }
  }

  @Test("U2: diagnostics go to a file that only its owner reads, and whose path fits a row of 80 columns")
  func savedDiagnostics() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    var paths: Set<String> = []
    defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
    for number in 1...2 {
      #expect(try rig.request("POST", "/commands", #"{"command": "saveDiagnostics"}"#).status == 200)
      let message = try #require(rig.snapshot.log.last?.message)
      let words = "diagnostics written to "
      #expect(message.hasPrefix(words))
      let path = String(message.dropFirst(words.count))
      paths.insert(path)
      #expect(paths.count == number, "one is written over the other")
      #expect(URL(fileURLWithPath: path).lastPathComponent.count <= 25)
      #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
      let data = try #require(FileManager.default.contents(atPath: path))
      #expect(try JSONDecoder().decode(Snapshot.self, from: data).version == rig.snapshot.version)
    }
  }

  @Test("O1: wrong methods are 405 with Allow, wrong paths 404 with those there are, wrong types 415")
  func wrong() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let client = try rig.raw()
    client.send("DELETE /sinks HTTP/1.1\r\n\r\n")
    #expect(try client.status() == 405)
    #expect(client.text.contains("Allow: GET\r\n"))
    #expect(try rig.refusal(404, "GET", "/nosuch")?.contains("/sinks/<id>") == true)
    #expect(try rig.refusal(400, "GET", "/status?verbose=1")?.contains("no parameter 'verbose'") == true)
    let form = try rig.raw()
    form.send("PATCH /settings HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}")
    #expect(try form.status() == 415)
    #expect(form.text.contains("send Content-Type: application/json"))
  }

  @Test("O1: GET /events brings each event as a line, to every client")
  func events() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let clients = [try rig.raw(), try rig.raw()]
    for client in clients {
      client.send("GET /events HTTP/1.1\r\n\r\n")
      #expect(try client.status() == 200)
    }
    try rig.request("POST", "/mute")
    for client in clients {
      let text = try client.receive { $0.contains("settingChanged") }
      #expect(text.contains(#""setting":"microphoneMuted""#))
    }
  }

  @Test("O1: a slow reader of /events loses the oldest, counted, and holds nobody up")
  func slowReader() throws {
    let feed = try EventFeed()
    for number in 0..<(EventFeed.capacity + 7) { feed.add(AudioEvent(.didRecover, time: Double(number))) }
    let events = feed.drain()
    #expect(events.count == EventFeed.capacity)
    #expect(events.first?.time == 7)
    #expect(events.first?.detail["eventsLost"] == .integer(7))
    #expect(feed.drain().isEmpty)

    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let reader = try rig.raw()
    reader.send("GET /events HTTP/1.1\r\n\r\n")
    #expect(try reader.status() == 200)
    let start = monotonicSeconds()
    for _ in 0..<20_000 { rig.service.events.post(.didRecover) }
    #expect(monotonicSeconds() - start < 5)
    #expect(try rig.request("GET", "/settings").status == 200)
    let text = try reader.receive { $0.contains("eventsLost") }
    #expect(text.contains("didRecover"))
  }
}
