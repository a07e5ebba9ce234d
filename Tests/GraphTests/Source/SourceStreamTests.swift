import Foundation
import RealtimeCore
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import Nearend

/// A service without a graph: its cycles are driven by hand, and with voice processing off the voice is the microphone bit by bit.
private final class DrivenService {
  let service: NearendService
  private var position: UInt64 = 0
  var rate = 48_000
  /// The whole voice so far, as 16-bit samples.
  private(set) var voice: [Int16] = []

  init(_ change: (inout SessionSettings) -> Void = { _ in }) throws {
    var settings = SessionSettings()
    settings.usesVoiceProcessing = false
    change(&settings)
    service = try NearendService(NearendOptions(session: settings))
    service.core.isSending = true
    service.session.send(.registerMedia(id: "call", isSend: true, isReceive: false))
  }

  func run(_ microphone: [Float], quantum: Int = 480) {
    for start in stride(from: 0, to: microphone.count, by: quantum) {
      let part = Array(microphone[start..<min(start + quantum, microphone.count)])
      var voice = [Float](repeating: 0, count: part.count)
      part.withUnsafeBufferPointer { samples in
        voice.withUnsafeMutableBufferPointer { voice in
          var buffers = CycleBuffers(frames: samples.count, rate: rate, position: position, driver: 1)
          buffers.microphone = samples.baseAddress
          buffers.voice = voice.baseAddress
          service.core.realtime.process(&buffers, graphSinks: nil)
        }
      }
      self.voice += voice.map { Int16(($0 * 32_768).rounded()) }
      position += UInt64(part.count)
    }
  }
}

/// Returns why a call was refused; nil if it was not.
private func reason(_ body: () throws(SourceError) -> MicrophoneStream) -> SourceError? {
  do throws(SourceError) {
    _ = try body()
    return nil
  } catch { return error }
}

@Suite("Source: the stream", .timeLimit(.minutes(2)))
struct SourceStreamTests {
  private let signal: [Float] = (0..<4_800).map { Float(($0 * 7_919) % 60_001 - 30_000) / 32_768 }

  /// Describes how `samples` differ from the expected ones; nil if they do not, and there is sound.
  private func difference(_ samples: [Int16], _ expected: [Int16]) -> String? {
    guard samples.count == expected.count else { return "\(samples.count) samples instead of \(expected.count)" }
    if !samples.contains(where: { abs(Int($0)) > 10_000 }) { return "silence" }
    return samples.indices.first { samples[$0] != expected[$0] }.map { "sample \($0) is \(samples[$0]), not \(expected[$0])" }
  }

  @Test(
    "L5: at the graph's rate the stream is the voice, exact to the sample, in pieces of 10 ms, whatever the quantum",
    arguments: [64, 480, 1_024, 4_800])
  func exact(quantum: Int) async throws {
    let driven = try DrivenService()
    let stream = try driven.service.openMicrophone(mediaId: "call")
    #expect(stream.sampleRate == 48_000)
    #expect(stream.channelCount == 1)
    driven.run(signal, quantum: quantum)
    var iterator = stream.makeAsyncIterator()
    var samples: [Int16] = []
    for i in 0..<10 {
      let buffer = try #require(await iterator.next())
      #expect(buffer.frames == 480)
      #expect(buffer.position == UInt64(i) * 480)
      samples += buffer.samples
    }
    #expect(difference(samples, driven.voice) == nil)
    #expect(!stream.isResampling)
    stream.cancel()
  }

