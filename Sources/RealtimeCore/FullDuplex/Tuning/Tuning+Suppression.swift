/// What is left of the echo, and noise. See Documentation/canceller/suppressor.md; what was tried is in
/// Documentation/experiments/suppressor.md.
extension Tuning {
  /// `ResidualEcho`. Ratios are of powers.
  struct ResidualEcho: Stage {
    /// How fast the estimated echo is forgotten, s, of which some remains; and the bands' powers. Own choice.
    var tail: Fading = 0.0328167
    var bands: Fading = 0.014952924
    /// Time in which the factor of a band would reach what is heard, s: upwards while nobody is near, and downwards. Own choice: it follows
    /// an echo that grows at once, and trusts a softer one slowly.
    var rise: Fading = 0.011851852
    var fall: Fading = 0.1185185185
    /// Time in which it rises by a factor of e where somebody seems to be near, s: `foreign`. Own choice.
    var creep: Fading = 3.5555556
    /// Time in which the factors approach their mean, s. Own choice.
    var pull: Fading = 0.26666667
    /// Safety factor of the prediction, 3 dB: to overestimate the echo is safer than to underestimate it. Own choice.
    var margin: Float = 2
    /// Share of the estimated echo that always remains, −25 dB: loudspeakers and rooms are not linear. Own choice.
    var least: Float = 0.003
    /// Limits of the factor. Above the upper one, a talker would count as echo, which would raise the factor further.
    var low: Float = 0.1
    var high: Float = 8
    /// Initial factor, and its minimum while guarded or relearning: Documentation/experiments/changes.md, "chimes".
    var guarded: Float = 2
    /// Most of the factor while the near end is proven to be heard: "both talk from the first moment on".
    var proven: Float = 1
    /// Ratio to the noise above which a band's prediction tells something: 3 dB. Own choice.
    var audible: Float = 2
    /// Least error, as a ratio to the noise, that is left when that is subtracted: −10 dB. Own choice.
    var leastError: Float = 0.1
    /// Ratio of error to prediction from which on somebody is near: 8 dB. Own choice.
    var foreign: Float = 6
  }

  /// `NearEndEvidence`. See "both talk from the first moment on".
  struct NearEndEvidence: Stage {
    /// How fast a band's level is forgotten, s, and the sums. Own choice.
    var level: Fading = 0.1750976
    var memory: Fading = 0.263991
    /// Least ratios of error to expectation, of error to estimate, and of estimate to expectation, that together prove a near end. The last
    /// one excludes filters that have learnt nothing.
    var excess: Float = 2
    var remaining: Float = 1
    var learnt: Float = 0.7
  }

  /// `NearEndPresence`. See "each band over noise and over echo".
  struct NearEndPresence: Stage {
    /// Levels over noise, and over echo, at which a band is as likely speech as not, dB. The noise is known better than the residual echo,
    /// over which a band must stand out further, because it then counts as speech for a tenth of a second.
    var overNoise: Float = 1.3
    var overEcho: Float = 3.8
    /// By how much more it is surely speech, at odds of e, dB. Own choice.
    var width: Float = 1.2
    /// How fast a band's probability rises, s, over echo and over noise. Own choice.
    var attackEcho: Fading = 0.005820569
    var attackNoise: Fading = 0.00231623724
    /// How fast it falls, s: longer where echo is expected, because the end of a syllable may be softer than the echo. Shorter costs STOI.
    var releaseNoise: Fading = 0.02390091
    var releaseEcho: Fading = 0.1039772
    /// How fast the mean of the likeliest bands falls, s. Own choice.
    var overall: Fading = 0.02390091
    /// Share of a bin's probability that counts while nothing can be echo, whatever the other bins say. Own choice.
    var leastWeight: Float = 0.25
  }

