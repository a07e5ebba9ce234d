import TestSupport
import Testing

@testable import RealtimeCore

@Suite("Hearing oneself")
struct AuditionTests {
  private static let quantum = 240

  /// Noise that never repeats, from frame `first` on.
  private static func noise(_ first: Int, _ count: Int = quantum) -> [Float] {
    (first..<first + count).map { 0.2 * Float(Int(truncatingIfNeeded: ($0 &* 2_654_435_761) & 0xffff) - 32_768) / 32_768 }
  }

  /// Runs cycles with noise in the microphone while `condition` holds, at most 400; returns what others heard.
  private func run(_ rig: CoreRig, from frame: inout Int, while condition: () -> Bool) -> [Float] {
    var heard: [Float] = []
    var cycles = 0
    while condition(), cycles < 400 {
      rig.cycle(Self.noise(frame))
      heard += rig.voice
      frame += Self.quantum
      cycles += 1
    }
    return heard
  }

  /// Runs cycles of `frames` frames in all.
  private func run(_ rig: CoreRig, from frame: inout Int, frames: Int) -> [Float] {
    var left = frames / Self.quantum
    return run(rig, from: &frame) {
      left -= 1
      return left >= 0
    }
  }

  @Test("D1: the microphone is recorded and played back bit by bit but for its ends; others hear nothing from the first to the last cycle")
  func recordsAndPlays() throws {
    let rig = try CoreRig()
    var frame = 0, heard: [Float] = []
    func cycles(_ count: Int) {
      for _ in 0..<count {
        rig.cycle(Self.noise(frame))
        heard += rig.voice
        frame += Self.quantum
      }
    }
    cycles(10)
    #expect(heard.suffix(Self.quantum).elementsEqual(Self.noise(frame - Self.quantum)), "others hear it before")
    rig.core.controls.isAuditioned = true
    cycles(2)
    let first = frame
    rig.core.audition.record(seconds: 0.1, rate: 48_000)
    heard = run(rig, from: &frame) { !rig.core.audition.recorded.isComplete }
    #expect(rig.core.audition.recorded.frames == 4_800)
    let (begin, played) = (rig.played.count, Array(Self.noise(first, 4_800)))
    rig.core.audition.play(.microphone)
    heard += run(rig, from: &frame) { !rig.core.audition.hasPlayed(.microphone) }
    let speaker = Array(rig.played[begin...])
    #expect(speaker[480..<4_320].elementsEqual(played[480..<4_320]))
    #expect(abs(speaker[0]) < 0.001 && abs(speaker[4_799]) < 0.001, "it fades in and out")
    let second = rig.played.count
    rig.core.audition.play(.voice)
    heard += run(rig, from: &frame) { !rig.core.audition.hasPlayed(.voice) }
    // Voice processing is off: the voice is the microphone.
    #expect(rig.played[(second + 480)..<(second + 4_320)].elementsEqual(played[480..<4_320]))
    #expect(heard.allSatisfy { $0 == 0 })
    rig.core.audition.end()
    rig.core.controls.isAuditioned = false
    #expect(!rig.core.audition.holdsRecording)
    cycles(3)
    #expect(rig.voice == Self.noise(frame - Self.quantum), "others hear it again")
    #expect(rig.lastSpeaker?.allSatisfy { $0 == 0 } == true)
  }

  @Test("V8: with voice processing both tracks are in step, whatever the quantum", arguments: [64, 256, 1_024])
  func inStep(quantum: Int) throws {
    let rig = try CoreRig()
    rig.core.controls.usesVoiceProcessing = true
    // As it is, at the processing's latency.
    rig.core.controls.isBypassed = true
    rig.core.controls.isAuditioned = true
    var frame = 0
    func cycle() {
      rig.cycle(Self.noise(frame, quantum))
      frame += quantum
    }
    for _ in 0..<48_000 / quantum { cycle() }
    rig.core.audition.record(seconds: 0.3, rate: 48_000, voiceGain: 0.5)
    while !rig.core.audition.recorded.isComplete, frame < 480_000 { cycle() }
    let tracks = try #require(rig.core.audition.measure { microphone, voice, _ in [Array(microphone), Array(voice)] })
    #expect(tracks[0].count == 14_400 && tracks[1].count == 14_400)
    let difference = zip(tracks[0], tracks[1]).reduce(0) { max($0, abs(0.5 * $1.0 - $1.1)) }
    #expect(difference < 1e-4, "\(difference)")
  }

