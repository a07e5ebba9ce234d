import Testing

@testable import PipeWireGraph

@Suite("The speaker's gain")
struct SpeakerGainTests {
  @Test("V10: the gain follows volume and mute of one speaker; another speaker, or one of unknown volume, changes nothing")
  func follows() {
    var speaker = SpeakerGain()
    let steps: [(volume: Double?, node: UInt32?, gain: Double)] = [
      (0.5, 7, 1), (0.25, 7, 0.5), (1, 7, 2), (0, 7, 0.002), (0.5, 7, 1),
      (0.1, 8, 1), (0.2, 8, 2), (nil, 8, 2), (0.9, 8, 2), (nil, nil, 2), (0.3, 8, 2), (0.6, 8, 4),
    ]
    for step in steps {
      speaker.follow(step.volume, of: step.node)
      #expect(abs(speaker.gain / step.gain - 1) < 1e-9, "\(speaker.gain) after \(step)")
    }
  }
}
