/// How much of an estimated echo the microphone contains, by the energies m, y and e of the microphone, the estimate and the residual in
/// each band: where it contains the estimate, (m + y − e) / 2 is y on average, whatever the near end says; where it does not, it is 0.
/// Bands count alike, the last twentieth of a second most. Own method. Cost: some 10 operations a band a hop. [realtime]
struct EchoEvidence {
  /// Σ (m + y − e) / 2 (m + y), and Σ y / (m + y), over bands and recent hops.
  private(set) var found: Float = 0
  private(set) var wanted: Float = 0

  private let memory: Float

  init(layout: FilterLayout, tuning: Tuning.EchoEvidence = .standard) { memory = layout.perHop(tuning.memory) }

  /// Begins to collect.
  @_noLocks @_noAllocation
  mutating func begin() { (found, wanted) = (0, 0) }

  /// Begins a hop, whose bands are to be added.
  @_noLocks @_noAllocation
  mutating func fade() { (found, wanted) = (memory * found, memory * wanted) }

  /// Adds the energies of a band.
  @_noLocks @_noAllocation
  mutating func add(microphone: Float, echo: Float, residual: Float) {
    let both = microphone + echo, scale = 1 / (both + 1e-12)
    found += 0.5 * scale * (both - residual)
    wanted += scale * echo
  }
}
