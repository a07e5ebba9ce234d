/// The observers of the echo path, and what follows from what they find. See Documentation/canceller/changes.md, delay.md and drift.md;
/// what was tried is in Documentation/experiments/changes.md, and delay-and-drift.md.
extension Tuning {
  /// `Supervisor`, and whether the far end is there. Found on the simulated kinds and the conversation of `make quality`.
  struct Supervisor: Stage {
    /// Mean square of a far end, normalized by `ReferenceLevel`, above which it speaks: what is learnt and verified is its echo's. 34 dB
    /// below usual speech.
    var speaking: Float = 1e-6
    /// The same, 20 dB lower, above which its echo may be searched for: the ends of words tell a delay as well.
    var audible: Float = 1e-8
    /// The same, above which a filter may be trusted, 21 dB below usual speech: one that is confident of the click or breath before it
    /// knows nothing of the path.
    var telling: Float = 2e-5
    /// Value of `KalmanFilter.surprise` above which the filter may be wrong: 6 dB.
    var surprising: Float = 4
    /// The same, above which a filter that has never converged may have learnt that there is no echo, although one begins: 15 dB.
    var startling: Float = 30
    /// The same, above which hardly anything but an echo that begins is possible: 25 dB.
    var baffling: Float = 300
    /// Values of `DelayScout.echoGain` between which an echo is so loud that a trial, which expects the prior's power, would not learn it:
    /// from 16 to 43 dB over the prior. Beyond, the far end is too soft to be heard: it is a near end.
    var leastLoud: Float = 3
    var mostLoud: Float = 1_500
    /// Values of `DelayScout.echoShare` that the near end does not reach by chance: usually, of an error that is `baffling`, and without a
    /// trial, where chance reached .27.
    var usualShare: Float = 0.18
    var baffledShare: Float = 0.1
    var evidentShare: Float = 0.3
  }

  /// `FirstWords`. See "chimes".
  struct FirstWords: Stage {
    /// Time for which something else than a tone has to be played to be words, s: clicks last up to 0.09.
    var word = 0.133
    /// Silence that ends a tone, s. Own choice.
    var pause = 0.1
    /// What has been played until a tone counts, s: words may begin with a hum, of 282 none for as long.
    var played = 0.3
  }

  /// `PathVerification`. See "a path that moved in a pause", "a path that changed in part" and "pauses that comfort noise fills".
  struct PathVerification: Stage {
    /// Least pause of the far end, s. Own choice.
    var leastPause = 2.0
    /// Longest verification, and that of a filter which learns a changed path, s of an active far end. With 1 s, STOI falls.
    var patience = 0.4
    /// Power of the expected residual echo beyond the filter's own uncertainty, as a multiple of the estimated echo's; the second once the
    /// filter's variances were raised. Own choice.
    var unknown: Float = 4
    var raised: Float = 0.5
    /// Least `EchoEvidence.wanted` that decides, in multiples of the number of bands. With more, STOI falls where the path has changed.
    var leastEvidence: Float = 2
    /// Share of the estimate that has to be found: with .95, a near end loses.
    var verified: Float = 0.85
    /// Share below which the path has changed: at .8, unchanged paths are refuted while both talk.
    var refuted: Float = 0.5
  }

  /// `EchoEvidence`.
  struct EchoEvidence: Stage {
    /// How fast the sums are forgotten, s. Own choice.
    var memory: Fading = 0.05061985
  }

  /// `EchoTrial`. See "an echo that begins".
  struct EchoTrial: Stage {
    /// Longest trial, s, and longest one while there is this share of a proof: an echo may begin with a soft syllable, and other talkers
    /// rarely come so far.
    var patience = 0.4
    var longestPatience = 0.8
    var promising: Float = 0.67
    /// From a trial that proved nothing to the next, s: meanwhile the fast filter follows the path, and the clocks' drift is measured. Own
    /// choice.
    var rest = 1.0
    /// Least `EchoEvidence.found`, in multiples of the number of bands, and as a share of `wanted`, and the least share of the path's power
    /// in one partition, that together prove an echo. In an hour without echo, where the others held, the first stayed below 1.5 where
    /// somebody talked, and below 1.8 where music was beside other music.
    var leastEvidence: Float = 1.8
    var leastShare: Float = 0.4
    var leastConcentration: Float = 0.25
    /// Ratio to the noise above which a band is heard: 9 dB. Own choice.
    var audible: Float = 8
    /// Share of the bands that has to be heard for a trial: in noise alone nothing would be proven. Own choice.
    var heardShare: Float = 0.25
  }

  /// `DelayScout`.
  struct DelayScout: Stage {
    /// How fast the spectra are forgotten, s.
    var memory: Fading = 0.2079544
    /// How fast the evidence is forgotten, s.
    var evidence: Fading = 0.35019515
    /// Pause between two searches after which everything is forgotten, s: that over which the evidence is summed.
    var longestPause = 0.35
    /// Assurance after which a search is needless, s, and how much faster it is lost than gained. With a filter that is confident
    /// instead of sure, late echoes lose up to 31 dB of ERLE: Documentation/experiments/delay-and-drift.md, "a search that rests".
    var rest = 1.0
    var doubt = 2
    /// Searches before the first decision, s, a handful of overlapping windows: whatever is in them appears coherent, a vowel with another.
    var settling = 0.13
    /// Coherence that is significant, as a multiple of the median over all ages, and at least. Own choice.
    var clear: Float = 3
    var least: Float = 0.08
    /// Coherence above that threshold, summed over `evidence`, that proves an echo: a few hops of a clear one. The first syllables of a
    /// talker, which resemble each other, stay below.
    var certain: Float = 1
    /// The same for a candidate, of which it takes two: a held vowel resembles a former one for long enough to name one wrongly. `certain`
    /// where there are weights to lose.
    var telling: Float = 0.6
    /// Factor by which the evidence after the window's beginning exceeds that in it, for the window to move later. Own choice.
    var later: Float = 3
  }

