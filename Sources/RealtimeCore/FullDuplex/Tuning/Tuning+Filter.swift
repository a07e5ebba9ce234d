/// The adaptive filters. See Documentation/canceller/linear-filter.md and two-filters.md.
extension Tuning {
  /// What the two filters differ in: speed of tracking, for robustness. What fades does so while the filter learns. The path, `overcount`
  /// and the noise were also tried at half and double on 52 recordings of devices: no opinion changed by more than .02, or another fell as
  /// far (Documentation/experiments/two-filters.md).
  struct Learning: Codable, Sendable, Equatable {
    /// How fast the path is expected to become another one, s: 1 − exp(−t / path) is q.
    var path: Fading
    /// Factor by which overlapping error windows count each sample's noise more than once.
    var overcount: Float
    /// Bins to either side of each over which the noise is smoothed, 1…8.
    var smoothedBins: Int
    /// How fast the noise is forgotten, s.
    var noise: Fading
    /// How fast the peak of a row's mean square falls, s: behind a muted microphone, the path is not to vanish. Own choice.
    var peak: Fading
    /// Share of that peak below which a row's mean square never falls. Own choice.
    var heldShare: Float
    /// How fast the error's power is forgotten, s, and its correlation with the estimate. Own choice.
    var error: Fading
    var misfit: Fading
    /// How fast the far end's mean spectrum is forgotten, s. Own choice.
    var reference: Fading

    /// Tracks a moving path.
    static let fast = Learning(
      path: 2.664, overcount: 1, smoothedBins: 5, noise: 0.014952924, peak: 53.33, heldShare: 0.1, error: 0.014952924, misfit: 0.007694374,
      reference: 1.064)
    /// Robust against near-end speech.
    static let careful = Learning(
      path: 133.3, overcount: 1.4, smoothedBins: 2, noise: 0.008859558, peak: 53.33, heldShare: 0.1, error: 0.02990585,
      misfit: 0.015388747, reference: 2.128)
  }

  /// `KalmanFilter`: what both filters have in common.
  struct KalmanFilter: Stage {
    /// Factor by which N may rise in a second, 5 dB. Own choice.
    var noiseRise: Float = 3
    /// |E|² that is added to D, so that bins without any sound learn nothing from rounding: −110 dBFS at 48 kHz. Own choice.
    var leastError: Float = 1e-8
    /// How fast what is expected and estimated is forgotten, s. Own choice.
    var power: Fading = 0.02390091
    /// Least mean square of a row, as a share of its channel's highest: a changed path may reach any partition. Own choice.
    var leastShare: Float = 0.03
    /// Without trust, the least variance, as a share of the prior: Documentation/experiments/changes.md, "chimes".
    var doubtedShare: Float = 0.3
    /// Most of a variance, as a share of the prior, when that is changed: it keeps the divisor positive.
    var mostOfPrior: Float = 0.9
    /// Ratio of estimate to expected error above which a filter is sure; it is confident above 1. A filter that has learnt that there is no
    /// echo may be confident, too. Own choice.
    var sure: Float = 3
    /// Square of the standard deviations by which an estimate is too large, of its correlation with the error. By chance, near-end speech
    /// reaches two of them, but not for several hops in a row.
    var tooLarge: Float = 4
    /// Ratio to the noise above which the far end's mean echo is heard: −10 dB. Own choice.
    var audible: Float = 0.1
    /// Share of the echo's power up to which leading partitions are idle, and more of them than so many have to be, for the window to start
    /// later. Own choice.
    var idle: Float = 0.03
    var idlePartitions = 5
    /// The same for the window's first hop, and for a part of it: the echo is moved earlier by as much. Own choice.
    var idleHop: Float = 0.01
    var idleFrames: Float = 0.001
  }

  /// `PathPrior`, and the prior itself. See Documentation/experiments/linear-filter.md, "a prior for each partition".
  struct PathPrior: Stage {
    /// Prior variance of a weight at no delay: a loudspeaker as loud at the microphone as a talker, and a third of it for what saturation
    /// adds. Own choice.
    var initial: Float = 0.15
    var initialOfSaturation: Float = 0.05
    /// Fall of the prior in a second, dB. One that falls faster loses late echoes.
    var decay: Float = 20
    /// Far-end speech for which the prior adapts, s: then the variances follow the path. Own choice.
    var duration = 2.0
    /// Ratio to the median partition above which the strongest one stands out. Own choice.
    var contrast: Float = 8
    /// Standard deviations by which a power is certain. Own choice.
    var certain: Float = 2
    /// Factors of the estimated power and of its deviation; a lowered prior is their weighted sum. Own choice.
    var margin: Float = 6
    var deviationMargin: Float = 5
    /// Limits of the prior, relative to the initial one. Own choice.
    var least: Float = 0.03
    var most: Float = 30
    /// Changes that are worth a pass over the weights, relative to the present prior: below the first, and above the second. Own choice.
    var lower: Float = 0.7
    var higher: Float = 2
  }

  /// `FilterPair`. See Documentation/experiments/changes.md, "a far end 30 dB softer than usual".
  struct FilterPair: Stage {
    /// Factor by which an echo has to exceed what new filters expect, for their prior to be raised: 3 dB. Own choice.
    var louder: Float = 2
    /// Limit of that factor: 33 dB.
    var loudest: Float = 2_000
  }

  /// `PathSelector`. Shares of the careful filter's error. Earlier or later loses on recordings: Documentation/experiments/two-filters.md.
  struct PathSelector: Stage {
    /// How fast errors are forgotten, s. Own choice.
    var memory: Fading = 0.1039772
    /// Left by the fast filter: from the first on down, the careful one's weights approach its own, below the second in one hop.
    var better: Float = 0.5
    var best: Float = 0.2
    /// Above this, the fast filter's are replaced. Own choice.
    var worse: Float = 1.1
    /// Least share of the way to the fast filter's weights that is worth a pass over them. Own choice.
    var leastStep: Float = 0.02
  }

  /// `FilterMix`. See Documentation/experiments/two-filters.md, "what is heard of them".
  struct FilterMix: Stage {
    /// How fast the sums are forgotten, s.
    var memory: Fading = 0.263991
    /// Share of the mean |c|² that is added to each, which keeps pauses from deciding. Own choice.
    var least: Float = 1e-3
  }

  /// `EstimateShare`.
  struct EstimateShare: Stage {
    /// How fast energies are forgotten, s. Own choice.
    var memory: Fading = 0.05061985
    /// Mean square of an estimate below which rounding would decide: −90 dBFS.
    var negligible: Float = 1e-9
  }

  /// `EchoSubtraction`.
  struct EchoSubtraction: Stage {
    /// Value of `FilterMix.benefit` above which the fast filter is needed: the path moves, and a trial would take the filter away. Half of
    /// the careful one's error, 3 dB. Own choice.
    var needed: Float = 0.5
    /// Limit of the residual, in multiples of the microphone's peak: 6 dB. Own choice.
    var mostPeak: Float = 2
  }
}
