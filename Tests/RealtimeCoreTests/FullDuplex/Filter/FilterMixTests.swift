import Testing

@testable import RealtimeCore

@Suite("Full duplex: what is heard of two filters")
struct FilterMixTests {
  private let layout = FilterLayout(rate: 48_000)

  /// Mixes a hop of these residuals, of echoes that are 0, and of uncertainties that are 1 (careful) and 0 (fast). Returns the residual.
  private func mix(_ mix: inout FilterMix, careful: [Float], fast: [Float], isOffered: Bool = true) -> [Float] {
    let nothing = [Float](repeating: 0, count: layout.bins), ones = [Float](repeating: 1, count: layout.bins)
    careful.withUnsafeBufferPointer { careful in
      fast.withUnsafeBufferPointer { fast in
        nothing.withUnsafeBufferPointer { nothing in
          ones.withUnsafeBufferPointer { ones in
            let echo = nothing.baseAddress!
            mix.mix(
              fast: FilterEstimate(echo: echo, residual: fast.baseAddress!, uncertainty: echo),
              careful: FilterEstimate(echo: echo, residual: careful.baseAddress!, uncertainty: ones.baseAddress!), isOffered: isOffered)
          }
        }
      }
    }
    return Array(UnsafeBufferPointer(start: mix.residual, count: layout.hop))
  }

  /// Mixes noises: errors of both filters, and a near end that pauses, each of a level in amplitude. Returns the energies of both errors
  /// and of the mixture's, and the fast filter's mean share, in the second half of the time.
  private func mix(
    careful: Float, fast: Float, near: Float = 0, isOffered: Bool = true
  ) -> (careful: Float, fast: Float, mixed: Float, share: Float) {
    var mix = FilterMix(layout: layout)
    var sums: (careful: Float, fast: Float, mixed: Float, share: Float) = (0, 0, 0, 0)
    let hops = layout.hops(4)
    for hop in 0..<hops {
      // Syllables and pauses of the near end, a fifth of a second each.
      let talks = hop / layout.hops(0.2) % 2 == 0
      func noise(_ level: Float, _ source: Int) -> [Float] {
        Noise.white(frames: layout.hop, level: level, seed: UInt64(3 * hop + source + 1))
      }
      let speech = noise(talks ? near : 0, 0), c = noise(careful, 1), f = noise(fast, 2)
      let heard = self.mix(&mix, careful: zip(c, speech).map(+), fast: zip(f, speech).map(+), isOffered: isOffered)
      if hop < hops / 2 { continue }
      for i in 0..<layout.hop {
        let left = heard[i] - speech[i]
        sums.mixed += left * left
        sums.careful += c[i] * c[i]
        sums.fast += f[i] * f[i]
      }
      sums.share += mix.share / Float(hops - hops / 2)
    }
    return sums
  }

  @Test("V10: of two filters that are equally wrong in different ways, less is left than of either")
  func alike() {
    let left = mix(careful: 0.1, fast: 0.1)
    #expect(left.mixed < 0.6 * min(left.careful, left.fast))
    #expect(abs(left.share - 0.5) < 0.1)
  }

  @Test("V10: the filter that leaves clearly less is heard, also while the near end is 20 dB louder than what either leaves")
  func better() {
    for near: Float in [0, 1] {
      let careful = mix(careful: 0.02, fast: 0.2, near: near)
      #expect(careful.mixed < 1.5 * careful.careful && careful.share < 0.1, "\(near)")
      let fast = mix(careful: 0.2, fast: 0.02, near: near)
      #expect(fast.mixed < 1.5 * fast.fast && fast.share > 0.9, "\(near)")
    }
  }

  @Test("V10: a fast filter that is not offered is not heard")
  func notOffered() {
    let left = mix(careful: 0.2, fast: 0.02, isOffered: false)
    #expect(left.share == 0 && left.mixed == left.careful)
  }

  @Test("V10: where the fast filter begins to leave less, it is heard within 0.1 s, without a click, and no longer once nothing is played")
  func begins() {
    var mix = FilterMix(layout: layout)
    let zeros = [Float](repeating: 0, count: layout.hop), ones = [Float](repeating: 1, count: layout.hop)
    var heard: [Float] = []
    func run(_ hops: Int, fast: [Float]) { for _ in 0..<hops { heard += self.mix(&mix, careful: ones, fast: fast) } }
    run(layout.hops(0.1), fast: ones)
    let share = mix.share
    #expect(share == 0)
    run(layout.hops(0.1), fast: zeros)
    let (last, uncertainty) = (mix.share, mix.uncertainty[0])
    #expect(last == 1 && uncertainty == 0)
    #expect(heard.last == 0)
    for (one, next) in zip(heard, heard.dropFirst()) { #expect(abs(next - one) < 0.01) }
    mix.pass()
    let after = mix.share
    #expect(after == 0)
  }
}
