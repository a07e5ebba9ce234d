import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: spectra of the reference")
struct ReferenceSpectraTests {
  private let layout = FilterLayout(rate: 48_000)

  @Test("V10: a far end without treble is not taken for a full-band one, despite abrupt onsets")
  func width() {
    // Bursts of 40 ms with pauses of 40 ms: low tones, then the same with white noise at a hundredth of the level.
    let bursts = (0..<48_000).map { i in
      let envelope = max(0, sin(2 * .pi * 12.5 * Float(i) / 48_000)), time = 2 * .pi * Float(i) / 48_000
      return envelope * envelope * (0.3 * sin(440 * time) + 0.1 * sin(3_100 * time))
    }
    let treble = Noise.white(frames: bursts.count, level: 0.003, seed: 3)
    var reference = ReferenceSpectra(layout: layout, transform: FourierTransform(length: layout.transform))
    let narrow = feed(bursts, &reference), wide = feed(zip(bursts, treble).map { $0 + ($0 == 0 ? 0 : $1) }, &reference)
    #expect(!narrow.contains(true))
    #expect(!wide.dropFirst(layout.hops(0.2)).contains(false))
  }

  @Test("V10: once the far end has been silent for long, no age holds what was played before, also when it goes on")
  func gap() {
    var reference = ReferenceSpectra(layout: layout, transform: FourierTransform(length: layout.transform))
    let far = Noise.white(frames: 40 * layout.hop, level: 0.1, seed: 3), silence = [Float](repeating: 0, count: layout.hop)
    _ = feed(far, &reference)
    while !reference.isSilent { reference.feed(silence, from: 0, hop: layout.hop) }
    for _ in 0..<9 { reference.feedSilence() }
    reference.feed(silence, from: 0, hop: layout.hop)
    let loudest = (0..<layout.slots).map { age in
      RealtimeCore.peak(reference.spectrum(age: age, channel: 0), frames: 2 * layout.bins)
    }
    #expect(loudest.allSatisfy { $0 < 1e-3 }, "\(loudest)")
  }

  @Test("V10: a history that is delayed by some frames is that of a far end played so much later", arguments: [8, 128])
  func delayed(frames: Int) {
    // Sound that begins and ends within the newest window, so that no samples enter or leave it.
    let begin = 40 * layout.hop + layout.hop / 2, length = 5 * layout.hop
    let far = (0..<48 * layout.hop).map { i -> Float in
      if i < begin || i >= begin + length { return 0 }
      let envelope: Float = sin(.pi * Float(i - begin) / Float(length)), wave: Float = sin(0.06 * Float(i))
      return 0.3 * wave * envelope
    }
    let later = [Float](repeating: 0, count: frames) + far.dropLast(frames)
    var reference = ReferenceSpectra(layout: layout, transform: FourierTransform(length: layout.transform))
    var expected = ReferenceSpectra(layout: layout, transform: FourierTransform(length: layout.transform))
    _ = feed(far, &reference)
    _ = feed(later, &expected)
    func compare() -> Float {
      var error: Float = 0, power: Float = 0
      for age in 0..<3 {
        let found = reference.spectrum(age: age, channel: 0), wanted = expected.spectrum(age: age, channel: 0)
        for k in 0..<2 * layout.bins {
          error += (found[k] - wanted[k]) * (found[k] - wanted[k])
          power += wanted[k] * wanted[k]
        }
      }
      return error / power
    }
    reference.delay(by: frames)
    let before = compare()
    reference.feed(far, from: 0, hop: layout.hop)
    expected.feed(far, from: 0, hop: layout.hop)
    let after = compare()
    #expect(before < 1e-8 && after < 1e-8, "\(before), \(after) a hop later")
  }

  @Test("V11: a mono far end is mono from its first hop on")
  func mono() {
    var reference = ReferenceSpectra(layout: layout, transform: FourierTransform(length: layout.transform))
    let far = Noise.white(frames: 10 * layout.hop, level: 0.1, seed: 3)
    let isStereo = stride(from: 0, to: far.count, by: layout.hop).map { start in
      reference.feed(far, from: start, hop: layout.hop)
      return reference.isStereo
    }
    #expect(!isStereo.contains(true))
  }

  @Test("V11: treble of either side counts")
  func widthOfSides() {
    let far = Noise.white(frames: 9_600, level: 0.1, seed: 3), silence = [Float](repeating: 0, count: far.count)
    for (left, right) in [(far, silence), (silence, far)] {
      var reference = ReferenceSpectra(layout: layout, transform: FourierTransform(length: layout.transform))
      reference.feed(left: left, right: right, hop: layout.hop)
      let isWideBand = reference.isWideBand
      #expect(isWideBand)
    }
  }

  /// `isWideBand` after each hop.
  private func feed(_ samples: [Float], _ reference: inout ReferenceSpectra) -> [Bool] {
    stride(from: 0, through: samples.count - layout.hop, by: layout.hop).map { start in
      reference.feed(samples, from: start, hop: layout.hop)
      return reference.isWideBand
    }
  }
}
