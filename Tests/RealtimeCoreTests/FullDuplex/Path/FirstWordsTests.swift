import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: the far end's first words")
struct FirstWordsTests {
  private let rate = 48_000
  private let layout = FilterLayout(rate: 48_000)

  /// Returns how often tones have ended before words, and the second in which words were heard.
  private func listen(_ far: [Float]) -> (ends: Int, words: Double?) {
    var reference = ReferenceSpectra(layout: layout, transform: FourierTransform(length: layout.transform))
    var words = FirstWords(layout: layout), ends = 0, heard: Double?
    for start in stride(from: 0, through: far.count - layout.hop, by: layout.hop) {
      reference.feed(far, from: start, hop: layout.hop)
      let power = far[start..<start + layout.hop].reduce(0) { $0 + $1 * $1 } / Float(layout.hop)
      if words.observe(reference.excitation, isFarEnd: power > 1e-6) != nil { ends += 1 }
      if words.wereHeard, heard == nil { heard = Double(start) / Double(rate) }
    }
    return (ends, heard)
  }

  /// Notes that begin and end abruptly, 0.25 s each.
  private func chime(_ seconds: Double) -> [Float] {
    (0..<Int(seconds * Double(rate))).map { i in
      let hertz = 600 + 200 * Double(i * 4 / rate)
      return 0.3 * Float(sin(2 * .pi * hertz * Double(i) / Double(rate)))
    }
  }

  @Test("V10: abrupt notes are no words, and have ended when the far end pauses, or speaks at once", arguments: [0, 0.05, 1])
  func notes(pause: Double) throws {
    let silence = [Float](repeating: 0, count: Int(pause * Double(rate))), before = [Float](repeating: 0, count: rate)
    let speech = CaptureSignals.speech(seconds: 2, rate: rate, level: -26, seed: 3)
    let begin = 2.5 + pause, found = listen(before + chime(1.5) + silence + speech)
    #expect(found.ends == 1, "\(found)")
    let words = try #require(found.words)
    #expect(words > begin && words < begin + 1, "\(found)")
  }

  @Test("V10: a far end that speaks from the start plays no tones", arguments: [3, 5, 9, 12] as [UInt64])
  func speech(seed: UInt64) throws {
    let found = listen(CaptureSignals.speech(seconds: 2, rate: rate, level: -26, seed: seed))
    #expect(found.ends == 0 && found.words != nil, "\(found)")
  }
}
