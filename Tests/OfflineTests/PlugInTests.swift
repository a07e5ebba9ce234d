import Foundation
import Nearend
import RealtimeCore
import SessionModel
import TestPlugIns
import TestSupport
import Testing

@testable import SimulatedHardware

/// LADSPA plug-ins in the chains of a manual renderer, which runs the audio thread's cycle: Debian's swh-plugins, and test plug-ins of
/// known effect.
@Suite("Plug-ins")
final class PlugInTests {
  private static let quantum = 256
  private let folder = FileManager.default.temporaryDirectory.appending(path: "nearend-plugins-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func renderer() throws -> ManualRenderer {
    let renderer = try ManualRenderer()
    try renderer.set(.useVoiceProcessingIO, to: .bool(false))
    return renderer
  }

  private func make(_ change: (inout TestPlugIn.Traits) -> Void) throws -> PlugInAddress {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try PlugInAddress(TestPlugIn.make(in: folder.path, TestPlugIn.Traits(change)))
  }

  /// A low tone, whose steps from sample to sample are far smaller than a click.
  private static func tone(_ frames: Int) -> [Float] { sine(93.75, frames: frames, level: 0.25) }

  private func voice(_ renderer: ManualRenderer, _ microphone: [Float], between: (Int) throws -> Void = { _ in }) throws -> [Float] {
    var voice: [Float] = []
    for index in 0..<microphone.count / Self.quantum {
      try between(index)
      voice += try renderer.cycle(microphone: Array(microphone[index * Self.quantum..<(index + 1) * Self.quantum])).voice
    }
    return voice
  }

  private func largestStep(_ samples: [Float]) -> Float { zip(samples.dropFirst(), samples).reduce(0) { max($0, abs($1.0 - $1.1)) } }

  /// The largest difference, from frame `start` on, between `sound` and the input `delay` frames earlier times `gain`.
  private func difference(_ sound: [Float], _ input: [Float], delay: Int, gain: Float, from start: Int) -> Float {
    (start..<sound.count).reduce(0) { max($0, abs(sound[$1] - gain * input[$1 - delay])) }
  }

  @Test("O9 L7: an amplifier of swh-plugins is as loud as it is set, live, and comes and goes without a click")
  func amplifier() throws {
    let renderer = try renderer()
    let input = Self.tone(64 * Self.quantum)
    var out = try voice(renderer, input)
    let status = try renderer.plugIns.add(PlugInAddress("amp_1181:amp"), to: .capture, settings: ["amps gain (db)": -6.0206])
    #expect(status.id == "amp" && status.plugIn.isHardRealtime && status.latency == 0 && !status.isBroken)
    let halved = try voice(renderer, input)
    #expect(difference(halved, input, delay: 0, gain: 0.5, from: 4_096) < 1e-4)
    try renderer.plugIns.set("amp", ["Amps gain (dB)": 0])
    let whole = try voice(renderer, input)
    #expect(difference(whole, input, delay: 0, gain: 1, from: 4_096) < 1e-5)
    try renderer.plugIns.set("amp", ["Amps gain (dB)": -6.0206])
    _ = try voice(renderer, input)
    out += halved
    #expect(renderer.plugIns.remove("amp") && !renderer.plugIns.remove("amp"))
    let after = try voice(renderer, input)
    #expect(difference(after, input, delay: 0, gain: 1, from: 4_096) == 0)
    // The tone's own step is 0.0031, the fade's over 480 frames 0.0003.
    #expect(largestStep(out) < 0.0045 && largestStep(after) < 0.0045)
    #expect(renderer.plugIns.status.isEmpty)
  }

