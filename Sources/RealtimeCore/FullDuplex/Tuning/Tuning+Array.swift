/// Several microphones as one. See Documentation/canceller/array.md. All are own choices, on simulated rooms of 0.35 s with 2, 4 and 6
/// microphones, unless they say otherwise.
extension Tuning {
  /// `TalkerPresence`: levels are in dB.
  struct TalkerPresence: Stage {
    /// How fast the level is followed, s: syllables, not their pitch.
    var level: Fading = 0.02
    /// Rise of the noise's level in a second.
    var noiseRise: Float = 3
    /// Fall of the noise's level from which on it may have been a voice's.
    var fall: Float = 6
    /// How fast the talker's level rises, and falls, s.
    var attack: Fading = 0.15
    var release: Fading = 8.0
    /// Least level of a talker over the noise.
    var overNoise: Float = 9
    /// Below the talker's level: from where on it is surely the talker, and where it may still be, and how gradually.
    var below: Float = 5
    var width: Float = 1
    var mostBelow: Float = 9
    var wideWidth: Float = 1.5
    /// Above the noise, from where on it may be a talker.
    var least: Float = 4
    /// How long a talker may still be there, s: the room's answer.
    var hold: Fading = 0.2
    /// By how much more the noise is not learnt than the talker may be there.
    var caution: Float = 3
  }

  /// `SpatialCovariance`, `ArrayWeights` and `Beamformer`.
  struct Beamformer: Stage {
    /// Hz up to which microphones are combined: above, speech has little.
    var highest: Float = 8_000
    /// How fast the covariances of noise, of residual echo and of the talker are forgotten, s: one who moves is followed within a second.
    var noise: Fading = 1.0
    var echo: Fading = 0.5
    var talker: Fading = 0.7
    /// Ratio of what is heard to the noise, for each further microphone, at which it counts half as noise. With two, it keeps a talker
    /// aside from being mixed with the talker; with more, less helps.
    var burst: Float = 20
    /// By how much what was learnt as noise may exceed the noise's level where that has fallen, dB: more was a voice, and is forgotten.
    var excess: Float = 7
    /// Seconds of noise until what was learnt of it is trusted.
    var enoughNoise = 0.1
    /// Ratio of what is heard to all that is expected from where on less is learnt of it as residual echo.
    var foreign: Float = 2
    /// How long an echo is expected after it was, s.
    var hold: Fading = 5.0
    /// Diagonal loading as a share of the noise's power: it bounds the white noise gain (Cox, Zeskind and Owen, IEEE Trans. ASSP-35, 1987).
    var load: Float = 0.005
    /// The same as a share of the talker's power: reverberation, and errors of the transfer function, at −20 dB. Less distorts the voice
    /// where there is little noise.
    var talkerLoad: Float = 0.01
    /// Ratio of talker to noise at which the array is trusted half.
    var trusted: Float = 0.2
    /// Most of the white noise gain, as a ratio of powers over the main microphone.
    var mostNoise: Float = 36
    /// How fast weights move, s.
    var weights: Fading = 0.01
    /// |X|² that is added to the noise, so that silence has a finite answer.
    var nothing: Float = 1e-9
  }

  /// `MicrophoneHealth`.
  struct MicrophoneHealth: Stage {
    /// How fast levels are followed, s, and how one microphone's usually differs from the others'.
    var level: Fading = 0.015
    var usual: Fading = 3.0
    /// Below the usual, dB, at which a microphone is dead; and above which it lives again, for so many seconds.
    var dead: Float = 25
    var alive: Float = 15
    var recovery = 0.3
  }
}