  /// `Suppressor`, and its kernel.
  struct Suppressor: Stage {
    /// How far what stands in for clipped samples may be off, as a share of its power: while both talk, nobody knows what of the two was
    /// cut off. Found on the situation `clipped`, seeds 20261126 and 4711: more costs words.
    var unknownOfRepair: Float = 0.12
    /// How fast the clean signal is forgotten in what is expected of it, s (decision-directed; Ephraim and Malah 1984 have 0.4). Own
    /// choice.
    var clean: Fading = 0.04172098
    /// How fast a gain falls, s. Own choice.
    var gain: Fading = 0.02390091
    /// How fast the probability of speech is forgotten that keeps the noise from standing still, s (Gerkmann and Hendriks 2012).
    var speech: Fading = 0.05061985
    /// Most of it, and of a bin's own probability once it is there (ibid.).
    var mostSpeech: Float = 0.99
    /// How fast the power is forgotten of which minima are taken, s. Own choice.
    var power: Fading = 0.0328167
    /// Time at first in which the noise is learnt fast, s, and how fast it is forgotten then and later, s. Own choice.
    var settling = 0.16
    var noiseAtFirst: Fading = 0.02390091
    var noise: Fading = 0.1039772
    /// Time at first in which nothing is heard while the far end is not silent, s: neither noise nor echo is known. As long a fade follows.
    /// See "the first tenth of a second".
    var unheard = 0.05
    /// A window of minimum statistics, s (Martin 2001, who has 1.5). Own choice.
    var noiseWindow = 0.4
    /// Largest ratio of maximum to minimum in a steady window, 9 dB: speech varies more, so vowels are not taken for noise while the far
    /// end is silent, nor echo while it talks.
    var steadiness: Float = 8
    /// Ratio of echo to noise above which a bin is echo, and no noise is learnt from it: −3 dB. See "steady noise that begins under music".
    var echoOverNoise: Float = 0.5
    /// Probability of a near end below which what may be echo makes its window unsteady. Own choice.
    var leastNearEnd: Float = 0.1
    /// Least gain of noise, a ratio of amplitudes: −26 dB. See "a talker in a quiet room".
    var noiseFloor: Float = 0.05
    /// Least gain of echo, a natural logarithm of a ratio of amplitudes: −18 dB while the near end talks, −60 dB while it does not. Own
    /// choice.
    var echoFloorTalking: Float = -2.12
    var echoFloorSilent: Float = -6.908
    /// Share of the noise that counts as unwanted, a little more than half: speech that is lost costs more intelligibility than noise that
    /// is left. See "a talker in a quiet room".
    var noiseWeight: Float = 0.55
    /// Least ratio of speech to noise that is expected of a bin: −25 dB, as is usual. Own choice.
    var leastRatio: Float = 0.003
    /// Ratio of speech to noise where there is speech: 15 dB (Gerkmann and Hendriks 2012).
    var speechRatio: Float = 31.6
    /// Odds of speech against it before a bin is heard: half of the paper's, 1 + ξ, which leaves the near end more. See "words in noise".
    var noiseOdds: Float = 15
    /// Power of the noise over what is learnt of it with these odds, 1.5 dB: its peaks count as speech in part. Calculated for noise whose
    /// bins are exponentially distributed.
    var noisePeaks: Float = 1.416
    /// Odds against it of a near end that one bin tells by itself. Own choice; see "a talker in a quiet room".
    var ownOdds: Float = 3000
  }

  /// `LearnedGains`. See Documentation/decisions/learned-suppressor.md.
  struct LearnedGains: Stage {
    /// ERLE of the linear canceller up to which a factor counts in full, and from which on only `leastShare` of it, as a logarithm, dB:
    /// where the filter cancels well, the rules know what it leaves.
    var lowERLE: Float = 10
    var highERLE: Float = 15
    var leastShare: Float = 0.1
    /// Time in which that share may fall from 1, as it is where the far end begins, to 0, s: what it plays then may be new to the filter.
    var shareFall: Fading = 0.8
    /// How much louder the residual is, in dB, than the far end's loudest of late, up to which a factor counts in full, and from which on
    /// not at all: no device's echo is as loud, and who speaks while the far end is comfort noise is no echo. Own choice.
    var loudEcho: Float = 30
    var loudestEcho: Float = 40
    /// How fast the far end's level falls, s.
    var farEnd: Fading = 0.25
    /// By how much more a factor counts, as a logarithm, if the near end is surely not heard; squared with doubt, so that it hardly does
    /// while that is as likely as not.
    var whereAlone: Float = 6
    /// Least factor, a ratio of amplitudes, before its share counts: −80 dB. Own choice.
    var least: Float = 1e-4
  }

  /// `HarmonicComb`. See "a comb for the talker's harmonics".
  struct HarmonicComb: Stage {
    /// Hz up to which harmonics are strengthened, at most 1000: above, periods are less alike, and nothing is gained.
    var limit: Float = 1000
    /// Hz of a group of bins, whose power remains: with fewer, a high voice has its harmonics in different ones, and nothing is gained;
    /// with more, intelligibility falls by .001.
    var group: Float = 500
    /// Hz of the highest voice. Own choice.
    var highest: Float = 400
    /// Coherence of the voice and that of a period ago up to which nothing is done, and from which on all: less costs echo where the
    /// microphone clips.
    var least: Float = 0.7
    var sure: Float = 0.95
    /// How much the former voice counts where both agree, a ratio of amplitudes. More costs the ratio of signal to distortion.
    var strength: Float = 0.75
    /// How fast it is forgotten how well each period fits, s, and how much the former voice counts.
    var fit: Fading = 0.0179
    var weight: Fading = 0.0179
  }

  /// `EchoMeter`, as `FullDuplexProcessor` uses it.
  struct EchoMeter: Stage {
    /// Time over which the room's noise is found, s; short, because pauses of the far end are.
    var noiseSpan = 0.853
    /// Probability of a near end above which the meter counts nothing. Own choice.
    var nearEnd: Float = 0.5
  }
}
