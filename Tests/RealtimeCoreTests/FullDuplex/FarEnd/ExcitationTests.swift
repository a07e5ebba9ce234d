import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: excitation of the reference")
struct ExcitationTests {
  private let layout = FilterLayout(rate: 48_000)

  @Test("V10: a ringing tone excites the bins around it, and not those into which it leaks; speech excites all, at once")
  func tone() {
    var reference = ReferenceSpectra(layout: layout, transform: FourierTransform(length: layout.transform))
    let tone = (0..<48_000).map { 0.1 * Float(sin(2 * Double.pi * 425 * Double($0) / 48_000)) }
    feed(tone, &reference)
    // Noncopyable values are no operands of #expect.
    let isTonal = reference.excitation.isTonal, isTone = reference.excitation.isTone
    #expect(isTonal && isTone)
    func excitation(_ hertz: Int) -> Float { reference.excitation.byBin[hertz * layout.transform / 48_000] }
    let ringing = excitation(425)
    #expect(ringing > 0.9)
    for hertz in [1_000, 3_000, 8_000] {
      let leaked = excitation(hertz)
      #expect(leaked < 0.01, "\(hertz) Hz")
    }
    feed(Array(Noise.white(frames: 4_800, seed: 3)), &reference)
    let isStillTonal = reference.excitation.isTonal, shares = (0..<layout.bins).map { reference.excitation.byBin[$0] }
    #expect(!isStillTonal)
    #expect(shares.allSatisfy { $0 == 1 })
  }

  @Test("V11: a tone is one on either side, and speech on the other side excites all")
  func sides() {
    let tone = (0..<24_000).map { 0.1 * Float(sin(2 * Double.pi * 425 * Double($0) / 48_000)) }
    let silence = [Float](repeating: 0, count: tone.count), noise = Array(Noise.white(frames: tone.count, level: 0.1, seed: 3))
    for (left, right, isTone) in [(tone, silence, true), (silence, tone, true), (tone, noise, false), (noise, tone, false)] {
      var reference = ReferenceSpectra(layout: layout, transform: FourierTransform(length: layout.transform))
      reference.feed(left: left, right: right, hop: layout.hop)
      let isFound = reference.excitation.isTone
      #expect(isFound == isTone)
    }
  }

  private func feed(_ samples: [Float], _ reference: inout ReferenceSpectra) {
    for start in stride(from: 0, through: samples.count - layout.hop, by: layout.hop) {
      reference.feed(samples, from: start, hop: layout.hop)
    }
  }
}