  @Test("L5: samples beyond full scale are clamped, NaN is silence, and two channels have the same voice")
  func clamps() async throws {
    #expect(
      [Float](arrayLiteral: 0, 1, -1, 1.5, -9, .infinity, -.infinity, .nan, 0.6 / 32_768).map(SourceConverter.int16)
        == [0, 32_767, -32_768, 32_767, -32_768, 32_767, -32_768, 0, 1])
    let driven = try DrivenService { $0.captureChannelCount = 2 }
    let stream = try driven.service.openMicrophone(mediaId: "call")
    driven.run(signal)
    var iterator = stream.makeAsyncIterator()
    let buffer = try #require(await iterator.next())
    #expect(buffer.channels == 2)
    #expect(buffer.frames == 480)
    #expect(difference(buffer.samples, driven.voice.prefix(480).flatMap { [$0, $0] }) == nil)
  }

  @Test("T5: the stream is converted to another rate, and telemetry shows it", arguments: [8_000, 11_025, 16_000, 44_100, 96_000, 192_000])
  func resamples(rate: Int) async throws {
    let driven = try DrivenService()
    let stream = try driven.service.openMicrophone(mediaId: "call", sampleRate: rate, channelCount: 1)
    driven.run(sine(440, frames: 24_000, level: 0.5))
    #expect(stream.captureRate == 48_000)
    #expect(stream.isResampling)
    let status = try #require(driven.service.sourceStatus)
    #expect((status.captureRate, status.outputRate, status.isResampling) == (48_000, rate, true))
    var iterator = stream.makeAsyncIterator()
    var (crossings, last) = (0, Int16(0))
    for i in 0..<40 {
      let buffer = try #require(await iterator.next())
      #expect(buffer.sampleRate == rate)
      #expect(buffer.frames == (rate + 50) / 100)
      #expect(buffer.position == UInt64(i * buffer.frames))
      for sample in buffer.samples {
        if last < 0, sample >= 0 { crossings += 1 }
        last = sample
      }
    }
    #expect(abs(crossings - 176) <= 2, "a tone of 440 Hz in 0.4 s")
  }

  @Test("S3, V9: the graph's rate changes, and the stream goes on at its own")
  func rateChange() async throws {
    let driven = try DrivenService()
    let stream = try driven.service.openMicrophone(mediaId: "call", sampleRate: 16_000)
    var iterator = stream.makeAsyncIterator()
    var position: UInt64 = 0
    for rate in [48_000, 16_000, 44_100] {
      driven.rate = rate
      driven.run([Float](repeating: 0, count: 256))
      try driven.service.core.prepare(rate: rate)
      driven.run([Float](repeating: 0.25, count: rate / 2), quantum: 256)
      #expect(stream.captureRate == rate)
      #expect(stream.isResampling == (rate != 16_000))
      var buffer = try #require(await iterator.next())
      for _ in 0..<40 {
        #expect(buffer.position == position)
        position += UInt64(buffer.frames)
        buffer = try #require(await iterator.next())
      }
      position = buffer.position + UInt64(buffer.frames)
      #expect(buffer.samples.allSatisfy { abs(Int($0) - 8_192) < 200 }, "\(rate): \(buffer.samples.prefix(9))")
    }
  }

  @Test("T3: audio that nobody takes is lost in whole cycles, counted, reported once per run, and shows as a jump of position")
  func overruns() async throws {
    let driven = try DrivenService()
    let told = Mutex<[AudioEvent]>([])
    let subscription = driven.service.events.subscribe { if case .event(let event) = $0 { told.withLock { $0.append(event) } } }
    let stream = try driven.service.openMicrophone(mediaId: "call", sampleRate: 24_000)
    var events = driven.service.events.overruns.makeAsyncIterator()
    for _ in 0..<20 { driven.run(signal) }
    let fits = SourceQueue.defaultCapacity / 484
    #expect(stream.overruns == UInt64(200 - fits))
    #expect(await events.next() == "call")
    #expect(driven.service.snapshot().source?.overruns == stream.overruns)
    var iterator = stream.makeAsyncIterator()
    for _ in 0..<fits - 1 { _ = await iterator.next() }
    driven.run(signal)
    var (before, jump) = (UInt64(0), UInt64(0))
    for _ in 0..<8 {
      let buffer = try #require(await iterator.next())
      if before > 0, buffer.position != before { jump = buffer.position - before }
      before = buffer.position + UInt64(buffer.frames)
    }
    #expect(jump == stream.overruns * 240)
    #expect(told.withLock { $0.filter { $0.kind == .sourceOverrun }.count } == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test("T5: the first sound of a source is in every event from then on, and a new source begins without")
  func hadAudio() async throws {
    let driven = try DrivenService()
    let events = driven.service.events
    let stream = try driven.service.openMicrophone(mediaId: "call")
    driven.run([Float](repeating: 0, count: 960))
    var iterator = stream.makeAsyncIterator()
    _ = await iterator.next()
    #expect(!events.sourceHadAudio)
    driven.run(signal)
    while !events.sourceHadAudio { try await Task.sleep(for: .milliseconds(1)) }
    #expect(driven.service.sourceStatus?.hadAudio == true)
    stream.cancel()
    #expect(!events.sourceHadAudio, "it is registered no more")
    let next = try driven.service.openMicrophone(mediaId: "call")
    #expect(!events.sourceHadAudio)
    #expect(driven.service.sourceStatus?.hadAudio == false)
    next.cancel()
  }

  @Test("L5: one source at a time, of media that sends, in a possible format; another id unregisters nothing")
  func refusals() async throws {
    let driven = try DrivenService()
    let service = driven.service
    service.session.send(.registerMedia(id: "listener", isSend: false, isReceive: true))
    service.session.send(.registerMedia(id: "other", isSend: true, isReceive: false))
    let callback: MicrophoneCallback = { _, _, _, _, _, _ in }
    #expect(reason { () throws(SourceError) in try service.openMicrophone(mediaId: "nobody") } == .refused(.unknownMedia(id: "nobody")))
    #expect(
      reason { () throws(SourceError) in try service.openMicrophone(mediaId: "listener") }
        == .refused(.wrongDirection(id: "listener", needs: "send")))
    for rate in [7_999, 192_001, 0, -1] {
      #expect(
        reason { () throws(SourceError) in try service.openMicrophone(mediaId: "call", sampleRate: rate) } == .impossibleSampleRate(rate))
    }
    for count in [0, 3] {
      #expect(
        reason { () throws(SourceError) in try service.openMicrophone(mediaId: "call", channelCount: count) }
          == .impossibleChannelCount(count))
    }
    #expect(service.registerMicrophoneInput(mediaId: "nobody", context: nil, callback: callback) == .unknownMedia(id: "nobody"))
    #expect(service.snapshot().source == nil)

    let stream = try service.openMicrophone(mediaId: "call")
    #expect(reason { () throws(SourceError) in try service.openMicrophone(mediaId: "other") } == .refused(.sourceTaken(by: "call")))
    #expect(service.registerMicrophoneInput(mediaId: "other", context: nil, callback: callback) == .sourceTaken(by: "call"))
    service.unregisterMicrophoneInput(mediaId: "other")
    service.session.send(.unregisterMedia(id: "other"))
    #expect(service.snapshot().source?.mediaId == "call")
    driven.run(signal)
    var iterator = stream.makeAsyncIterator()
    let buffer = try #require(await iterator.next())
    #expect(difference(buffer.samples, Array(driven.voice.prefix(480))) == nil, "the refused ones have changed nothing")
    stream.cancel()
    #expect(service.registerMicrophoneInput(mediaId: "call", context: nil, callback: callback) == nil)
    #expect(service.snapshot().source?.mediaId == "call")
    stream.cancel()
    #expect(service.snapshot().source?.mediaId == "call", "an old stream ends nobody else")
    service.unregisterMicrophoneInput(mediaId: "call")
    #expect(service.snapshot().source == nil)
  }

  @Test("L5: the stream ends with its source, its media, its task, its last reference, and the service", arguments: 0..<6)
  func ends(way: Int) async throws {
    let driven = try DrivenService()
    let service = driven.service
    var stream: MicrophoneStream? = try service.openMicrophone(mediaId: "call")
    if way < 5 {
      let consumer = Task { [stream = stream!] in
        var count = 0
        for await _ in stream { count += 1 }
        return count
      }
      if way == 3 { driven.run(signal) }
      switch way {
      case 0: service.unregisterMicrophoneInput(mediaId: "call")
      case 1: service.session.send(.unregisterMedia(id: "call"))
      case 2: stream?.cancel()
      case 3: consumer.cancel()
      default: service.stop()
      }
      _ = await consumer.value
      var iterator = stream!.makeAsyncIterator()
      #expect(await iterator.next() == nil, "it stays ended")
    }
    stream = nil
    while service.session.current.source != nil { await Task.yield() }
    #expect(service.sourceStatus == nil)
    driven.run(signal)
  }

  @Test("S3: a source that waits for activation starts, stops and starts with the session, with nothing lost between and no restart")
  func deferred() async throws {
    let driven = try DrivenService { $0.isManual = true }
    let service = driven.service
    let stream = try service.openMicrophone(mediaId: "call")
    #expect(service.sourceStatus?.isDeferred == true)
    driven.run(signal)
    var iterator = stream.makeAsyncIterator()
    var position: UInt64 = 0
    for _ in 0..<3 {
      service.session.send(.activatedExternally)
      #expect(service.sourceStatus?.isDeferred == false)
      driven.run(signal)
      var samples: [Int16] = []
      for _ in 0..<10 {
        let buffer = try #require(await iterator.next())
        #expect(buffer.position == position)
        position += 480
        samples += buffer.samples
      }
      #expect(difference(samples, Array(driven.voice.suffix(4_800))) == nil)
      service.session.send(.deactivatedExternally)
      #expect(service.sourceStatus?.isDeferred == true)
      driven.run(signal)
    }
  }

  @Test("L6: init-only channel counts reach the core")
  func channelCounts() throws {
    let driven = try DrivenService()
    driven.service.session.send(.unregisterMedia(id: "call"))
    driven.service.session.send(.setInitOnly(.captureChannelCount(2)))
    driven.service.session.send(.setInitOnly(.renderChannelCount(1)))
    #expect(driven.service.core.source.channelCount == 2)
    #expect(driven.service.core.mixer.channelCount == 1)
  }
}

extension EventBus {
  /// The media ids of overruns, as they are reported.
  fileprivate var overruns: AsyncStream<String> {
    AsyncStream { continuation in
      let subscription = subscribe { news in
        if case .event(let event) = news, event.kind == .sourceOverrun { continuation.yield(event.mediaId ?? "") }
      }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}
