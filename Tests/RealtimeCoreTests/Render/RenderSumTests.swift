import TestSupport
import Testing

@testable import RealtimeCore

/// Below −1 dBFS the mix is exactly the sum.
@Suite struct RenderSumTests {
  private static let counts = [1, 8, 64, 512]

  @Test("K4: below −1 dBFS the mix of ring sinks is the plain sum of what each plays alone", arguments: counts)
  func ringSinks(count: Int) throws {
    let cycles = 8
    func play(_ voices: Range<Int>) throws -> [Float] {
      let rig = RenderRig(rate: 16_000, quantum: 160)
      for voice in voices {
        var dice = SeededGenerator(seed: UInt64(voice + 1))
        // All of them together stay below −1 dBFS, including the resampling's overshoot.
        let most = Int16(0.45 * 32_767 / Double(count))
        let sink = try rig.ring("\(voice)", rate: 16_000)
        sink.write((0..<1_900).map { _ in Int16.random(in: -most...most, using: &dice) })
      }
      rig.cycles(cycles)
      #expect(rig.mixer.limiterGain == 1)
      #expect(rig.left == rig.right)
      return rig.left
    }
    let mix = try play(0..<count)
    var sum = [Double](repeating: 0, count: cycles * 160)
    for voice in 0..<count {
      for (index, sample) in try play(voice..<voice + 1).enumerated() { sum[index] += Double(sample) }
    }
    #expect(mix.map(abs).max()! > 0.01)
    #expect(zip(mix, sum).allSatisfy { abs(Double($0) - $1) < 1e-6 }, "\(zip(mix, sum).map { abs(Double($0) - $1) }.max()!)")
  }

  @Test("K4, K10: below −1 dBFS the mix of graph sinks is their plain sum, bit by bit, at every count", arguments: counts)
  func graphSinks(count: Int) throws {
    let rig = RenderRig(quantum: 64)
    var sum = [Float](repeating: 0, count: 64)
    for index in 0..<count {
      let sink = try rig.mixer.addGraphSink(id: "\(index)")
      let audio = noise(frames: 64, level: 0.89 / Float(count), seed: UInt64(index + 1))
      rig.graph[sink.slot] = (audio, audio)
      for frame in 0..<64 { sum[frame] += audio[frame] }
    }
    let out = rig.cycle()
    #expect(out.left == sum && out.right == sum)
    #expect(rig.mixer.limiterGain == 1)
  }

  @Test("K4: above −1 dBFS, at every count, nothing wraps, nothing clips, and the sum's sign is kept", arguments: counts)
  func loud(count: Int) throws {
    let rig = RenderRig(quantum: 256)
    var sum = [Float](repeating: 0, count: 256)
    for index in 0..<count {
      let sink = try rig.mixer.addGraphSink(id: "\(index)")
      let audio = noise(frames: 256, level: 1, seed: UInt64(index + 1)).map { $0 + (count == 1 ? $0 : 0.5) }
      rig.graph[sink.slot] = (audio, audio)
      for frame in 0..<256 { sum[frame] += audio[frame] }
    }
    let out = rig.cycle().left
    #expect(out.allSatisfy { abs($0) <= 1 })
    #expect(zip(out, sum).allSatisfy { (limited: Float, plain: Float) in limited.sign == plain.sign && limited.isZero == plain.isZero })
    // A clipped sample is at full scale, whatever it was before.
    #expect(out.filter { abs($0) >= 0.9999 }.count < 8)
    #expect(rig.mixer.limiterGain < 1)
  }
}
