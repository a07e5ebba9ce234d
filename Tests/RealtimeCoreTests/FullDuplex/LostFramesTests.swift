import TestSupport
import Testing

@testable import RealtimeCore

@Suite("Canceller: lost frames of a hop")
struct LostFramesTests {
  @Test("V9: of a hop whose last frames are lost exactly these are silent", arguments: [100, 230, 240, 255])
  func partOfHop(first: Int) {
    let rate = 48_000
    var processor = FullDuplexProcessor(rate: rate)
    let hop = processor.hop, delay = processor.delay, hops = 40, lostHop = 30
    let whole = sine(300, frames: hops * hop, rate: rate, level: 0.25)
    var voice = whole
    for frame in lostHop * hop + first..<(lostHop + 1) * hop { voice[frame] = 0 }
    let heard = voice
    let silence = Samples(hop)
    voice.withUnsafeMutableBufferPointer { samples in
      for index in 0..<hops {
        processor.process(
          samples.baseAddress! + index * hop, left: silence.start, right: silence.start, lost: index == lostHop ? first..<hop : 0..<0,
          cancelsEcho: true, suppressesNoise: false)
      }
    }
    for frame in (lostHop * hop - hop)..<(lostHop + 3) * hop {
      #expect(abs(voice[frame + delay] - heard[frame]) < 0.02, "frame \(frame - lostHop * hop)")
    }
  }
}
