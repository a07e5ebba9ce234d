import Testing

@testable import RealtimeCore

@Suite("Full duplex: trial of an echo that may begin")
struct EchoTrialTests {
  private let layout = FilterLayout(rate: 48_000)
  private let bands = 20

  /// Runs a trial with these powers in each band, where the microphone contains a share of the estimate: residual = microphone + (1 − 2
  /// share) echo, after half a second `later`. Returns the seconds until the echo is proven, nil if it is not within the `patience`.
  private func seconds(
    echo: Float = 0.5, share: Float, later: Float? = nil, noise: Float = 0.01, concentration: Float = 0.5, patience: Double = 0.4
  ) -> Double? {
    var trial = EchoTrial(layout: layout, bands: bands)
    trial.begin()
    func energies(_ power: Float) -> [Float] { [Float](repeating: power, count: bands) }
    for band in 0..<bands { trial.echo[band] = echo }
    var hops = 0
    while !trial.isOver {
      hops += 1
      let share = hops > layout.hops(0.5) ? later ?? share : share, residual = 1 + echo * (1 - 2 * share)
      let news = withHop(microphone: energies(1), residual: energies(residual), noise: energies(noise)) {
        trial.observe($0, concentration: concentration)
      }
      if news == .echoProven { return Double(hops * layout.hop) / Double(layout.rate) }
    }
    let tried = Double(hops * layout.hop) / Double(layout.rate)
    #expect(abs(tried - patience) < 0.01, "\(tried) s")
    return nil
  }

  @Test("V10: an echo that the microphone contains is proven within 50 ms")
  func contained() throws {
    let found = try #require(seconds(share: 1))
    #expect(found < 0.05, "\(found) s")
  }

  @Test("V10: an estimate that the near end only resembles proves no echo in 0.4 s, nor does one of noise or from all ages alike")
  func missing() {
    #expect(seconds(share: 0) == nil)
    #expect(seconds(echo: 4, share: 0.2) == nil)
    #expect(seconds(share: 1, noise: 0.2) == nil)
    #expect(seconds(share: 1, concentration: 0.15) == nil)
  }

  @Test("V10: a trial that has come near a proof goes on: an echo may begin with a soft syllable")
  func promising() throws {
    #expect(seconds(share: 0.5, patience: 0.8) == nil)
    #expect(seconds(share: 1, concentration: 0.2, patience: 0.8) == nil)
    let found = try #require(seconds(share: 0.5, later: 0.8))
    #expect(found > 0.5 && found < 0.6, "\(found) s")
  }

  @Test("V10: a trial is worth it where something is heard over the noise in a quarter of the bands")
  func worth() {
    let trial = EchoTrial(layout: layout, bands: bands)
    func isWorthwhile(_ heard: Int) -> Bool {
      let microphone = (0..<bands).map { $0 < heard ? 1 : 0.05 as Float }
      return withHop(microphone: microphone, noise: [Float](repeating: 0.01, count: bands)) { trial.isWorthwhile($0) }
    }
    #expect(isWorthwhile(bands) && isWorthwhile(bands / 4))
    #expect(!isWorthwhile(bands / 4 - 1) && !isWorthwhile(0))
  }

  @Test("V10: a trial is new until its first hop, and runs until it is ended")
  func course() {
    var trial = EchoTrial(layout: layout, bands: bands)
    #expect(!trial.isRunning && !trial.isNew)
    trial.begin()
    #expect(trial.isRunning && trial.isNew && !trial.isOver)
    let energies = [Float](repeating: 1, count: bands)
    _ = withHop(microphone: energies, residual: energies, noise: energies) { trial.observe($0, concentration: 1) }
    #expect(trial.isRunning && !trial.isNew)
    trial.end()
    let mayBegin = trial.wait() == .trialPossible
    #expect(!trial.isRunning && !trial.isNew && mayBegin)
  }

  @Test("V11: after a trial that proved nothing, the clocks' drift can be measured for a second")
  func rest() {
    var trial = EchoTrial(layout: layout, bands: bands)
    trial.begin()
    trial.end(rests: true)
    var hops = 1
    while trial.wait() == nil { hops += 1 }
    #expect(abs(hops - layout.hops(1)) <= 1, "\(hops) hops")
  }
}
