import Foundation
import Nearend
import RealtimeCore
import SessionModel
import Synchronization
import Testing

@Suite("Manual rendering")
struct ManualRendererTests {
  @Test(
    "S9 V9: any quantum and rate; the bypassed microphone comes bit by bit, as late as the renderer says",
    arguments: [(32, 48_000), (480, 48_000), (500, 44_100), (1_024, 96_000), (8_192, 16_000), (256, 192_000)])
  func everyQuantumAndRate(quantum: Int, rate: Int) throws {
    let renderer = try ManualRenderer(rate: rate)
    try renderer.set(.bypassVoiceProcessing, to: .bool(true))
    let noise = TestSignals.noise(frames: max(8 * quantum, rate / 5))
    // From the very first cycle: the path is always ready.
    let voice = try TestSignals.cycles(renderer, microphone: noise, quantum: quantum)
    let latency = renderer.latency(quantum: quantum)
    #expect(latency > 0)
    // The switch to bypass, before the first cycle, fades over 10 ms.
    let settled = latency + rate / 25
    #expect(Array(voice[settled...]) == Array(noise[(settled - latency)..<(voice.count - latency)]))
  }

  @Test("S9: a quantum, a rate or a block that is impossible is refused with what would be possible")
  func refusals() throws {
    #expect(throws: ManualRenderingError.capturePath(.unsupportedRate(8_000))) { try ManualRenderer(rate: 8_000) }
    let renderer = try ManualRenderer()
    for frames in [31, 8_193, 0] {
      #expect(throws: ManualRenderingError.quantum(frames)) { try renderer.render(frames: frames) }
    }
    let block = [Float](repeating: 0, count: 480)
    #expect(throws: ManualRenderingError.blockLength(100, expected: 480)) {
      try renderer.cycle(microphone: block, call: StereoBlock(mono: [Float](repeating: 0, count: 100)))
    }
    for uneven in [StereoBlock(left: block, right: []), StereoBlock(left: [], right: block)] {
      #expect(throws: ManualRenderingError.blockLength(0, expected: 480)) { try renderer.cycle(microphone: block, call: uneven) }
      #expect(throws: ManualRenderingError.blockLength(0, expected: 480)) { try renderer.cycle(microphone: block, reference: uneven) }
    }
    #expect(throws: ManualRenderingError.capturePath(.unsupportedRate(200_000))) { try renderer.setRate(200_000) }
    #expect(renderer.rate == 48_000)
    #expect(renderer.position == 0)
  }

  @Test(
    "S9 V7: the same blocks give the same samples while other renderers are made, with either engine",
    arguments: TestSignals.cancellers)
  func othersBeside(engine: EchoCanceller) throws {
    let far = TestSignals.bursts(frames: 48_000)
    let microphone = (0..<far.count).map { 0.3 * ($0 < 2_000 ? 0 : far[$0 - 2_000]) }
    @Sendable func voice() throws -> [Float] {
      let renderer = try ManualRenderer()
      try renderer.set(.echoCanceller, to: .string(engine.rawValue))
      return try stride(from: 0, to: far.count, by: 480).flatMap { start in
        let block = start..<start + 480
        return try renderer.cycle(microphone: Array(microphone[block]), call: StereoBlock(mono: Array(far[block]))).voice
      }
    }
    let alone = try voice()
    let others = Mutex<[[Float]]>([])
    DispatchQueue.concurrentPerform(iterations: 80) { _ in
      guard let voice = try? voice() else { return }
      others.withLock { $0.append(voice) }
    }
    #expect(others.withLock { $0.count { $0 == alone } } == 80)
  }

  @Test("S9 D4: application audio goes out without a microphone's sound, at its own length")
  func appAudio() throws {
    let renderer = try ManualRenderer()
    let half = [Double](repeating: 0.5, count: 24_000)
    #expect(renderer.capture(appAudio: try AppAudioBuffer(interleaved: half, sampleRate: 48_000, channelCount: 1)))
    renderer.endAppAudio()
    let voice = try TestSignals.cycles(renderer, microphone: [Float](repeating: 0, count: 48_000), quantum: 480)
    let sounding = voice.count { abs($0) > 0.25 }
    #expect(abs(sounding - 24_000) < 480, "\(sounding)")
    #expect(voice.suffix(4_800).allSatisfy { abs($0) < 1e-3 })
  }

  @Test("S9 K3: ring sinks are pulled from the renderer, resampled, and underruns are counted as live")
  func ringSinks() throws {
    let renderer = try ManualRenderer()
    let output = try renderer.makeOutput(sampleRate: 16_000, bufferDuration: .milliseconds(500))
    try output.write(TestSignals.tone(440, frames: 4_800, rate: 16_000))
    #expect(output.buffered == .milliseconds(300) && output.bufferDuration == .milliseconds(500))
    var speaker: [Float] = []
    for _ in 0..<40 { speaker += try renderer.render(frames: 480).left }
    #expect(TestSignals.rms(speaker[4_800..<9_600]) > 0.1)
    #expect(TestSignals.rms(speaker.suffix(480)) == 0)
    #expect(output.status.map { $0.totalUnderruns > 0 && $0.framesPlayed == 4_800 } == true)
    output.end()
    output.end()
    #expect(output.hasEnded && output.status == nil && output.buffered == .zero)
    #expect(throws: WriteError.self) { try output.write([0]) }
  }

  @Test("S9 K2: an output ends when it is let go, and says why it takes nothing")
  func outputs() throws {
    let renderer = try ManualRenderer()
    let second = [Int16](repeating: 8_192, count: 48_000)
    do {
      let (full, quiet) = (try renderer.makeOutput(bufferDuration: .seconds(1)), try renderer.makeOutput(channels: 2))
      try full.write(second)
      #expect(throws: WriteError.full) { try full.write([0]) }
      #expect(throws: WriteError.partialFrame(bytes: 2, bytesPerFrame: 4)) { try quiet.write([0]) }
      #expect(full.status?.totalDrops == 1 && quiet.status?.totalDrops == 0)
      #expect(throws: OutputError.impossibleBufferDuration(.zero)) { try renderer.makeOutput(bufferDuration: .zero) }
      full.setGain(0.5)
      var speaker: [Float] = []
      for _ in 0..<10 { speaker = try renderer.render(frames: 480).left }
      #expect(speaker.allSatisfy { abs($0 - 0.125) < 0.01 })
      full.setMuted(true)
      #expect(full.status.map { $0.isMuted && $0.gain == 0.5 } == true)
      for _ in 0..<10 { speaker = try renderer.render(frames: 480).left }
      #expect(speaker.allSatisfy { $0 == 0 })
      full.setMuted(false)
    }
    for _ in 0..<10 { _ = try renderer.render(frames: 480) }
    #expect(try renderer.render(frames: 480).left.allSatisfy { $0 == 0 })
  }

  @Test("S9 K10: the call passes bit by bit, with no frame added")
  func call() throws {
    let renderer = try ManualRenderer()
    let noise = TestSignals.noise(frames: 480)
    let cycle = try renderer.cycle(microphone: [Float](repeating: 0, count: 480), call: StereoBlock(mono: noise))
    #expect(cycle.speaker == StereoBlock(mono: noise))
  }

  @Test(
    "S9 V4: the canceller hears the mix, or what the caller's speaker plays", arguments: ReferenceSource.allCases,
    TestSignals.cancellers)
  func reference(_ source: ReferenceSource, canceller: EchoCanceller) throws {
    let renderer = try ManualRenderer(reference: source)
    try renderer.set(.echoCanceller, to: .string(canceller.rawValue))
    let far = TestSignals.bursts(frames: 5 * 48_000)
    let echo = [Float](repeating: 0, count: 960) + far.dropLast(960).map { 0.5 * $0 }
    var voice: [Float] = []
    for start in stride(from: 0, to: far.count, by: 480) {
      let block = StereoBlock(mono: Array(far[start..<start + 480]))
      let microphone = Array(echo[start..<start + 480])
      voice +=
        try source == .mix
        ? renderer.cycle(microphone: microphone, call: block).voice : renderer.cycle(microphone: microphone, reference: block).voice
    }
    let before = TestSignals.rms(echo.suffix(96_000)), after = TestSignals.rms(voice.suffix(96_000))
    #expect(after < before / 10, "\(before) became \(after)")
    let delay = try #require(renderer.meters.echoDelay.known)
    #expect(abs(delay - 0.02) < 0.004)
  }

  @Test("S9 L5: the source is called in each cycle with what the cycle puts out, and not after it has ended; the next ends the previous")
  func source() throws {
    final class Taken {
      var samples: [Float] = []
      var positions: [UInt64] = []
    }
    let taken = Taken()
    let renderer = try ManualRenderer()
    let tap = renderer.tapMicrophone(context: Unmanaged.passUnretained(taken).toOpaque()) { context, samples, frames, _, _, position in
      let taken = Unmanaged<Taken>.fromOpaque(context!).takeUnretainedValue()
      taken.samples += Array(UnsafeBufferPointer(start: samples, count: frames))
      taken.positions.append(position)
    }
    let noise = TestSignals.noise(frames: 9_600)
    let voice = try TestSignals.cycles(renderer, microphone: noise, quantum: 480)
    #expect(taken.samples == voice)
    #expect(taken.positions.prefix(3) == [0, 480, 960])
    tap.end()
    _ = try renderer.render(frames: 480)
    #expect(taken.samples.count == voice.count)
    let next = renderer.tapMicrophone(context: Unmanaged.passUnretained(taken).toOpaque()) { context, _, _, _, _, position in
      Unmanaged<Taken>.fromOpaque(context!).takeUnretainedValue().positions.append(position)
    }
    tap.end()
    _ = try renderer.render(frames: 480)
    #expect(taken.positions.count == 21 && taken.positions.last == 0, "a tap that has ended takes nothing from the next")
    withExtendedLifetime(next) {}
  }

  @Test("S9 L7: every setting that applies without a device is set and read by name; others are refused")
  func settings() throws {
    let renderer = try ManualRenderer()
    for setting in ManualRenderer.settings where setting.kind == .bool {
      for value in [false, true] {
        try renderer.set(setting, to: .bool(value))
        #expect(renderer.value(of: setting) == .bool(value))
      }
    }
    try renderer.set(.outputVolume, to: .number(0.5))
    #expect(renderer.value(of: .outputVolume) == .number(0.5))
    #expect(throws: SettingError.unknown(name: "microphone")) { try renderer.set(.microphone, to: .string("hw.mic")) }
    #expect(renderer.value(of: .microphone) == nil)
    // Muted by the last iteration of the loop above: the voice is silent.
    let voice = try TestSignals.cycles(renderer, microphone: TestSignals.noise(frames: 48_000), quantum: 480)
    #expect(TestSignals.rms(voice.suffix(4_800)) == 0)
  }

  @Test("S9 V10: the engine changes between two cycles; the latency is the new one's at once, and the voice follows without a gap")
  func engineChange() throws {
    let renderer = try ManualRenderer(rate: 48_000)
    try renderer.set(.bypassVoiceProcessing, to: .bool(true))
    let noise = TestSignals.noise(frames: 12_800)
    #expect(renderer.latency(quantum: 256) == 280)
    for (word, next) in [
      ("webrtc", EventValue.string("webrtc")), ("off", .string("off")), ("webrtc", .bool(true)), ("nearend", .string("nearend")),
    ] {
      try renderer.set(.echoCanceller, to: next)
      #expect(renderer.value(of: .echoCanceller) == .string(word))
      #expect(renderer.value(of: .echoCancellation) == .bool(word != "off"))
      let latency = renderer.latency(quantum: 256)
      #expect(word == "nearend" ? latency == 280 : latency > 480)
      let voice = try TestSignals.cycles(renderer, microphone: noise, quantum: 256)
      let settled = latency + 960
      #expect(Array(voice[settled...]) == Array(noise[(settled - latency)..<(noise.count - latency)]))
    }
  }

  @Test("S9 V10: any thread chooses the engine while cycles run")
  func engineChangesElsewhere() async throws {
    let renderer = try ManualRenderer(rate: 16_000)
    let changes = Task.detached {
      for count in 0..<20 { try renderer.set(.echoCanceller, to: .string(count % 2 == 0 ? "webrtc" : "nearend")) }
    }
    let noise = TestSignals.noise(frames: 160)
    for _ in 0..<400 { _ = try renderer.cycle(microphone: noise) }
    try await changes.value
    #expect(renderer.value(of: .echoCanceller) == .string("nearend"))
    for _ in 0..<20 { _ = try renderer.cycle(microphone: noise) }
    #expect(renderer.latency(quantum: 64) <= 171)
  }

  @Test("S9 V9: the rate changes between two cycles, and the first at the new rate is heard")
  func rateChange() throws {
    let renderer = try ManualRenderer(rate: 48_000)
    try renderer.set(.bypassVoiceProcessing, to: .bool(true))
    _ = try TestSignals.cycles(renderer, microphone: TestSignals.noise(frames: 4_800), quantum: 480)
    try renderer.setRate(16_000)
    let noise = TestSignals.noise(frames: 3_200)
    let voice = try TestSignals.cycles(renderer, microphone: noise, quantum: 160)
    let latency = renderer.latency(quantum: 160), settled = latency + 640
    #expect(Array(voice[settled...]) == Array(noise[(settled - latency)..<(noise.count - latency)]))
  }
}
