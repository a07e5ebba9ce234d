import Foundation
import Synchronization
import TestSupport
import Testing

@testable import RealtimeCore

@Suite("Application audio into the microphone")
struct AppAudioTests {
  private static let quantum = 256
  private static func tone(_ frequency: Double, rate: Int, seconds: Double, level: Double = 0.25) -> [Double] {
    sine(frequency, frames: Int(seconds * Double(rate)), rate: rate, level: level).map(Double.init)
  }

  /// Runs cycles of a core with voice processing off: everything besides the microphone in the output is application audio.
  private static func run(_ rig: CoreRig, cycles: Int, microphone: Float = 0) -> (voice: [Float], left: [Float]) {
    var (voice, left): ([Float], [Float]) = ([], [])
    for _ in 0..<cycles {
      left += rig.cycle([Float](repeating: microphone, count: quantum)).left
      voice += rig.voice
    }
    return (voice, left)
  }

  /// Amplitude of one frequency in the second half of a signal.
  private static func amplitude(_ signal: [Float], _ frequency: Double) -> Double {
    Measures.amplitude(ofTone: frequency, in: signal.suffix(9_600), rate: 48_000)
  }

  private static func buffers() throws -> [(String, AppAudioBuffer)] {
    var all: [(String, AppAudioBuffer)] = []
    for rate in [8_000, 44_100, 48_000, 96_000, 192_000] {
      let tone = tone(1_000, rate: rate, seconds: 1)
      all.append(
        ("Int16 mono \(rate)", try AppAudioBuffer(interleaved: tone.map { Int16($0 * 32_767) }, sampleRate: rate, channelCount: 1)))
      all.append(
        (
          "Int32 stereo \(rate)",
          try AppAudioBuffer(
            interleaved: tone.flatMap { [Int32($0 * 2_147_483_647), Int32($0 * 2_147_483_647)] }, sampleRate: rate, channelCount: 2)
        ))
      all.append(
        (
          "Float planar 6 channels \(rate)",
          try AppAudioBuffer(planar: [[Float]](repeating: tone.map { Float($0) }, count: 6), sampleRate: rate)
        ))
      all.append(("Double planar \(rate)", try AppAudioBuffer(planar: [tone], sampleRate: rate)))
    }
    return all
  }

  @Test("D4: any rate, sample type and channel count comes out as the tone that went in")
  func anyFormat() throws {
    for (name, buffer) in try Self.buffers() {
      let rig = try CoreRig()
      #expect(rig.core.capture(appAudio: buffer), "\(name)")
      let voice = Self.run(rig, cycles: 120).voice
      let amplitude = Self.amplitude(voice, 1_000)
      #expect(abs(20 * log10(amplitude / 0.25)) < 0.2, "\(name): \(amplitude)")
    }
  }

