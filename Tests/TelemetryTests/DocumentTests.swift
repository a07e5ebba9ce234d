import Foundation
import Nearend
import SessionModel
import Synchronization
import Testing

/// The documents of a service that has not joined a graph.
@Suite("Reports of a service")
struct DocumentTests {
  private final class Heard: Sendable {
    let events = Mutex<[AudioEvent]>([])
  }

  private static func telemetry(_ service: NearendService) throws -> [String: Any] {
    let text = try #require(service.telemetryJSON())
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  /// A service with media "source", which is its source, and "sink", which is a ring sink.
  private static func service() throws -> (NearendService, Heard, EventBus.Subscription) {
    let service = try NearendService(NearendOptions())
    let heard = Heard()
    let subscription = service.events.subscribe { if case .event(let event) = $0 { heard.events.withLock { $0.append(event) } } }
    service.session.send(.registerMedia(id: "source", isSend: true, isReceive: false))
    service.session.send(.registerSource(mediaId: "source"))
    _ = try service.addRingSink(id: "sink", sampleRate: 16_000, channelCount: 1, bufferSize: 6_400)
    return (service, heard, subscription)
  }

  @Test("T2: the document has these keys, and the rates only while the source resamples")
  func keys() throws {
    let (service, _, _) = try Self.service()
    let always: Set = [
      "useVoiceProcessingIO", "bypassVoiceProcessing", "voiceProcessingEnableAGC", "channelCount", "isSessionActive", "hasMicSource",
      "sinkCount", "totalRegisteredMedia", "manualAudioSessionManagement", "sourceHadAudio", "sourceResamplingActive", "asmSsrcMap",
      "diagnostics",
    ]
    let plain = try Self.telemetry(service)
    #expect(Set(plain.keys) == always)
    #expect(plain["useVoiceProcessingIO"] as? Bool == true)
    #expect(plain["bypassVoiceProcessing"] as? Bool == false)
    #expect(plain["voiceProcessingEnableAGC"] as? Bool == true)
    #expect(plain["channelCount"] as? Int == 2)
    #expect(plain["isSessionActive"] as? Bool == true)
    #expect(plain["hasMicSource"] as? Bool == true)
    #expect(plain["sinkCount"] as? Int == 1)
    #expect(plain["totalRegisteredMedia"] as? Int == 2)
    #expect(plain["manualAudioSessionManagement"] as? Bool == false)
    #expect(
      (plain["diagnostics"] as? String)?.hasPrefix("AudioSessionManager Diagnostics:\n- Version: nearend \(nearendVersion)\n") == true)

    service.reportSourceResampling(mediaId: "source", captureRate: 16_000, outputRate: 48_000, isResampling: true)
    let resampling = try Self.telemetry(service)
    #expect(Set(resampling.keys) == always.union(["sourceCaptureRateHz", "sourceOutputRateHz"]))
    #expect(resampling["sourceResamplingActive"] as? Bool == true)
    #expect(resampling["sourceCaptureRateHz"] as? Int == 16_000)
    #expect(resampling["sourceOutputRateHz"] as? Int == 48_000)
  }

  @Test("T2: the document follows what is set and registered")
  func follows() throws {
    let (service, _, _) = try Self.service()
    service.perform(.set(.bypassVoiceProcessing, true))
    service.perform(.set(.voiceProcessingEnableAGC, false))
    service.session.send(.unregisterSource(mediaId: "source"))
    service.removeSink(id: "sink")
    let document = try Self.telemetry(service)
    #expect(document["bypassVoiceProcessing"] as? Bool == true)
    #expect(document["voiceProcessingEnableAGC"] as? Bool == false)
    #expect(document["hasMicSource"] as? Bool == false)
    #expect(document["sinkCount"] as? Int == 0)
    #expect(document["totalRegisteredMedia"] as? Int == 1)
  }

