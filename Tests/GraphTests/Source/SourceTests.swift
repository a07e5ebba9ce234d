import Foundation
import RealtimeCore
import SessionModel
import TestSupport
import Testing

@testable import Nearend
@testable import SimulatedHardware

extension GraphTests {
  @Suite("Source", .serialized, .timeLimit(.minutes(3)))
  struct Source {
    private static let noise = roundedTo16Bits(Signals.noise(frames: 24_000, seed: 21))
    private static let steps = noise.map { Int16($0 * 32_768) }

    /// The noise, played by the simulated microphone once `probe` has started.
    private func play(_ live: LiveGraph, _ name: String) throws -> GraphProbe {
      let probe = try live.probe(name, play: ["near": Self.noise], record: ["microphone"], frames: Self.noise.count)
      try live.link([(probe.playPort("near"), "hw.mic:input_MONO"), ("hw.mic:capture_MONO", probe.recordPort("microphone"))])
      try live.wait(forActive: [LiveGraph.captureLink])
      return probe
    }

    /// Opens a stream whose queue holds 20 s, because the clock runs at four times real time, and the test may lag behind.
    private func open(_ live: LiveGraph) throws -> MicrophoneStream {
      try live.service.openMicrophone(mediaId: "call", sampleRate: nil, channelCount: nil, capacity: 1_000_000)
    }

    /// Reads buffers until the whole noise has passed; describes the first difference, or returns nil if there is none.
    private func difference(from stream: MicrophoneStream) async -> String? {
      var samples: [Int16] = []
      var next: UInt64?
      for await buffer in stream {
        if let next, next != buffer.position { return "\(buffer.position - next) frames lost at \(next)" }
        next = buffer.position + UInt64(buffer.frames)
        if samples.isEmpty, buffer.samples.allSatisfy({ $0 == 0 }) { continue }
        samples += buffer.samples
        guard let first = samples.firstIndex(where: { $0 != 0 }), samples.count - first >= Self.noise.count else { continue }
        let start = Self.steps.firstIndex { $0 != 0 }!
        let wrong = (start..<Self.steps.count).first { samples[first - start + $0] != Self.steps[$0] }
        return wrong.map { "frame \($0) is another" }
      }
      return "the stream ended"
    }

