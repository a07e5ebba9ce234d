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
    #expect(reference.excitation.isTonal && reference.excitation.isTone)
    let bin = { (hertz: Int) in hertz * self.layout.transform / 48_000 }
    #expect(reference.excitation.byBin[bin(425)] > 0.9)
    for hertz in [1_000, 3_000, 8_000] { #expect(reference.excitation.byBin[bin(hertz)] < 0.01, "\(hertz) Hz") }
    feed(Array(Noise.white(frames: 4_800, seed: 3)), &reference)
    #expect(!reference.excitation.isTonal)
    #expect((0..<layout.bins).allSatisfy { reference.excitation.byBin[$0] == 1 })
  }

  private func feed(_ samples: [Float], _ reference: inout ReferenceSpectra) {
    for start in stride(from: 0, through: samples.count - layout.hop, by: layout.hop) {
      reference.feed(samples, from: start, hop: layout.hop)
    }
  }
}
