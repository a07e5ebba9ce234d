import Foundation
import Testing

@testable import RealtimeCore

@Suite("Full duplex: delay scout")
struct DelayScoutTests {
  private static let layout = FilterLayout(rate: 16_000)

  @Test(
    "V10: the filter is placed before the echo begins, and by no more than three partitions, wherever drift has put it before",
    arguments: 0..<4, [8.05, 8.72, 8.95])
  func placement(offset: Int, partitions: Double) throws {
    let layout = Self.layout, partition = layout.partitionHops * layout.hop
    let delay = Int(partitions * Double(partition))
    let found = try #require(search(offset: offset, delay: delay))
    #expect(found * layout.hop <= delay, "\(found) hops, for an echo after \(Double(delay) / Double(layout.hop))")
    #expect(found * layout.hop > delay - 3 * partition, "\(found) hops, for an echo after \(Double(delay) / Double(layout.hop))")
    #expect((found - offset) % layout.partitionHops == 0, "by whole partitions, from \(offset) to \(found) hops")
  }

  @Test("V10: a filter that begins after the echo's first partition is moved earlier", arguments: [25, 27])
  func windowBeginsTooLate(offset: Int) throws {
    let layout = Self.layout, delay = offset * layout.hop - layout.hop / 4
    let found = try #require(search(offset: offset, delay: delay))
    #expect(found * layout.hop <= delay, "\(found) hops, for an echo after \(Double(delay) / Double(layout.hop))")
  }

  @Test("V10: an echo that was found more than a third of a second ago does not count", arguments: [(0.1, true), (0.5, false)])
  func stale(pause: Double, counts: Bool) {
    let layout = Self.layout, transform = FourierTransform(length: layout.transform)
    var reference = ReferenceSpectra(layout: layout, transform: transform), scout = DelayScout(layout: layout)
    let far = Noise.white(frames: layout.rate, seed: 3), error = Spectrum(layout.allBins)
    var now = 0
    for start in stride(from: 0, through: far.count - layout.hop, by: layout.hop) {
      reference.feed(far, from: start, hop: layout.hop)
      now += 1
      if now % 2 == 1 { continue }
      // The echo of two partitions ago.
      let echo = reference.spectrum(age: 2 * layout.partitionHops, channel: 0)
      copy(echo, to: error.re, frames: layout.bins)
      copy(echo + layout.bins, to: error.im, frames: layout.bins)
      _ = scout.search(reference, error: error.parts, offset: layout.partitionHops, at: now)
    }
    let isFound = scout.isCertain
    #expect(isFound)
    clear(error.re, frames: layout.bins)
    clear(error.im, frames: layout.bins)
    _ = scout.search(reference, error: error.parts, offset: layout.partitionHops, at: now + layout.hops(pause))
    let isCertain = scout.isCertain
    #expect(isCertain == counts)
  }

  @Test(
    "V6, V10: what resembles an older part of the far end for a tenth of a second, as one vowel does another, does not move the filter; what goes on does",
    arguments: [(0.1, false), (0.6, true)])
  func resemblance(seconds: Double, moves: Bool) {
    let layout = Self.layout, transform = FourierTransform(length: layout.transform)
    var reference = ReferenceSpectra(layout: layout, transform: transform), scout = DelayScout(layout: layout)
    let far = Noise.white(frames: 2 * layout.rate, seed: 3), error = Spectrum(layout.allBins)
    let begin = layout.hops(1)
    var found: Int?
    for now in 0..<2 * layout.rate / layout.hop {
      reference.feed(far, from: now * layout.hop, hop: layout.hop)
      guard now >= begin, now % 2 == 0, found == nil else { continue }
      let age = now - begin < layout.hops(seconds) ? 20 : 2
      let echo = reference.spectrum(age: age * layout.partitionHops, channel: 0)
      copy(echo, to: error.re, frames: layout.bins)
      copy(echo + layout.bins, to: error.im, frames: layout.bins)
      found = scout.search(reference, error: error.parts, offset: 0, at: now)
    }
    #expect((found != nil) == moves, "\(found ?? 0) hops")
  }

