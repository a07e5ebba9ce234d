import Foundation
import Testing
import TestSupport

@testable import RealtimeCore

/// The mute modes as the audio thread sees them; `restart` also removes the microphone.
enum MuteMode: String, CaseIterable, Sendable { case voiceProcessing, restart, inputMixer }

@Suite("Mute")
struct MuteTests {
  static let rate = 48_000
  static let quanta = [32, 64, 128, 256, 480, 1024]

  /// The raw microphone at the processed voice's latency, so that the output is known to the sample.
  private static func path(_ mode: MuteMode, _ engine: EchoCanceller = .nearend) throws -> CaptureRun {
    try CaptureRun(engine: engine, rate: rate) { controls in
      controls.isBypassed = true
      controls.mutesInput = mode == .inputMixer
    }
  }

  /// Runs cycles; `isMuted` is set before each. In mode restart the microphone is gone two cycles after the mute and back two cycles after
  /// its end, sooner than in any graph.
  private static func run(_ path: inout CaptureRun, _ mode: MuteMode, _ microphone: [Float], quantum: Int, isMuted: (Int) -> Bool)
    -> [Float]
  {
    var voice: [Float] = []
    var history = [false, false]
    for cycle in 0..<microphone.count / quantum {
      path.controls.isMicrophoneMuted = isMuted(cycle)
      history.append(isMuted(cycle))
      let isGone = mode == .restart && history[history.count - 3]
      let part = Array(microphone[cycle * quantum..<(cycle + 1) * quantum])
      voice += isGone ? path.processNothing(frames: quantum, quantum: quantum) : path.process(part, quantum: quantum)
    }
    return voice
  }

  @Test("D1, V9: a capture path made for another rate before the mute, and used after it, lets nothing through")
  func mutedBeforeItBegins() throws {
    let rig = try CoreRig()
    let sound = [Float](repeating: 0.25, count: 960)
    rig.rate = 96_000
    rig.cycle(sound)
    try rig.renewCapturePath()
    rig.core.controls.isMicrophoneMuted = true
    rig.cycle(sound)
    #expect(rig.voice.allSatisfy { $0 == 0 })
    rig.core.controls.isMicrophoneMuted = false
    for _ in 0..<2 { rig.cycle(sound) }
    #expect(rig.voice == sound)
  }

  @Test(
    "D1: voiceProcessing and restart are silent within one cycle; inputMixer when the last sound has come through", arguments: quanta,
    MuteMode.allCases)
  func timeToMute(quantum: Int, mode: MuteMode) throws {
    var path = try Self.path(mode)
    let microphone = CaptureSignals.noise(seconds: 1, rate: Self.rate, level: -20)
    let cycles = microphone.count / quantum
    let (muteAt, unmuteAt) = (cycles / 3, 2 * cycles / 3)
    let voice = Self.run(&path, mode, microphone, quantum: quantum) { $0 >= muteAt && $0 < unmuteAt }
    let (from, to) = (muteAt * quantum, unmuteAt * quantum)
    let latency = path.latency(quantum: quantum)
    // Exact silence, from its first frame to the unmute.
    let mute = to - from - voice[from..<to].reversed().prefix { $0 == 0 }.count
    let unmute = voice[to...].prefix { $0 == 0 }.count
    let full =
      voice[to...].indices.first { voice[$0] == microphone[$0 - latency] && voice[$0] != 0 && microphone[$0] != 0 }.map { $0 - to } ?? -1
    print("D1 \(mode.rawValue) quantum \(quantum): silent after \(mute), heard again after \(unmute), whole after \(full) frames")
    switch mode {
    case .voiceProcessing, .restart: #expect(mute <= quantum)
    case .inputMixer: #expect(mute <= latency + 2 * quantum)
    }
    #expect(full >= 0 && full <= latency + 4 * quantum + Self.rate / 50, "whole after \(full) frames")
    switch mode {
    case .voiceProcessing: #expect(unmute <= 4)
    // Counted from the microphone's return, two cycles later.
    case .restart: #expect(unmute <= latency + 2 * quantum + 4)
    case .inputMixer: #expect(unmute <= latency + 4)
    }
  }

  /// The level above 5 kHz, where a tone of 300 Hz has no power: the largest sample within 20 ms around each change.
  private static func clicks(_ voice: [Float], at changes: [Int], latency: Int) -> [Float] {
    let high = CaptureSignals.high(of: voice, rate: rate)
    return changes.map { change in high[change..<min(change + latency + 2_400, high.count)].reduce(0) { max($0, abs($1)) } }
  }

  /// The level at which a click is audible: 60 dB below the tone's peak.
  private static let audible: Float = 0.0005