  @Test("O9 V8: the latency port of swh-plugins' lookahead limiter is part of the declared latency, and true")
  func limiter() throws {
    let renderer = try renderer()
    let status = try renderer.plugIns.add(
      PlugInAddress("fast_lookahead_limiter_1913:fastLookaheadLimiter"), to: .render, settings: ["Limit (dB)": 0])
    #expect(status.latency > 0 && renderer.renderStages.latency == status.latency)
    let input = noise(frames: 64 * Self.quantum, level: 0.25)
    var speaker: [Float] = []
    for index in 0..<64 {
      let block = Array(input[index * Self.quantum..<(index + 1) * Self.quantum])
      speaker += try renderer.cycle(microphone: block, call: StereoBlock(left: block, right: block)).speaker.left
    }
    // Below its limit the limiter is a delay.
    #expect(difference(speaker, input, delay: renderer.renderStages.latency, gain: 1, from: 4_096) < 1e-3)
    renderer.plugIns.remove(status.id)
    #expect(renderer.renderStages.latency == 0)
  }

  @Test("O9: a mono plug-in runs once per side of the speaker, a stereo one on both", arguments: [true, false])
  func sides(isHardRealtime: Bool) throws {
    let renderer = try renderer()
    let (left, right) = (noise(frames: 64 * Self.quantum, level: 0.25), noise(frames: 64 * Self.quantum, level: 0.25, seed: 7))
    let mono = try make { ($0.delay, $0.isHardRealtime) = (100, isHardRealtime) }
    let stereo = try make { ($0.isStereo, $0.isHardRealtime) = (true, isHardRealtime) }
    try renderer.plugIns.add(mono, to: .render, settings: ["Gain": 0.5])
    try renderer.plugIns.add(stereo, to: .render)
    #expect(renderer.plugIns.status.map(\.id) == ["test", "test-2"])
    var speaker: (left: [Float], right: [Float]) = ([], [])
    for index in 0..<64 {
      let range = index * Self.quantum..<(index + 1) * Self.quantum
      let cycle = try renderer.cycle(
        microphone: [Float](repeating: 0, count: Self.quantum), call: StereoBlock(left: Array(left[range]), right: Array(right[range])))
      speaker.left += cycle.speaker.left
      speaker.right += cycle.speaker.right
    }
    let delay = renderer.renderStages.latency
    #expect(isHardRealtime ? delay == 100 : delay > 580)
    #expect(difference(speaker.left, right, delay: delay, gain: 0.5, from: 12_000) < 1e-6)
    #expect(difference(speaker.right, left, delay: delay, gain: 0.5, from: 12_000) < 1e-6)
  }

  @Test(
    "O9 V8: a plug-in that is not hard-realtime runs on the worker with a constant latency, declared and true, and without a gap or a click"
  )
  func worker() throws {
    let renderer = try renderer()
    let input = Self.tone(200 * Self.quantum)
    let address = try make { ($0.delay, $0.isHardRealtime) = (240, false) }
    var delays: Set<Int> = []
    let out = try voice(renderer, input) { index in
      if index == 20 { try renderer.plugIns.add(address, to: .capture, settings: ["Gain": 1]) }
      if index == 120 { try renderer.plugIns.set("test", ["Gain": 0.5]) }
      if index > 22 { delays.insert(renderer.captureStages.latency) }
    }
    let delay = try #require(delays.first)
    #expect(delays.count == 1 && delay > 240 + 480)
    #expect(difference(Array(out[..<(119 * Self.quantum)]), input, delay: delay, gain: 1, from: 60 * Self.quantum) < 1e-6)
    #expect(difference(out, input, delay: delay, gain: 0.5, from: 150 * Self.quantum) < 1e-6)
    #expect(renderer.plugIns.status[0].lateBlocks == 0)
    let before = Array(out[..<(119 * Self.quantum)])
    #expect(largestStep(before) < 0.0045, "\(largestStep(before))")
  }