  @Test("T5: the source's activity is reported in telemetry and in every later event; another id's is ignored")
  func activity() throws {
    let (service, heard, subscription) = try Self.service()
    func flag() throws -> Bool? { try Self.telemetry(service)["sourceHadAudio"] as? Bool }
    service.reportSourceAudioActivity(mediaId: "sink")
    service.reportSourceAudioActivity(mediaId: "nobody")
    #expect(try flag() == false)
    for _ in 0..<3 { service.reportSourceAudioActivity(mediaId: "source") }
    #expect(try flag() == true)
    service.perform(.set(.bypassVoiceProcessing, true))
    #expect(heard.events.withLock { $0.last?.detail["sourceHadAudio"] } == true)
    #expect(heard.events.withLock { $0.first?.detail["sourceHadAudio"] } == false)
    service.session.send(.unregisterSource(mediaId: "source"))
    service.session.send(.registerSource(mediaId: "source"))
    #expect(try flag() == false, "another source, which has said nothing")
    service.perform(.set(.bypassVoiceProcessing, false))
    #expect(heard.events.withLock { $0.last?.detail["sourceHadAudio"] } == false)
    withExtendedLifetime(subscription) {}
  }

  @Test("T5: resampling is the registered source's, and ends when it says so; impossible rates are refused, and said")
  func resampling() throws {
    let (service, _, _) = try Self.service()
    func active() throws -> Bool? { try Self.telemetry(service)["sourceResamplingActive"] as? Bool }
    service.reportSourceResampling(mediaId: "sink", captureRate: 16_000, outputRate: 48_000, isResampling: true)
    #expect(try active() == false)
    service.reportSourceResampling(mediaId: "source", captureRate: 0, outputRate: 48_000, isResampling: true)
    #expect(try active() == false)
    #expect(service.snapshot().log.last?.message.contains("0 Hz to 48000 Hz") == true)
    service.reportSourceResampling(mediaId: "source", captureRate: 16_000, outputRate: 48_000, isResampling: true)
    #expect(try active() == true)
    service.reportSourceResampling(mediaId: "source", captureRate: 48_000, outputRate: 48_000, isResampling: false)
    #expect(try active() == false)
    #expect(try Self.telemetry(service)["sourceCaptureRateHz"] == nil)
  }

  @Test("K8: an SSRC is in snapshot, diagnostics and telemetry, of sinks of both kinds; an unknown id has no effect")
  func ssrc() throws {
    let (service, _, _) = try Self.service()
    try service.addGraphSink(id: "alice")
    service.updateSsrc(mediaId: "sink", ssrc: .max)
    service.updateSsrc(mediaId: "alice", ssrc: 0)
    service.updateSsrc(mediaId: "nobody", ssrc: 7)
    service.updateSsrc(mediaId: "source", ssrc: 7)
    #expect(service.snapshot().sinks.map(\.ssrc) == [.max, 0])
    #expect(try Self.telemetry(service)["asmSsrcMap"] as? [String: UInt32] == ["sink": .max, "alice": 0])
    #expect(service.diagnostics().contains("SSRC: 4294967295"))
    service.removeSink(id: "sink")
    _ = try service.addRingSink(id: "sink", sampleRate: 16_000, channelCount: 1, bufferSize: 6_400)
    #expect(try Self.telemetry(service)["asmSsrcMap"] as? [String: UInt32] == ["alice": 0], "a sink's SSRC goes with it")
  }

  @Test("K6: a program's frame drops are one event in 5 minutes, with the sink's counts; an unknown sink has none")
  func frameDrop() throws {
    let (service, heard, subscription) = try Self.service()
    service.notifySinkFrameDrop(mediaId: "nobody", consecutive: 1, total: 1)
    for total in 1...3 { service.notifySinkFrameDrop(mediaId: "sink", consecutive: 1, total: UInt64(total)) }
    let drops = heard.events.withLock { $0.filter { $0.kind == .sinkFrameDrop } }
    #expect(drops.map(\.mediaId) == ["sink"])
    #expect(drops.first?.detail == ["consecutive": 1, "total": 1, "totalUnderruns": 0, "sourceHadAudio": false])
    withExtendedLifetime(subscription) {}
  }
}
