/// The microphone, and what the loudspeaker plays.
extension Tuning {
  /// `MicrophoneWindow`, `ClippingRepair`. See Documentation/canceller/clipping.md.
  struct Microphone: Stage {
    /// Mean square up to which a microphone counts as closed: −110 dBFS, far below the noise of any open one. Own choice.
    var closed: Float = 1e-11
    /// Largest correction of a clipped sample, an amplitude: 12 dB beyond full scale. Own choice.
    var mostCorrection: Float = 4
    /// How fast the corrections' power falls, s. Own choice.
    var correction: Fading = 0.007694374
    /// Mean square below which a correction is none: −90 dBFS. Own choice.
    var leastCorrection: Float = 1e-9
  }

  /// `ReferenceLevel`.
  struct ReferenceLevel: Stage {
    /// Time constant of the level while the far end talks, s. Own choice.
    var memory: Float = 4
    /// Far-end speech before the first change of the gain, s: the first syllable is not representative. Own choice.
    var settling = 0.4
    /// Amplitude of usual far-end speech: −26 dBFS.
    var usual: Float = 0.05
    /// Least change of the gain that is made, a ratio of amplitudes, 8 dB: each costs the filter some of what it has learnt of the
    /// distortion. Own choice.
    var tolerance: Float = 2.5
    /// Ratio to the level below which the far end pauses: −15 dB. Own choice.
    var pause: Float = 0.03
    /// Mean square below which it pauses in any case: −80 dBFS. Own choice.
    var silence: Float = 1e-8
    /// Limits of the gain, ratios of amplitudes: −24 and 36 dB. Own choice; see Documentation/experiments/changes.md, "A far end 30 dB
    /// softer".
    var leastGain: Float = 1 / 16
    var mostGain: Float = 64
  }

  /// `ReferenceSpectra`, and `FarEnd`.
  struct ReferenceSpectra: Stage {
    /// Mean square up to which a hop counts as silent: −93 dBFS. Own choice.
    var silence: Float = 5e-10
    /// Ratio of the sides' difference to their sum up to which they are the same: −50 dB. Own choice.
    var sameness: Float = 1e-5
    /// Ratio to the whole above which there is something in the bins beyond speech: −55 dB. Own choice.
    var trebleShare: Float = 3e-6
    /// And its mean square: −90 dBFS. Own choice.
    var treble: Float = 1e-9
  }

  /// `Excitation`. See Documentation/experiments/linear-filter.md, "tones".
  struct Excitation: Stage {
    /// How fast the spectra are forgotten, s. Own choice.
    var memory: Fading = 0.05061985
    /// Time for which it has to be tonal to be a tone, s: vowels hardly are.
    var tone = 0.1
    /// Share of a bin's power that is left under a Hann window up to which it counts as leakage; own choice.
    var leaked: Float = 0.1
    /// From `leaked` plus this share on, it counts as excited; own choice.
    var range: Float = 0.2
    /// Share of the speech bins below which the far end is tonal: of 42 dB of ERLE after a ringing tone, 13 were left without.
    var tonal: Float = 0.15
  }

  /// `LoudspeakerModel`. See Documentation/canceller/loudspeaker.md.
  struct LoudspeakerModel: Stage {
    /// Typical coefficients: of an overdriven loudspeaker, and of one whose asymmetry and force change by half within 0.1 and 0.2 of full
    /// scale. They set the ridge, `caution` / usual². Own choice; see Documentation/experiments/loudspeaker.md.
    var usualSaturation: Float = 0.7
    var usualAsymmetry: Float = 3
    var usualWeakening: Float = 6
    /// Weight of the prior, 0 for each coefficient, in the units of Σ |Y|² / D. Own choice.
    var caution: Float = 100
    /// Shrinkage: a coefficient is reduced by this many variances, over its own magnitude. Own choice.
    var significance: Float = 50
    /// Share of the way to the new estimate; below 1, because its echoes were predicted with earlier coefficients. Own choice.
    var step: Float = 0.5
    /// Limit of a coefficient in multiples of the usual one. Own choice.
    var most: Float = 2.5
    /// How fast what was learnt is forgotten, s of learning. Own choice.
    var memory: Fading = 4.2639
    /// Time for which every turn learns, and then every second one, s. Own choice, for its cost.
    var beginning = 4.0
    /// Share of what was learnt that is kept without trust: it may be another loudspeaker. Own choice.
    var kept: Float = 0.1
  }

  /// `LoudspeakerTerms`.
  struct LoudspeakerTerms: Stage {
    /// How far full scale drives a saturating loudspeaker, of usual speech: its output tanh(d x) / d bends at an eighth of full scale.
    /// Another knee made stereo and late echoes worse: Documentation/experiments/loudspeaker.md.
    var steepness: Float = 8
    /// How fast a term's linear part and mean are forgotten, s. Own choice.
    var memory: Fading = 1.064
    /// Frequency above which the cone's excursion no longer follows the voltage, Hz. Own choice.
    var compliance: Float = 150
  }
}