  @Test(
    "O9: RNNoise as a plug-in takes a room's noise, and leaves the talker, without a late block",
    .enabled(if: RNNoisePlugIn.isThere, Comment(rawValue: RNNoisePlugIn.reason)))
  func rnnoise() throws {
    let rate = 48_000
    let renderer = try renderer()
    let talker = [Float](repeating: 0, count: 3 * rate / 2) + (try Speech(.nearEnd, rate: rate).samples.prefix(5 * rate / 2))
    var generator = SeededGenerator(seed: 3)
    let microphone = talker.map { $0 + Float(0.01 * generator.gaussian()) }
    try renderer.plugIns.add(
      PlugInAddress("\(RNNoisePlugIn.folder)/librnnoise_ladspa.so:noise_suppressor_mono"), to: .capture,
      settings: ["VAD Threshold (%)": 50])
    let out = try voice(renderer, microphone)
    let status = try #require(renderer.plugIns.status.first)
    #expect(!status.isBroken && status.lateBlocks == 0, "\(status)")
    let (pause, talks) = (rate / 2..<5 * rate / 4, 2 * rate..<out.count)
    let left = Measures.level(out[pause]) - Measures.level(microphone[pause])
    let change =
      (Measures.activeLevel(Array(out[talks]), rate: rate) ?? -120) - (Measures.activeLevel(Array(talker[talks]), rate: rate) ?? 0)
    let lag = try #require(Measures.lag(of: out, after: talker, most: rate / 5))
    print("O9: RNNoise leaves \(left) dB of noise, \(change) dB of the talker, \(lag), \(renderer.captureStages.latency) frames declared")
    #expect(left < -20)
    #expect(abs(change) < 3)
    #expect(lag.correlation > 0.8)
    // RNNoise has no port to report its own 10 ms.
    #expect(abs(lag.frames - renderer.captureStages.latency - 480) < 48)
  }

  @Test("O9: a plug-in that puts out NaN is bypassed, and says so; its input passes", arguments: [true, false])
  func noNumber(isHardRealtime: Bool) throws {
    let renderer = try renderer()
    let input = noise(frames: 120 * Self.quantum, level: 0.25)
    let address = try make { ($0.nanFrom, $0.isHardRealtime) = (6_000, isHardRealtime) }
    try renderer.plugIns.add(address, to: .capture, id: "broken", settings: ["Gain": 0.5])
    let out = try voice(renderer, input)
    #expect(out.allSatisfy { $0.isFinite })
    #expect(difference(out, input, delay: 0, gain: 1, from: 20_000) == 0)
    #expect(renderer.plugIns.status.map(\.isBroken) == [true])
    #expect(renderer.captureStages.latency == 0)
  }

  @Test("O9: each rate gets an instance of the plug-in, with the same settings")
  func rate() throws {
    let renderer = try renderer()
    try renderer.plugIns.add(make { $0.delay = 10 }, to: .capture, settings: ["Gain": 0.5])
    _ = try voice(renderer, noise(frames: 8 * Self.quantum, level: 0.25))
    try renderer.setRate(44_100)
    let input = noise(frames: 20 * Self.quantum, level: 0.25)
    #expect(difference(try voice(renderer, input), input, delay: 10, gain: 0.5, from: 2_000) < 1e-6)
    #expect(renderer.plugIns.status[0].rate == 44_100)
  }

  @Test("O9: a plug-in setting out of range at one sample rate is clamped at that rate only")
  func bounded() throws {
    let renderer = try renderer()
    try renderer.plugIns.add(make { $0.isRateRelative = true }, to: .capture, settings: ["Gain": 1.5])
    func gain() throws -> Double {
      _ = try voice(renderer, noise(frames: 8 * Self.quantum, level: 0.25))
      return try #require(renderer.plugIns.status.first?.settings.first)
    }
    #expect(try gain() == 1.5)
    try renderer.setRate(16_000)
    #expect(try abs(gain() - 2.0 / 3) < 1e-6)
    try renderer.setRate(48_000)
    #expect(try gain() == 1.5)
  }

