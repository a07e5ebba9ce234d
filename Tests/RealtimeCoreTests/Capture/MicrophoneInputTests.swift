import Foundation
import Testing

@testable import RealtimeCore

/// A microphone of several channels, with voice processing off, so that the voice is what is chosen of them.
@Suite("Channels of a microphone") struct MicrophoneInputTests {
  private static let rate = 48_000
  private static let speech = CaptureSignals.speech(seconds: 4, rate: rate, level: -26)
  private let rig: CoreRig

  init() throws { rig = try CoreRig() }

  private static func noise(_ level: Float, seed: UInt64, seconds: Double = 4) -> [Float] {
    CaptureSignals.noise(seconds: seconds, rate: rate, level: level, seed: seed)
  }

  private static func sum(_ a: [Float], _ b: [Float], gain: Float = 1) -> [Float] { zip(a, b).map { gain * $0 + $1 } }

  private var uses: [MicrophoneInput.Use] { rig.core.inputs.inputs.map(\.use) }

  /// The voice's power relative to the talker's in dB, over a part in seconds.
  private func gain(_ voice: [Float], _ seconds: ClosedRange<Double>, of talker: [Float] = speech) -> Double {
    let part = Int(seconds.lowerBound * Double(Self.rate))..<Int(seconds.upperBound * Double(Self.rate))
    return 10 * log10(CaptureSignals.power(voice[part]) / CaptureSignals.power(talker[part]))
  }

  @Test("V15: a voice in one of eighteen inputs is as loud as in that one alone, from the first word on")
  func oneOfMany() {
    let channels = (0..<18).map { $0 == 6 ? Self.sum(Self.speech, Self.noise(-80, seed: 7)) : Self.noise(-100, seed: UInt64($0)) }
    let voice = rig.run(channels)
    #expect(abs(gain(voice, 0...0.3)) < 1 && abs(gain(voice, 0.3...3.9)) < 0.1)
    #expect(uses.enumerated().allSatisfy { ($0 == 6) == ($1 == .heard) }, "\(uses)")
  }

  @Test("V15: so it is where the other inputs are as noisy as that one, after a tenth of a second", arguments: [2, 8, 18])
  func equallyNoisy(count: Int) {
    let channels = (0..<count).map { Self.sum(Self.speech, Self.noise(-66, seed: UInt64($0)), gain: $0 == 1 ? 1 : 0) }
    let voice = rig.run(channels)
    #expect(abs(gain(voice, 0.2...0.6)) < 1 && abs(gain(voice, 0.6...3.9)) < 0.3)
    #expect(uses.enumerated().allSatisfy { ($0 == 1) == ($1 == .heard) }, "\(uses)")
  }

  @Test("V15: two inputs in opposite phase do not cancel each other")
  func opposite() {
    let voice = rig.run([
      Self.sum(Self.speech, Self.noise(-70, seed: 1)), Self.sum(Self.speech, Self.noise(-70, seed: 2), gain: -1),
      Self.sum(Self.speech, Self.noise(-70, seed: 3)),
    ])
    #expect(uses == [.heard, .opposite, .heard])
    #expect(abs(gain(voice, 0.2...3.9)) < 0.5)
  }

  @Test("V15: an input in opposite phase that stands out of less noise from some moment on cancels not a syllable")
  func betterOpposite() {
    let (quiet, loud) = (Self.noise(-70, seed: 1), Self.noise(-48, seed: 2))
    let rising = quiet.indices.map { $0 < Self.rate / 2 ? quiet[$0] : loud[$0] }
    let voice = rig.run([Self.sum(Self.speech, rising), Self.sum(Self.speech, Self.noise(-70, seed: 3), gain: -1)])
    let least = stride(from: 0.4, to: 3.9, by: 0.02).map { start -> Double in
      let part = Int(start * Double(Self.rate))..<Int((start + 0.02) * Double(Self.rate))
      return CaptureSignals.power(Self.speech[part]) > 1e-4 ? gain(voice, start...start + 0.02) : 0
    }.min()
    #expect(least ?? -100 > -2, "\(least ?? 0) dB")
    #expect(uses == [.heard, .opposite])
  }

  @Test("V15: an input that clips, or is noisy, is left out")
  func harmful() {
    let clipped = Self.speech.map { min(max(40 * $0, -0.7), 0.7) }
    let voice = rig.run([
      Self.sum(Self.speech, Self.noise(-70, seed: 1)), clipped, Self.sum(Self.speech, Self.noise(-36, seed: 2)),
    ])
    #expect(uses == [.heard, .clipped, .noisy])
    #expect(abs(gain(voice, 2...3.9)) < 0.5)
  }

  @Test("V15: inputs that differ by 6 dB, and by a few centimetres, are both heard, and stay so")
  func array() {
    let late = [Float](repeating: 0, count: 8) + Self.speech.dropLast(8)
    var changes = 0
    var last: [MicrophoneInput.Use] = []
    let voice = rig.run([
      Self.sum(Self.speech, Self.noise(-66, seed: 1)), Self.sum(late, Self.noise(-66, seed: 2), gain: 0.5),
    ]) { _ in
      if uses != last { changes += 1 }
      last = uses
    }
    #expect(uses == [.heard, .heard] && changes <= 2, "\(changes)")
    #expect(gain(voice, 0.5...3.9) > -3.5)
  }

