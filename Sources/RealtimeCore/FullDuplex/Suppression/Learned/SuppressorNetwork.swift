internal import CKernels
internal import CSuppressorWeights

/// The suppressor's network between `NetworkFeatures` and gains, with weights of 8 bits that are part of the program. Each band is heard
/// with its neighbours by a gated recurrent layer (Cho et al., EMNLP 2014) that all bands share, and tells its summary to two layers of all
/// bands, whose advice goes to another shared one: parts of FullSubNet (Hao et al., ICASSP 2021) in another order.
/// `Training/network.py` is the same. Cost: some 630,000 multiplications a run. [realtime] except `init` and `deinit`.
struct SuppressorNetwork: ~Copyable {
  /// What the network says, 0…1: for each band the factors that leave the near end, and all but the echo; then the probability that the
  /// near end is heard.
  let outputs: UnsafePointer<Float>

  /// Values of `outputs`.
  static var count: Int {
    @_noLocks @_noAllocation get { 2 * NetworkBands.count + 1 }
  }
  /// As many and more, in multiples of what a kernel computes at a time.
  private static var padded: Int {
    @_noLocks @_noAllocation get { (count + 15) / 16 * 16 }
  }
  /// Rows that a band hears: of itself and of either neighbour.
  private static var heardRows: Int {
    @_noLocks @_noAllocation get { 3 * NetworkFeatures.groups }
  }

  private let input: SharedLayer
  private let early, late: SharedRecurrent
  private let summary: SharedLayer
  private var first, second: DenseRecurrent
  private var advice: nearend_dense
  private let output: SharedLayer

  private let results: Samples
  /// Rows of bands that the layers read: states of the late and of the early layer, then the advice.
  private let rows: Samples
  private let heard, own, summaries: Samples
  private let scratch: RecurrentScratch
  /// The states of both layers of all bands.
  private let states: Samples
  private let bandUnits, units, adviceRows, summaryRows: Int

  /// Takes the weights in the program, or others of the same form, which must outlive the network. [control]
  init(weights: UnsafeRawBufferPointer = Self.weights) {
    var reader = WeightReader(weights)
    let bands = NetworkBands.count, bandUnits = reader.bandUnits, units = reader.units
    let summaryRows = reader.summary, adviceRows = reader.advice
    precondition(
      reader.features == NetworkFeatures.count && reader.outputs == Self.count && bandUnits % 16 == 0 && units % 64 == 0
        && summaryRows % 2 == 0 && adviceRows % 2 == 0, "the weights are another network's")
    input = reader.shared(Self.heardRows, bandUnits, hasBiasesByBand: true)
    early = SharedRecurrent(&reader, inputs: bandUnits, units: bandUnits)
    summary = reader.shared(bandUnits, summaryRows)
    first = DenseRecurrent(&reader, inputs: summaryRows * bands, units: units)
    second = DenseRecurrent(&reader, inputs: units, units: units)
    advice = reader.dense(units, adviceRows * bands + 1)
    late = SharedRecurrent(&reader, inputs: bandUnits + adviceRows, units: bandUnits)
    output = reader.shared(2 * bandUnits + adviceRows, 2, hasBiasesByBand: true)
    precondition(reader.isAtEnd, "the weights are another network's")
    results = Samples(Self.padded)
    outputs = UnsafePointer(results.start)
    rows = Samples(2 * bandUnits * bands + Int(advice.outputs))
    heard = Samples(Self.heardRows * bands)
    own = Samples(bandUnits * bands)
    summaries = Samples(summaryRows * bands)
    scratch = RecurrentScratch(values: max(units, bandUnits * bands))
    states = Samples(2 * units)
    (self.bandUnits, self.units, self.adviceRows, self.summaryRows) = (bandUnits, units, adviceRows, summaryRows)
  }

  /// The weights in the program.
  static var weights: UnsafeRawBufferPointer {
    let range = nearend_weights()
    return UnsafeRawBufferPointer(start: range.begin, count: range.end - range.begin)
  }

  /// Forgets all former input.
  @_noLocks @_noAllocation
  func reset() {
    clear(rows.start, frames: 2 * bandUnits * NetworkBands.count)
    clear(states.start, frames: 2 * units)
  }

  /// Runs once; `outputs` is the result.
  @_noLocks @_noAllocation
  mutating func run(_ features: UnsafePointer<Float>) {
    let bands = NetworkBands.count
    let ofLate = rows.start, ofEarly = rows + bandUnits * bands, advised = rows + 2 * bandUnits * bands
    gather(features)
    input.apply(heard.start, into: own.start)
    nearend_tanh(own.start, Int32(bandUnits * bands))
    early.run(own.start, state: ofEarly, scratch)
    summary.apply(ofEarly, into: summaries.start)
    nearend_tanh(summaries.start, Int32(summaryRows * bands))
    first.run(summaries.start, state: states.start, scratch)
    second.run(states.start, state: states + units, scratch)
    nearend_dense_apply(&advice, states + units, advised)
    let presence = advised[adviceRows * bands]
    nearend_tanh(advised, Int32(adviceRows * bands))
    late.run(ofEarly, state: ofLate, scratch)
    output.apply(ofLate, into: results.start)
    results[2 * bands] = presence
    nearend_logistic(results.start, Int32(Self.padded))
  }

  /// Puts the features of each band and of its neighbours side by side: of the bands below, of the bands, of the bands above. The first
  /// and the last are their own neighbours.
  @_noLocks @_noAllocation
  private func gather(_ features: UnsafePointer<Float>) {
    let bands = NetworkBands.count, groups = NetworkFeatures.groups
    for group in 0..<groups {
      let values = features + group * bands
      let below = heard + group * bands, same = below + groups * bands, above = same + groups * bands
      (below[0], above[bands - 1]) = (values[0], values[bands - 1])
      copy(values, to: below + 1, frames: bands - 1)
      copy(values, to: same, frames: bands)
      copy(values + 1, to: above, frames: bands - 1)
    }
  }
}