  @Test("V10: the power of the path by which an echo comes is found, so that a near end over a far end too soft to be heard is none")
  func gain() {
    let layout = Self.layout, transform = FourierTransform(length: layout.transform)
    for gain in [Float(0.03), 1, 300] {
      var reference = ReferenceSpectra(layout: layout, transform: transform), scout = DelayScout(layout: layout)
      let far = Noise.white(frames: layout.rate, level: 0.01, seed: 3), error = Spectrum(layout.allBins)
      for (now, start) in stride(from: 0, through: far.count - layout.hop, by: layout.hop).enumerated() {
        reference.feed(far, from: start, hop: layout.hop)
        if now % 2 == 1 { continue }
        let echo = reference.spectrum(age: 2 * layout.partitionHops, channel: 0)
        for k in 0..<layout.bins { (error.re[k], error.im[k]) = (gain * echo[k], gain * echo[layout.bins + k]) }
        _ = scout.search(reference, error: error.parts, offset: layout.partitionHops, at: now)
      }
      let found = scout.echoGain
      #expect(abs(10 * log10(found / (gain * gain))) < 1.5, "\(found) of \(gain * gain)")
    }
  }

  @Test("V10: the search rests once the filter has been sure for a second, and goes on when it may have to be moved")
  func rest() {
    let layout = Self.layout, second = layout.hops(1) / 2
    var scout = DelayScout(layout: layout)
    /// Whether the search rests after as many notes.
    func rests(after notes: Int, isSure: Bool, isAtTheEnd: Bool = false) -> Bool {
      for _ in 0..<notes { scout.note(isSure: isSure, isAtTheEnd: isAtTheEnd) }
      return scout.isAtRest
    }
    #expect(!rests(after: second, isSure: true))
    #expect(rests(after: 1, isSure: true))
    #expect(rests(after: 10 * second, isSure: true))
    #expect(!rests(after: second / 2 + 1, isSure: false), "not sure for half a second")
    #expect(rests(after: 2 * second, isSure: true))
    #expect(!rests(after: 1, isSure: true, isAtTheEnd: true), "the echo may begin where the window ends")
    #expect(rests(after: 2 * second, isSure: true))
    scout.wake()
    let isAtRest = scout.isAtRest
    #expect(!isAtRest, "what it was sure of may be false")
  }

  /// The scout's first answer within 2 s of noise and its echo, which starts after `delay` frames; nil if there is none.
  private func search(offset: Int, delay: Int) -> Int? {
    let layout = Self.layout, transform = FourierTransform(length: layout.transform)
    var reference = ReferenceSpectra(layout: layout, transform: transform), scout = DelayScout(layout: layout)
    let far = Noise.white(frames: 2 * layout.rate, seed: 3)
    // Falls by half every 10 ms.
    let room = Noise.white(frames: layout.rate / 8, level: 1, seed: 7).enumerated().filter { $0.offset % 11 == 0 }.map {
      (frame: $0.offset, gain: $0.element * exp2(-Float($0.offset) / Float(layout.rate / 100)))
    }
    let error = Spectrum(layout.allBins), window = Samples(layout.transform)
    for (hop, start) in stride(from: 0, to: far.count - layout.hop, by: layout.hop).enumerated() {
      reference.feed(far, from: start, hop: layout.hop)
      guard hop % 2 == 0 else { continue }
      for i in layout.transform - layout.window..<layout.transform {
        let now = start + layout.hop - layout.transform + i - delay
        window[i] = room.reduce(0) { now >= $1.frame ? $0 + $1.gain * far[now - $1.frame] : $0 }
      }
      transform.forward(window.start, into: error.parts)
      if let found = scout.search(reference, error: error.parts, offset: offset, at: hop) { return found }
    }
    return nil
  }
}
