/// Every constant by which the canceller decides, learns or forgets, by stage: what it means, its unit, and where it was found.
///
/// A stage takes its own part in `init`. `nearend process --tuning` changes some for a trial; in a call they are `standard`.
///
/// Not here: sizes (`FilterLayout`), what the network was trained with (`NetworkFeatures`), formulas, and numbers that only keep a divisor
/// from 0. Powers are of samples with full scale ±1, those of a hop's transform |X|². Ratios are of powers unless they say otherwise. Names
/// of situations are those of [Situations](Documentation/situations.md); *own choice* was tried on its simulated kinds and kept, without a
/// record of what else was tried.
package struct Tuning: Codable, Sendable, Equatable {
  var microphone = Microphone()

  // What the loudspeaker plays.
  var referenceLevel = ReferenceLevel()
  var referenceSpectra = ReferenceSpectra()
  var excitation = Excitation()
  var loudspeakerModel = LoudspeakerModel()
  var loudspeakerTerms = LoudspeakerTerms()

  // The adaptive filters.
  var fastFilter = Learning.fast
  var carefulFilter = Learning.careful
  var kalmanFilter = KalmanFilter()
  var pathPrior = PathPrior()
  var filterPair = FilterPair()
  var pathSelector = PathSelector()
  var filterMix = FilterMix()
  var estimateShare = EstimateShare()
  var echoSubtraction = EchoSubtraction()

  // Observers of the echo path, and what follows from them.
  var supervisor = Supervisor()
  var firstWords = FirstWords()
  var pathVerification = PathVerification()
  var echoEvidence = EchoEvidence()
  var echoTrial = EchoTrial()
  var delayScout = DelayScout()
  var gainTracker = GainTracker()
  var gainChanges = GainChanges()
  var pathChangeDetector = PathChangeDetector()
  var initialGuard = InitialGuard()
  var driftTracker = DriftTracker()
  var window = Window()

  // Several microphones.
  var microphoneHealth = MicrophoneHealth()
  var talkerPresence = TalkerPresence()
  var beamformer = Beamformer()

  // What is left of the echo, and noise.
  var residualEcho = ResidualEcho()
  var nearEndEvidence = NearEndEvidence()
  var nearEndPresence = NearEndPresence()
  var suppressor = Suppressor()
  var learnedGains = LearnedGains()
  var harmonicComb = HarmonicComb()
  var echoMeter = EchoMeter()

  package static let standard = Tuning()

  /// The constants of one stage.
  protocol Stage: Codable, Sendable, Equatable { init() }
}

extension Tuning {
  /// Constants of which the first has to be below the second: the canceller divides by their difference, or keeps something between them.
  private static let orders: [(String, String, @Sendable (Tuning) -> (Float, Float))] = [
    ("pathSelector.best", "pathSelector.better", { ($0.pathSelector.best, $0.pathSelector.better) }),
    ("learnedGains.lowERLE", "learnedGains.highERLE", { ($0.learnedGains.lowERLE, $0.learnedGains.highERLE) }),
    ("learnedGains.loudEcho", "learnedGains.loudestEcho", { ($0.learnedGains.loudEcho, $0.learnedGains.loudestEcho) }),
    ("echoTrial.patience", "echoTrial.longestPatience", { (Float($0.echoTrial.patience), Float($0.echoTrial.longestPatience)) }),
    ("harmonicComb.least", "harmonicComb.sure", { ($0.harmonicComb.least, $0.harmonicComb.sure) }),
    ("kalmanFilter.mostOfPrior", "a whole prior", { ($0.kalmanFilter.mostOfPrior, 1) }),
    ("referenceLevel.leastGain", "referenceLevel.mostGain", { ($0.referenceLevel.leastGain, $0.referenceLevel.mostGain) }),
    ("pathPrior.least", "pathPrior.most", { ($0.pathPrior.least, $0.pathPrior.most) }),
    ("residualEcho.low", "residualEcho.high", { ($0.residualEcho.low, $0.residualEcho.high) }),
  ]

  /// Why these constants cannot be used together, with both names and values; nil if they can. [any]
  package var contradiction: String? {
    for (lower, higher, values) in Self.orders {
      let (low, high) = values(self)
      if !(low < high) { return "\(lower) is \(low), and has to be below \(higher), which is \(high)" }
    }
    return nil
  }
}

extension Tuning.Stage {
  static var standard: Self { Self() }
}