  @Test("V15: an input that dies while somebody talks takes less than a syllable with it, and comes back when it works again")
  func dies() {
    let first = Self.speech.enumerated().map { (1.0..<2.5).contains(Double($0) / Double(Self.rate)) ? 0 : $1 }
    let voice = rig.run([first, Self.sum(Self.speech, Self.noise(-70, seed: 2))])
    #expect(abs(gain(voice, 0.2...1)) < 0.5)
    #expect(gain(voice, 1...1.1) > -6.5 && abs(gain(voice, 1.15...2.5)) < 0.5)
    #expect(uses == [.heard, .heard])
  }

  @Test("V15: an echo that is louder in one input than in the other says nothing of the inputs")
  func echo() {
    let far = Self.speech
    let channels = [0.5, 0.05].map { gain in Self.sum(far, Self.noise(-70, seed: UInt64(gain * 100)), gain: Float(gain)) }
    _ = rig.run(channels, reference: far)
    #expect(uses == [.heard, .heard])
  }

  @Test("V15: chosen channels are heard as they are; the mean is that of all; what is not chosen is said")
  func chosen() throws {
    let (a, b, c) = (Self.noise(-20, seed: 1), Self.noise(-20, seed: 2), Self.noise(-20, seed: 3))
    rig.core.inputs.channels = try #require(MicrophoneChannels("2"))
    let alone = rig.run([a, b, c])
    #expect(alone[4_800...].elementsEqual(b[4_800..<alone.count]))
    #expect(uses == [.unchosen, .heard, .unchosen])
    rig.core.inputs.channels = .mean
    let mean = rig.run([a, b, c])
    #expect((4_800..<mean.count).allSatisfy { abs(mean[$0] - (a[$0] + b[$0] + c[$0]) / 3) < 1e-6 })
    rig.core.inputs.channels = try #require(MicrophoneChannels("3, 1"))
    let both = rig.run([a, b, c])
    #expect((4_800..<both.count).allSatisfy { abs(both[$0] - (a[$0] + c[$0]) / 2) < 1e-6 })
    #expect(uses == [.heard, .unchosen, .heard])
  }

  @Test("V15: where none of the chosen channels is there, those that work are heard")
  func missing() {
    rig.core.inputs.channels = .only([7])
    let voice = rig.run([Self.speech, Self.speech.map { -$0 }])
    #expect(abs(gain(voice, 0.2...3.9)) < 0.5 && uses == [.heard, .opposite])
  }

  @Test("V15, L7: another choice is heard without a click")
  func switches() throws {
    let tone = (0..<4 * Self.rate).map { 0.3 * sinf(2 * .pi * 200 * Float($0) / Float(Self.rate)) }
    let voice = rig.run([tone, tone.map { 0.3 * $0 }, tone.map { 0.1 * $0 }]) { start in
      rig.core.inputs.channels = [.mean, .only([1]), .only([3]), .auto][start / 19_200 % 4]
    }
    #expect(CaptureSignals.click(voice) < 2e-4)
  }

  @Test("V15: what a broken input sends, NaN or beyond full scale, harms nobody, and an input that is not linked is none")
  func broken() {
    let nan = Self.speech.indices.map { $0 % 7 == 0 ? Float.nan : $0 % 5 == 0 ? 1e9 : .infinity }
    let voice = rig.run([nan, Self.sum(Self.speech, Self.noise(-70, seed: 2))])
    #expect(voice.allSatisfy { abs($0) <= 1 })
    #expect(abs(gain(voice, 0.3...3.9)) < 0.5)
    #expect(uses == [.silent, .heard])
  }

  @Test("V15: another microphone is judged anew, and one with a single channel has none to tell")
  func another() {
    let voice = Self.sum(Self.speech, Self.noise(-70, seed: 2))
    _ = rig.run([voice, Self.noise(-100, seed: 1)])
    #expect(uses == [.heard, .weak] || uses == [.heard, .silent], "\(uses)")
    rig.core.inputs.restart()
    rig.cycle([], channels: [Array(voice.prefix(256)), Array(voice.prefix(256))])
    #expect(uses.allSatisfy { $0 == .heard })
    rig.cycle(Array(voice.prefix(256)))
    #expect(uses.isEmpty)
  }
}

/// The setting's text.
@Suite("Choice of channels") struct MicrophoneChannelsTests {
  @Test(
    "V15: channels are chosen by words and numbers",
    arguments: [("auto", "auto"), (" mean ", "mean"), ("3", "3"), ("3,1, 1", "1,3"), ("32", "32")])
  func parses(text: String, same: String) { #expect(MicrophoneChannels(text)?.text == same) }

  @Test("V15: anything else is refused", arguments: ["", "0", "33", "1,", "a", "1;2", "-1", "auto,1", "1.5"])
  func refuses(text: String) { #expect(MicrophoneChannels(text) == nil) }
}