  @Test(
    "D1: 200 toggles, no click above 5 kHz; the same measure finds each of 200 hard cuts", arguments: MuteMode.allCases,
    [(quantum: 256, engine: EchoCanceller.nearend), (480, .webrtc)])
  func noClicks(mode: MuteMode, cycles: (quantum: Int, engine: EchoCanceller)) throws {
    let quantum = cycles.quantum
    var path = try Self.path(mode, cycles.engine)
    // 300 Hz, which repeats every 160 frames; no quantum is a multiple of that.
    let tone = sine(300, frames: 200 * 9_600 + 48_000, level: 0.5)
    let first = 24_000 / quantum, every = 9_600 / quantum + 1
    let toggles = (0..<200).map { first + $0 * every }.filter { ($0 + every) * quantum < tone.count }
    let voice = Self.run(&path, mode, tone, quantum: quantum) { cycle in cycle >= first && ((cycle - first) / every) % 2 == 0 }
    let changes = toggles.map { $0 * quantum }
    let latency = path.latency(quantum: quantum)
    let loudness = Self.clicks(voice, at: changes, latency: latency)
    let heard = loudness.count { $0 > Self.audible }
    print(
      "D1 \(mode.rawValue) quantum \(quantum): \(changes.count) toggles, the loudest \(20 * log10(loudness.max()! / 0.5)) dB above 5 kHz")
    #expect(changes.count >= 190)
    #expect(heard == 0, "\(heard) clicks, the loudest \(loudness.max()!)")
    // There is sound before and after each change.
    #expect(changes.allSatisfy { change in voice[change..<min(change + every * quantum, voice.count)].contains { abs($0) > 0.2 } })

    let cut = tone.indices.map { frame in
      let cycle = frame / quantum
      return cycle >= first && ((cycle - first) / every) % 2 == 0 ? 0 : tone[frame]
    }
    let cuts = Self.clicks(cut, at: changes, latency: 0).count { $0 > Self.audible }
    #expect(cuts > 180, "the measure finds only \(cuts) hard cuts")
  }

  @Test("S8: a voice that is held is silent, and whole again within one cycle")
  func held() throws {
    var path = try Self.path(.voiceProcessing)
    path.controls.isVoiceOnlyPrepared = true
    let microphone = CaptureSignals.noise(seconds: 0.5, rate: Self.rate, level: -20)
    let silent = path.process(microphone, quantum: 256)
    #expect(silent[256...].allSatisfy { $0 == 0 })
    path.controls.isVoiceOnlyPrepared = false
    let voice = path.process(microphone, quantum: 256)
    #expect(voice[..<256].contains { abs($0) > 0.01 })
  }

  // MARK: Talking while muted

  private static let talk = CaptureSignals.speech(seconds: 4, rate: rate, level: -30)

  /// Returns whether talking was detected in any cycle, and from which second on.
  private static func notices(
    _ engine: EchoCanceller, _ mode: MuteMode, _ microphone: [Float], reference: [Float]? = nil, mutedFrom: Double = 0,
    usesVoiceProcessing: Bool = true, turned: (time: Double, gain: Double)? = nil
  ) throws -> Double? {
    var run = try CaptureRun(engine: engine, rate: rate) { controls in
      controls.mutesInput = mode == .inputMixer
      controls.usesVoiceProcessing = usesVoiceProcessing
    }
    let meters = run.meters
    var noticed: Double?
    _ = run.process(microphone, reference: reference, quantum: 480) { start, controls in
      let time = Double(start) / Double(rate)
      controls.isMicrophoneMuted = time >= mutedFrom
      if let turned, time >= turned.time { controls.speakerGain = turned.gain }
      if meters.snapshot().isTalkingWhileMuted, noticed == nil { noticed = time }
    }
    return noticed
  }

  @Test(
    "D2: talking into the muted microphone is noticed within a second", arguments: [MuteMode.voiceProcessing, .inputMixer],
    EchoCanceller.engines)
  func talkingIsNoticed(mode: MuteMode, engine: EchoCanceller) throws {
    let quiet = CaptureSignals.noise(seconds: 1, rate: Self.rate, level: -75)
    let noticed = try #require(try Self.notices(engine, mode, quiet + Self.talk, mutedFrom: 0.5))
    #expect(noticed > 1.25 && noticed < 2.2, "at \(noticed) s")
  }

  @Test(
    "D2: not detected: silence, a cough, talking before the mute, and anything with voice processing off", arguments: EchoCanceller.engines)
  func restIsNot(engine: EchoCanceller) throws {
    let quiet = CaptureSignals.noise(seconds: 1, rate: Self.rate, level: -75)
    let cough = Array(Self.talk[..<7_200])
    for mode in [MuteMode.voiceProcessing, .inputMixer] {
      #expect(try Self.notices(engine, mode, quiet + quiet + quiet) == nil)
      #expect(try Self.notices(engine, mode, quiet + cough + quiet + quiet) == nil)
      #expect(try Self.notices(engine, mode, quiet + Self.talk + quiet + quiet + quiet, mutedFrom: 6) == nil)
      #expect(try Self.notices(engine, mode, quiet + Self.talk, usesVoiceProcessing: false) == nil)
    }
  }