  @Test("D4: impossible buffers are refused with a reason, and none of their audio is captured")
  func impossible() throws {
    for rate in [Int.min, 0, 7_999, 192_001] {
      #expect(throws: AppAudioError.impossibleSampleRate(rate)) {
        try AppAudioBuffer(interleaved: [Int16](), sampleRate: rate, channelCount: 1)
      }
    }
    for count in [-1, 65] {
      #expect(throws: AppAudioError.impossibleChannelCount(count)) {
        try AppAudioBuffer(interleaved: [Int32](), sampleRate: 48_000, channelCount: count)
      }
    }
    #expect(throws: AppAudioError.impossibleChannelCount(0)) { try AppAudioBuffer(planar: [[Double]](), sampleRate: 48_000) }
    #expect(throws: AppAudioError.impossibleChannelCount(0)) {
      try AppAudioBuffer(interleaved: [Float](), sampleRate: 48_000, channelCount: 0)
    }
    #expect(throws: AppAudioError.partialFrame(samples: 3, channels: 2)) {
      try AppAudioBuffer(interleaved: [0.0, 0, 0], sampleRate: 48_000, channelCount: 2)
    }
    #expect(throws: AppAudioError.unequalChannels) { try AppAudioBuffer(planar: [[Float(0)], []], sampleRate: 48_000) }
    let rig = try CoreRig()
    let bad = try AppAudioBuffer(
      interleaved: [Float](repeating: .nan, count: 24_000) + [.infinity, 1e30], sampleRate: 48_000, channelCount: 1)
    #expect(rig.core.capture(appAudio: bad))
    #expect(Self.run(rig, cycles: 120).voice.allSatisfy { abs($0) < 1e-3 })
    let empty = try AppAudioBuffer(interleaved: [Int16](), sampleRate: 8_000, channelCount: 9)
    #expect(empty.frameCount == 0 && rig.core.capture(appAudio: empty) && rig.core.appAudio.mixer.ringSinks.count == 1, "no stream begins")
    rig.core.isSending = false
    #expect(!rig.core.capture(appAudio: bad), "nobody takes the voice")
    rig.core.isSending = true
    let second = try AppAudioBuffer(planar: [[Float](repeating: 0, count: 48_000)], sampleRate: 48_000)
    rig.core.appAudio.endCapture()
    #expect(rig.core.capture(appAudio: second) && rig.core.capture(appAudio: second))
    #expect(!rig.core.capture(appAudio: second), "more than two seconds wait")
  }

  @Test("D4: with more than two channels, the left is the mean of the odd ones, the right that of the even ones")
  func manyChannels() throws {
    let frame: [Double] = [0.75, 0.25, 0.5, 0.25, 0.25, 0.25, 0.5, 0.25, 0.5]
    let nine = try AppAudioBuffer(interleaved: frame + frame.map { -$0 }, sampleRate: 48_000, channelCount: 9)
    let expected: [Float] = [0.5, 0.25, -0.5, -0.25]
    #expect(nine.channelCount == 2 && nine.frameCount == 2)
    #expect(nine.samples == expected)
    let three = try AppAudioBuffer(planar: [[Float(0.5)], [0.25], [.nan]], sampleRate: 48_000)
    #expect(three.samples == [0.25, 0.25])
  }

  @Test("S6 D5: switched off, nothing is captured, and the microphone's volume is 1 without a click")
  func switchedOff() throws {
    let rig = try CoreRig()
    rig.core.appAudio.micVolume = 0.5
    #expect(Self.run(rig, cycles: 80, microphone: 0.125).voice.last == 0.0625)
    rig.core.appAudio.isEnabled = false
    let voice = Self.run(rig, cycles: 10, microphone: 0.125).voice
    #expect(voice.last == 0.125 && rig.core.appAudio.micVolume == 0.5)
    #expect(zip(voice, voice.dropFirst()).allSatisfy { abs($1 - $0) < 0.001 })
    #expect(!rig.core.capture(appAudio: try AppAudioBuffer(interleaved: [Float(0)], sampleRate: 48_000, channelCount: 1)))
    rig.core.appAudio.isEnabled = true
    #expect(rig.core.capture(appAudio: try AppAudioBuffer(interleaved: [Float(0)], sampleRate: 48_000, channelCount: 1)))
  }

  @Test("D4 D1: application audio is heard with, without and despite a muted microphone, and leaves nothing behind")
  func besideTheMicrophone() throws {
    let rig = try CoreRig()
    let app = try AppAudioBuffer(planar: [Self.tone(1_000, rate: 48_000, seconds: 1)], sampleRate: 48_000)
    #expect(rig.core.capture(appAudio: app))
    let with = Self.run(rig, cycles: 80, microphone: 0.125).voice.suffix(4_800)
    #expect(abs(with.reduce(0, +) / 4_800 - 0.125) < 0.002)
    #expect(abs(Self.amplitude(Array(with), 1_000) - 0.25) < 0.01 || with.count < 9_600)
    rig.core.controls.isMicrophoneMuted = true
    let alone = Self.run(rig, cycles: 60, microphone: 0.125).voice
    #expect(abs(alone.suffix(4_800).reduce(0, +) / 4_800) < 0.002)
    #expect(Self.amplitude(alone, 1_000) > 0.24)
    rig.core.appAudio.endCapture()
    _ = Self.run(rig, cycles: 200)
    rig.core.appAudio.collect()
    #expect(rig.core.appAudio.mixer.ids.isEmpty)
    rig.core.controls.isMicrophoneMuted = false
    _ = Self.run(rig, cycles: 3, microphone: 0.125)
    #expect(Self.run(rig, cycles: 10, microphone: 0.125).voice.allSatisfy { $0 == 0.125 }, "bit by bit, once nothing is mixed in")
  }

  @Test("D5: micVolume and appVolume, without a click")
  func volumes() throws {
    let rig = try CoreRig()
    let app = try AppAudioBuffer(planar: [Self.tone(1_000, rate: 48_000, seconds: 2)], sampleRate: 48_000)
    #expect(rig.core.capture(appAudio: app))
    rig.core.appAudio.micVolume = 0.5
    rig.core.appAudio.appVolume = 0.5
    let voice = Self.run(rig, cycles: 120, microphone: 0.25).voice
    #expect(abs(voice.suffix(4_800).reduce(0, +) / 4_800 - 0.125) < 0.002)
    #expect(abs(Self.amplitude(voice, 1_000) - 0.125) < 0.005)
    rig.core.appAudio.micVolume = 0
    let quiet = Self.run(rig, cycles: 60, microphone: 0.25).voice
    let steps = zip(quiet, quiet.dropFirst()).map { abs($1 - $0) }.max()!
    #expect(steps < 0.02, "a step of \(steps)")
    #expect(abs(quiet.suffix(4_800).reduce(0, +) / 4_800) < 0.002)
  }

  @Test("D4: the sum of a loud voice and loud application audio stays within full scale, unclipped")
  func limiter() throws {
    let rig = try CoreRig()
    let app = try AppAudioBuffer(planar: [Self.tone(1_000, rate: 48_000, seconds: 2, level: 0.95)], sampleRate: 48_000)
    #expect(rig.core.capture(appAudio: app))
    _ = Self.run(rig, cycles: 40)
    let voice = Self.run(rig, cycles: 100, microphone: 0.9).voice
    #expect(voice.allSatisfy { abs($0) <= 1 })
    // A clipped tone stays at full scale; a limited one only touches it.
    #expect(voice.count { $0 >= 0.9999 } < voice.count / 50)
    #expect(voice.max()! > 0.9)
  }

  @Test("D4: with ducking it is 12 dB lower while somebody talks, and comes back; without, it stays")
  func ducking() throws {
    for isDucked in [true, false] {
      let rig = try CoreRig()
      rig.core.controls.usesVoiceProcessing = true
      rig.core.appAudio.isDucked = isDucked
      let quiet = CaptureSignals.noise(seconds: 1.5, rate: 48_000, level: -80)
      let talk = CaptureSignals.speech(seconds: 1.2, rate: 48_000, level: -40)
      let silence = CaptureSignals.noise(seconds: 2, rate: 48_000, level: -80)
      let all = quiet + talk + silence
      var levels: [Float] = []
      let tone = Self.tone(12_000, rate: 48_000, seconds: 6)
      var next = 0
      for start in stride(from: 0, to: all.count - Self.quantum, by: Self.quantum) {
        while next < tone.count, next < start + 24_000 {
          #expect(
            rig.core.capture(appAudio: try AppAudioBuffer(planar: [Array(tone[next..<min(next + 480, tone.count)])], sampleRate: 48_000)))
          next += 480
        }
        rig.cycle(Array(all[start..<start + Self.quantum]))
        levels.append(Float(Self.amplitude(rig.voice, 12_000)))
      }
      let (before, during, after) = (levels[220], levels[430], levels[levels.count - 10])
      #expect(abs(before - 0.25) < 0.02 && abs(after - 0.25) < 0.02, "\(before), \(after)")
      #expect(isDucked ? during < 0.11 : during > 0.22, "\(during)")
    }
  }

  @Test("D4: application audio is played on the speaker only if monitored, and is then part of the reference")
  func monitor() throws {
    let rig = try CoreRig()
    let app = try AppAudioBuffer(planar: [Self.tone(1_000, rate: 48_000, seconds: 2)], sampleRate: 48_000)
    #expect(rig.core.capture(appAudio: app))
    #expect(Self.run(rig, cycles: 80).left.allSatisfy { $0 == 0 })
    rig.core.appAudio.isMonitored = true
    let (voice, left) = Self.run(rig, cycles: 80)
    #expect(abs(Self.amplitude(left, 1_000) - 0.25) < 0.01)
    #expect(abs(Self.amplitude(voice, 1_000) - 0.25) < 0.01)
    rig.core.appAudio.isMonitored = false
    _ = Self.run(rig, cycles: 4)
    #expect(Self.run(rig, cycles: 10).left.allSatisfy { $0 == 0 })
  }

  @Test("D4: monitored, its echo is cancelled from the microphone, and it is never cancelled from the voice itself")
  func neverCancelled() throws {
    let rig = try CoreRig()
    rig.core.controls.usesVoiceProcessing = true
    rig.core.appAudio.isMonitored = true
    let app = CaptureSignals.speech(seconds: 8, rate: 48_000, level: -24, seed: 5)
    // The room: what the speaker played 30 ms ago comes back 6 dB lower; the reference is the speaker.
    var heard = [Float](repeating: 0, count: 1_440)
    var (voice, next): ([Float], Int) = ([], 0)
    for cycle in 0..<app.count / Self.quantum - 40 {
      while next < app.count, next < cycle * Self.quantum + 24_000 {
        #expect(rig.core.capture(appAudio: try AppAudioBuffer(planar: [Array(app[next..<min(next + 480, app.count)])], sampleRate: 48_000)))
        next += 480
      }
      let microphone = heard.prefix(Self.quantum).map { 0.5 * $0 }
      heard.removeFirst(Self.quantum)
      let speaker = rig.cycle(microphone, reference: rig.lastSpeaker).left
      heard += speaker
      voice += rig.voice
    }
    let played = rig.played
    let end = voice.count - 48_000..<voice.count
    // The voice is the application audio itself, in the same cycle; its residual echo is small.
    let residual = zip(voice[end], played[end]).map { $0 - $1 }
    let ratio = CaptureSignals.decibels(CaptureSignals.power(played[end]) / CaptureSignals.power(residual))
    #expect(ratio > 25, "\(ratio) dB of it left")
  }

  @Test("D4: audio captured while another thread releases old streams is never lost")
  func collectsBeside() throws {
    let audio = AppAudio()
    let isOver = CounterCellBox()
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while !isOver.value { audio.collect() }
      done.signal()
    }
    var lost = 0
    for round in 0..<3_000 {
      // A different rate each time makes a new stream.
      let buffer = try AppAudioBuffer(
        interleaved: [Float](repeating: 0.1, count: 64), sampleRate: round % 2 == 0 ? 8_000 : 16_000, channelCount: 1)
      if !audio.capture(buffer) { lost += 1 }
      audio.mixer.ringSinks.forEach { $0.reset() }
    }
    isOver.value = true
    done.wait()
    #expect(lost == 0)
  }
}

private final class CounterCellBox: Sendable {
  private let flag = Mutex(false)
  var value: Bool {
    get { flag.withLock { $0 } }
    set { flag.withLock { $0 = newValue } }
  }
}