    @Test("L5, V1: the microphone's signal comes out of the stream, exact to the sample, at any quantum", arguments: [128, 480, 1_024])
    func stream(quantum: Int) async throws {
      let live = try LiveGraph(.exact, quantum: quantum, usesVoiceProcessing: false)
      defer { live.stop() }
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: false))
      let probe = try play(live, "probe")
      let stream = try open(live)
      probe.start()
      let difference = await difference(from: stream)
      #expect(difference == nil)
      #expect(try probe.finish().isExact)
      #expect(stream.overruns == 0)
      #expect(live.service.snapshot().source == SourceStatus(mediaId: "call", captureRate: 48_000, outputRate: 48_000, hadAudio: true))
      #expect(live.service.events.sourceHadAudio)
      stream.cancel()
    }

    @Test(
      "L5, L4: a callback on the audio thread is given the same; once it is unregistered the microphone is closed", arguments: [64, 1_024])
    func callback(quantum: Int) throws {
      let live = try LiveGraph(.exact, quantum: quantum, usesVoiceProcessing: false)
      defer { live.stop() }
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: false))
      let tape = CallbackTape(capacity: 2_000_000)
      #expect(live.service.registerMicrophoneInput(mediaId: "call", context: tape.context, callback: CallbackTape.callback) == nil)
      let probe = try play(live, "probe")
      #expect(try probe.run().isExact)
      try live.wait(for: "the end of the noise") { _ in tape.isSilentAgain }
      live.service.unregisterMicrophoneInput(mediaId: "call")
      let samples = tape.samples
      #expect(tape.gaps == 0)
      #expect(tape.rate == 48_000)
      let first = try #require(samples.firstIndex { $0 != 0 }) - Self.noise.firstIndex { $0 != 0 }!
      #expect(GraphTests.firstDifference(Array(samples[first..<first + Self.noise.count]), Self.noise) == nil)
      live.service.session.send(.unregisterMedia(id: "call"))
      try live.wait(for: "the microphone to be closed") { $0.graph.captureLinks == 0 }
      try live.session.wait(for: "no link from the microphone") {
        try GraphDump(live.session).links(from: "hw.mic").allSatisfy { !$0.to.hasPrefix("nearend:") }
      }
      #expect(tape.samples.count == samples.count, "nothing came after it was unregistered")
    }

    @Test("L4, L5: a source alone, with no application there, runs the graph and gets audio; without it nothing runs")
    func alone() async throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: false))
      let stream = try live.service.openMicrophone(mediaId: "call", sampleRate: 16_000, channelCount: 2)
      var frames = 0
      for await buffer in stream {
        #expect(buffer.samples.count == 320)
        frames += buffer.frames
        if frames >= 8_000 { break }
      }
      let running = live.service.snapshot()
      #expect(running.session.sendMedia == ["call"])
      #expect(running.graph.captureLinks == 1)
      #expect(running.source?.isResampling == true)
      live.service.unregisterMicrophoneInput(mediaId: "call")
      var iterator = stream.makeAsyncIterator()
      #expect(await iterator.next() == nil)
      live.service.session.send(.unregisterMedia(id: "call"))
      try live.wait(for: "the microphone to be closed") { $0.graph.captureLinks == 0 && $0.session.state == .idle }
      #expect(try GraphDump(live.session).links(from: "hw.mic").isEmpty)
      try live.session.wait(for: "nearend to rest") { try GraphDump(live.session).ourNodes.allSatisfy { $0.state != "running" } }
    }

    @Test("S3, S1: a source that waits for a call manager opens no microphone, and gets audio each time that it activates")
    func deferred() async throws {
      let live = try LiveGraph(.exact, quantum: 256, usesVoiceProcessing: false)
      defer { live.stop() }
      let session = live.service.session
      session.send(.setInitOnly(.manualAudioSessionManagement(true)))
      session.send(.registerMedia(id: "call", isSend: true, isReceive: false))
      let stream = try open(live)
      for round in 0..<2 {
        #expect(live.service.snapshot().source?.isDeferred == true)
        try live.wait(for: "the microphone to be closed") { $0.graph.captureLinks == 0 && $0.session.state == .waiting }
        session.send(.activatedExternally)
        #expect(live.service.snapshot().source?.isDeferred == false)
        let probe = try play(live, "probe\(round)")
        probe.start()
        let difference = await difference(from: stream)
        #expect(difference == nil, "round \(round)")
        _ = try probe.finish()
        session.send(.deactivatedExternally)
      }
    }

    @Test("S3, I6: a daemon that crashes and comes back gives the same stream audio again")
    func recovers() async throws {
      let live = try LiveGraph(.exact, quantum: 256, usesVoiceProcessing: false)
      defer { live.stop() }
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: false))
      let stream = try open(live)
      for round in 0..<2 {
        do {
          let probe = try play(live, "probe\(round)")
          probe.start()
          let difference = await difference(from: stream)
          #expect(difference == nil, "round \(round)")
          _ = try probe.finish()
        }
        guard round == 0 else { break }
        live.session.stop(.pipewire, with: SIGKILL)
        try live.wait(for: "the interruption") { $0.session.interruption?.reason == .daemonLost && $0.source?.isDeferred == true }
        try live.session.start()
        try live.wait(for: "the source to run again") { $0.source?.isDeferred == false && $0.graph.captureLinks == 1 }
      }
    }

    @Test("S3, V9: the graph's rate changes, and the stream goes on at the rate that it was asked for")
    func rateChange() async throws {
      let live = try LiveGraph(.exact, quantum: 512)
      defer { live.stop() }
      defer { try? live.session.force(rate: 48_000) }
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: false))
      let stream = try live.service.openMicrophone(mediaId: "call", sampleRate: 48_000)
      var iterator = stream.makeAsyncIterator()
      for rate in [48_000, 44_100, 96_000] {
        // PipeWire changes its rate only while nothing runs.
        live.service.session.send(.interruptionBegan(.noDevice))
        try live.session.wait(for: "nearend to rest") { try GraphDump(live.session).ourNodes.allSatisfy { $0.state != "running" } }
        try live.session.force(rate: rate)
        live.service.session.send(.interruptionEnded(.noDevice))
        try live.wait(for: "the rate \(rate)") { $0.graph.rate == rate }
        for _ in 0..<200 {
          let buffer = try #require(await iterator.next())
          #expect(buffer.sampleRate == 48_000)
        }
        #expect(stream.captureRate == rate)
        #expect(live.service.snapshot().source?.isResampling == (rate != 48_000))
      }
    }
  }

  fileprivate static func firstDifference(_ samples: [Float], _ expected: [Float]) -> Int? {
    samples.count == expected.count ? samples.indices.first { samples[$0] != expected[$0] } : -1
  }
}

/// The audio of a microphone callback, in memory allocated beforehand.
// `@unchecked Sendable`: the audio thread writes into the FIFO, the test's reads; the rest of the state is read after the callback's last
// run.
private final class CallbackTape: @unchecked Sendable {
  private let ring: FrameRing
  private let fifo: FrameFIFO
  private let state: UnsafeMutablePointer<State>
  struct State {
    var fifo: FrameFIFO
    var next: UInt64 = 0
    var gaps = 0
    var rate = 0
  }

  init(capacity: Int) {
    ring = FrameRing(capacity: capacity, bytesPerFrame: 4)
    fifo = ring.fifo
    state = .allocate(capacity: 1)
    state.initialize(to: State(fifo: fifo))
  }

  deinit { state.deallocate() }

  var context: UnsafeMutableRawPointer { UnsafeMutableRawPointer(state) }
  /// Valid once the callback no longer runs.
  var gaps: Int { state.pointee.gaps }
  var rate: Int { state.pointee.rate }

  /// Everything so far.
  var samples: [Float] {
    let (start, frames) = fifo.front(limit: fifo.capacity)
    return Array(UnsafeBufferPointer(start: start.assumingMemoryBound(to: Float.self), count: frames))
  }

  /// Whether sound came, followed by a thousand silent frames.
  var isSilentAgain: Bool {
    let samples = samples
    guard let last = samples.lastIndex(where: { $0 != 0 }) else { return false }
    return samples.count - last > 1_000
  }

  static let callback: MicrophoneCallback = { context, samples, frames, _, rate, position in
    let state = context!.assumingMemoryBound(to: State.self)
    if state.pointee.next != position { state.pointee.gaps += 1 }
    state.pointee.next = position + UInt64(frames)
    state.pointee.rate = rate
    _ = state.pointee.fifo.write(samples, frames: frames)
  }
}