  private static let mutes: [(mode: MuteMode, from: Double)] = [
    (.voiceProcessing, 0), (.voiceProcessing, 6), (.inputMixer, 0), (.inputMixer, 6),
  ]

  @Test(
    "D2: the far end's echo alone is never taken for talking, from the first second on",
    arguments: mutes, EchoCanceller.engines)
  func echoIsNot(mute: (mode: MuteMode, from: Double), engine: EchoCanceller) throws {
    let (mode, mutedFrom) = mute
    let far = CaptureSignals.speech(seconds: 12, rate: Self.rate, level: -26, seed: 9)
    let echo = CaptureSignals.room(far, rate: Self.rate, delay: 2_000, gain: 0.5)
    let noise = CaptureSignals.noise(seconds: 12, rate: Self.rate, level: -70)
    let microphone = zip(echo, noise).map { $0 + $1 }
    #expect(try Self.notices(engine, mode, microphone, reference: far, mutedFrom: mutedFrom) == nil)
  }

  @Test("D2: nor is one that comes too late for the canceller", arguments: [MuteMode.voiceProcessing, .inputMixer], EchoCanceller.engines)
  func lateEchoIsNot(mode: MuteMode, engine: EchoCanceller) throws {
    let far = CaptureSignals.speech(seconds: 20, rate: Self.rate, level: -26, seed: 9)
    let echo = CaptureSignals.room(far, rate: Self.rate, delay: Self.rate * 7 / 10, gain: 0.5)
    let noise = CaptureSignals.noise(seconds: 20, rate: Self.rate, level: -70)
    #expect(try Self.notices(engine, mode, zip(echo, noise).map { $0 + $1 }, reference: far, mutedFrom: 10) == nil)
  }

  @Test("D2: nor when the speaker is turned up by 20 dB meanwhile", arguments: EchoCanceller.engines)
  func louderEchoIsNot(engine: EchoCanceller) throws {
    let far = CaptureSignals.speech(seconds: 12, rate: Self.rate, level: -26, seed: 9)
    let echo = CaptureSignals.room(far, rate: Self.rate, delay: 2_000, gain: 0.1), turn = 8 * Self.rate
    let noise = CaptureSignals.noise(seconds: 12, rate: Self.rate, level: -70)
    let microphone = echo.indices.map { echo[$0] * ($0 >= turn ? 10 : 1) + noise[$0] }
    #expect(try Self.notices(engine, .inputMixer, microphone, reference: far, mutedFrom: 6) != nil, "the case shows nothing")
    #expect(try Self.notices(engine, .inputMixer, microphone, reference: far, mutedFrom: 6, turned: (8, 10)) == nil)
  }

  @Test(
    "D2: talking over the far end is noticed, once the echo is known", arguments: [MuteMode.voiceProcessing, .inputMixer],
    EchoCanceller.engines)
  func doubleTalk(mode: MuteMode, engine: EchoCanceller) throws {
    let far = CaptureSignals.speech(seconds: 14, rate: Self.rate, level: -30, seed: 9)
    let echo = CaptureSignals.room(far, rate: Self.rate, delay: 2_000, gain: 0.25)
    let near = [Float](repeating: 0, count: 9 * Self.rate) + CaptureSignals.speech(seconds: 5, rate: Self.rate, level: -20, seed: 3)
    let microphone = zip(echo, near).map { $0 + $1 }
    let noticed = try #require(try Self.notices(engine, mode, microphone, reference: far, mutedFrom: 8))
    #expect(noticed > 9)
  }

  @Test("D2: talking over a far end in headphones is noticed", arguments: [MuteMode.voiceProcessing, .inputMixer], EchoCanceller.engines)
  func headphones(mode: MuteMode, engine: EchoCanceller) throws {
    let far = CaptureSignals.speech(seconds: 14, rate: Self.rate, level: -30, seed: 9)
    let noise = CaptureSignals.noise(seconds: 14, rate: Self.rate, level: -65)
    let near = [Float](repeating: 0, count: 9 * Self.rate) + CaptureSignals.speech(seconds: 5, rate: Self.rate, level: -26, seed: 3)
    let microphone = zip(noise, near).map { $0 + $1 }
    let noticed = try #require(try Self.notices(engine, mode, microphone, reference: far, mutedFrom: 8))
    #expect(noticed > 9)
  }
}