  @Test(
    "D1: a mute, in front of or behind the processing, keeps nobody from hearing themselves, and lets nothing out afterwards",
    arguments: [false, true])
  func muted(mutesInput: Bool) throws {
    let rig = try CoreRig()
    rig.core.controls.usesVoiceProcessing = true
    rig.core.controls.isNoiseSuppressionEnabled = false
    rig.core.controls.mutesInput = mutesInput
    rig.core.controls.isMicrophoneMuted = true
    var frame = 0
    var heard = run(rig, from: &frame, frames: 48_000)
    rig.core.controls.isAuditioned = true
    heard += run(rig, from: &frame, frames: 24_000)
    rig.core.audition.record(seconds: 0.2, rate: 48_000)
    heard += run(rig, from: &frame) { !rig.core.audition.recorded.isComplete }
    let voice = try #require(rig.core.audition.measure { _, voice, _ in voice.reduce(0) { max($0, abs($1)) } })
    #expect(voice > 0.05)
    #expect(!rig.core.isTalkingWhileMuted)
    rig.core.audition.end()
    rig.core.controls.isAuditioned = false
    heard += run(rig, from: &frame, frames: 48_000)
    #expect(heard.allSatisfy { $0 == 0 }, "\(heard.filter { $0 != 0 }.count) samples got out")
    rig.core.controls.isMicrophoneMuted = false
    _ = run(rig, from: &frame, frames: 24_000)
    #expect(rig.voice.contains { abs($0) > 0.01 }, "and others hear it once it is not muted")
  }

  @Test("D4: what programs play into the microphone waits meanwhile, and what is ended early falls silent without a step")
  func early() throws {
    let rig = try CoreRig()
    rig.core.controls.isAuditioned = true
    #expect(
      rig.core.capture(
        appAudio: try AppAudioBuffer(interleaved: [Float](repeating: 0.3, count: 9_600), sampleRate: 48_000, channelCount: 1)))
    var frame = 0
    rig.core.audition.record(seconds: 0.2, rate: 48_000)
    let heard = run(rig, from: &frame) { !rig.core.audition.recorded.isComplete }
    #expect(heard.allSatisfy { $0 == 0 })
    rig.core.audition.play(.microphone)
    _ = run(rig, from: &frame, frames: 2_400)
    rig.core.audition.play(nil)
    let stopped = rig.played.count
    _ = run(rig, from: &frame, frames: 960)
    #expect(rig.played[stopped..<stopped + 100].contains { abs($0) > 0.05 }, "it fades")
    #expect(rig.played[(stopped + 480)...].allSatisfy { $0 == 0 })
    rig.core.audition.end()
    rig.core.controls.isAuditioned = false
    #expect(run(rig, from: &frame, frames: 4_800).contains { abs($0) > 0.25 }, "what waited is heard")
  }

  @Test("V9: a graph of another rate neither records nor plays")
  func otherRate() throws {
    let rig = try CoreRig()
    rig.core.audition.record(seconds: 0.1, rate: 44_100)
    var frame = 0
    _ = run(rig, from: &frame, frames: 9_600)
    #expect(rig.core.audition.recorded.frames == 0)
    #expect(rig.core.audition.measure { _, _, _ in true } == nil)
    rig.core.audition.play(.microphone)
    _ = run(rig, from: &frame, frames: 9_600)
    #expect(rig.played.allSatisfy { $0 == 0 })
  }
}
