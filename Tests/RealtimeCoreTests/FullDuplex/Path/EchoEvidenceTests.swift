import Testing

@testable import RealtimeCore

@Suite("Full duplex: evidence of an echo")
struct EchoEvidenceTests {
  /// The share of an estimate of energy 1 that a microphone is found to contain.
  private func share(microphone: Float, residual: Float) -> Float {
    var evidence = EchoEvidence(layout: FilterLayout(rate: 48_000))
    for _ in 0..<20 {
      evidence.fade()
      for _ in 0..<10 { evidence.add(microphone: microphone, echo: 1, residual: residual) }
    }
    return evidence.found / evidence.wanted
  }

  @Test("V10: a microphone contains all of a right estimate, also beside a near end, and none of one that it does not resemble")
  func shares() {
    #expect(abs(share(microphone: 1, residual: 0) - 1) < 1e-3)
    #expect(abs(share(microphone: 5, residual: 4) - 1) < 1e-3)
    #expect(abs(share(microphone: 4, residual: 5)) < 1e-3)
  }

  @Test("V10: what was found is forgotten with the hops it came from, or at once")
  func forgetting() {
    var evidence = EchoEvidence(layout: FilterLayout(rate: 48_000))
    evidence.add(microphone: 1, echo: 1, residual: 0)
    let first = evidence.found
    for _ in 0..<50 { evidence.fade() }
    #expect(first > 0 && evidence.found < 0.01 * first && evidence.wanted < 0.01)
    evidence.add(microphone: 1, echo: 1, residual: 0)
    evidence.begin()
    #expect(evidence.found == 0 && evidence.wanted == 0)
  }
}