  @Test(
    "O9: nothing that a worker's plug-in still held when nobody took the voice any more is heard in the next call", arguments: [0, 8_000])
  func nextCall(delay: Int) throws {
    let renderer = try renderer()
    try renderer.plugIns.add(make { ($0.delay, $0.isHardRealtime) = (delay, false) }, to: .capture)
    let call = try voice(renderer, noise(frames: 100 * Self.quantum, level: 0.25))
    #expect(call.suffix(1_000).contains { $0 != 0 })
    renderer.isSending = false
    _ = try voice(renderer, noise(frames: Self.quantum, level: 0.25))
    renderer.isSending = true
    let next = try voice(renderer, [Float](repeating: 0, count: 100 * Self.quantum))
    #expect(next.allSatisfy { $0 == 0 })
  }

  @Test("O9: a trial validates settings as the rack does: case-insensitive port names, values in range")
  func tried() throws {
    let path = try PlugInLibrary.find("amp_1181", [:])
    func error(_ settings: [String: Double]) -> String? {
      PlugInFacts.gather(path: path, label: "amp", rate: 48_000, settings: settings) { _ in }.error
    }
    #expect(error(["amps GAIN (db)": -6]) == nil)
    #expect(error(["amps GAIN (db)": 99])?.contains("give a number from -70 to 70") == true)
    #expect(error(["Volume": 1])?.contains("has no port 'Volume'") == true)
  }

  @Test("O9: invalid plug-in requests are refused with port, range and remedy, and change nothing")
  func refusals() throws {
    let rack = try renderer().plugIns
    func refusal(_ body: () throws -> Void) -> String {
      do { try body() } catch { return "\(error)" }
      return ""
    }
    let amp = try PlugInAddress("amp_1181:amp")
    #expect(
      refusal { try rack.add(amp, to: .capture, settings: ["Amps gain (dB)": 71]) }.contains(
        "'Amps gain (dB)' cannot be 71: give a number from -70 to 70"))
    #expect(refusal { try rack.add(amp, to: .capture, settings: ["Amps gain (dB)": .nan]) }.contains("give a number from -70 to 70"))
    #expect(
      refusal { try rack.add(amp, to: .capture, settings: ["Volume": 1]) }.contains(
        "'amp' has no port 'Volume'; there are: 'Amps gain (dB)'"))
    #expect(refusal { try rack.add(PlugInAddress("amp_1181:nosuch"), to: .capture) }.contains("there are: amp"))
    #expect(refusal { try rack.add(PlugInAddress("nosuch:amp"), to: .capture) }.contains("no LADSPA library 'nosuch' in"))
    let limiter = try PlugInAddress("fast_lookahead_limiter_1913:fastLookaheadLimiter")
    #expect(refusal { try rack.add(limiter, to: .capture) }.contains("choose a mono one"))
    #expect(
      refusal { try rack.add(PlugInAddress("/etc/passwd:x"), to: .capture) }.contains("/etc/passwd cannot be used as a LADSPA library"))
    #expect(refusal { try rack.add(amp, to: .capture, id: "a b") }.contains("give 1 to 64 letters"))
    #expect(refusal { try rack.set("nosuch", [:]) }.contains("there is no stage 'nosuch'"))
    #expect(refusal { try rack.add(make { ($0.delay, $0.isHardRealtime) = (10_000, false) }, to: .capture) }.contains("8192 are the most"))
    #expect(rack.status.isEmpty)
    try rack.add(amp, to: .capture, id: "quiet")
    #expect(refusal { try rack.add(amp, to: .render, id: "quiet") }.contains("there is a stage 'quiet' already"))
    #expect(refusal { try rack.set("quiet", ["Amps gain (dB)": -71]) }.contains("from -70 to 70"))
    #expect(rack.status.map(\.settings) == [[0]])
  }

  @Test("O9: LADSPA_PATH is looked in first")
  func path() throws {
    let address = try make { _ in }
    let name = URL(fileURLWithPath: address.file).deletingPathExtension().lastPathComponent
    let found = try PlugInLibrary.find(name, ["LADSPA_PATH": "/nonexistent:\(folder.path)"])
    #expect(found == address.file)
    #expect(try PlugInLibrary.find("amp_1181.so", [:]) == PlugInLibrary.find("amp_1181", ["LADSPA_PATH": folder.path]))
  }
}