  /// `GainTracker`. Gains are ratios of amplitudes; what a gain explains of the microphone is a share of its power. See "a turned volume".
  struct GainTracker: Stage {
    /// Time over which sums are added up, s: usually; while both talk; and once the estimate was found to be too large.
    var short = 0.011
    var long = 0.085
    var sudden = 0.021
    /// Time for which a small change has to be seen, s. Own choice.
    var patience = 0.021
    /// Least change that is followed, 2 dB, and the greatest: 22 dB downwards, 36 dB upwards.
    var least: Float = 1.25
    var mostDown: Float = 12
    var mostUp: Float = 64
    /// Ratios to the noise above which a band counts: of the microphone's energy, 9 dB, and the estimate's, 6 dB. Own choice.
    var audibleMicrophone: Float = 8
    var audibleEcho: Float = 4
    /// Share of the bands that has to count. Own choice.
    var enough: Float = 0.3
    /// What a small change has to explain. Own choice, as the rest of the changes: the greater, the less.
    var smallExplained: Float = 0.95
    /// A clear change, 3.5 dB, what it has to explain, and for `short`.
    var clear: Float = 1.5
    var clearExplained: Float = 0.9
    /// A great change, 6 dB, and what it has to explain in a hop that agrees.
    var great: Float = 2
    var greatExplained: Float = 0.8
    /// Ratios of a hop's gain to that of `short` between which they agree: the change has not just begun.
    var leastAgreeing: Float = 0.87
    var mostAgreeing: Float = 1.15
    /// A rise while both talk, 3.5 dB, and what it has to explain.
    var rise: Float = 1.5
    var riseExplained: Float = 0.4
    /// Gains between which an estimate that is too large has fallen, −2 to −24 dB, and what they have to explain: a path that has changed
    /// reached .08, the volume in nine of eleven cases .1.
    var mostFallen: Float = 0.8
    var leastFallen: Float = 1 / 16
    var fallExplained: Float = 0.1
  }

  /// `GainChanges`.
  struct GainChanges: Stage {
    /// Time for which a change that was found may still be told, s. Own choice.
    var memory = 0.5
  }

  /// `PathChangeDetector`. See "resets that nothing called for".
  struct PathChangeDetector: Stage {
    /// How fast energies are forgotten, s; those that tell a room's tail; and the residual's share. Own choice.
    var memory: Fading = 0.02390091
    var longMemory: Fading = 0.1306485
    var shareMemory: Fading = 0.263991
    /// Time in which the noise may rise by a factor of e, s: 1.6 dB/s. Own choice.
    var noiseRise: Fading = 2.6694
    /// Time at first in which the noise follows, s. Own choice.
    var settling = 0.107
    /// Share of the microphone's power above which the estimate makes a band loud. Own choice.
    var loud: Float = 0.4
    /// Ratio to the noise above which the microphone is heard: 9 dB. Own choice.
    var audible: Float = 8
    /// Ratio of residual to microphone that means a changed path; the second while the fast filter leaves clearly less. Own choice.
    var worse: Float = 1.1
    var remaining: Float = 0.65
    /// Ratio of estimate to microphone that is wrong even before the filter has cancelled anything. Own choice.
    var absurd: Float = 4
    /// Share of a band's power over `longMemory` below which it does not count: it holds the room's tail, which a filter learns last.
    var steady: Float = 0.25
    /// Least number of loud bands, and the share of them that has to be worse, for so long, s. Own choice.
    var leastBands = 5
    var majority: Float = 0.6
    var patience = 0.021
    /// Share of the microphone's power below which the residual means convergence: −11 dB. More loses on recordings
    /// (Documentation/experiments/two-filters.md).
    var converged: Float = 0.08
  }

  /// `InitialGuard`. What none, or one that ends sooner, does is in Documentation/experiments/suppressor.md.
  struct InitialGuard: Stage {
    /// Active far end for which filters that are not trusted stay guarded, s: at first, and after a reset. Own choice.
    var first = 1.067
    var afterReset = 0.4
    /// Time for which a far end still counts as active, s. Own choice.
    var hold = 0.453
  }

  /// `DriftTracker`. See Documentation/canceller/drift.md.
  struct DriftTracker: Stage {
    /// From one measurement to the next, s. Own choice.
    var interval = 0.256
    /// Largest rate, s per s: 200 ppm. Own choice.
    var largest = 2e-4
    /// Factor by which shifts are tried beyond what the largest rate moves in `interval`. Own choice.
    var reach = 1.2
    /// Least correlation that counts. Own choice.
    var certain: Float = 0.6
    /// Fewest bins with an audible echo. Own choice.
    var fewest = 24
    /// Share of each measured drift that corrects the rate. Own choice.
    var gain = 0.25
    /// Share of the response's energy above which it has changed at all: −60 dB. Own choice.
    var moved: Float = 1e-6
  }

  /// `LinearCanceller`: the place of the window, and pauses.
  struct Window: Stage {
    /// From one vain attempt to move the echo within the window to the next, s. Own choice, for its cost.
    var retry = 0.2
    /// Limit of the silence that raises the filters' variances, s. Own choice.
    var mostSilence = 5.0
  }
}
