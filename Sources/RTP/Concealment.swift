/// Fills the gaps of lost packets with the last 20 ms played backwards, fading out, and a short crossfade into what follows, so that
/// neither edge clicks. Two channels, interleaved.
struct Concealment: Sendable {
  /// Frames after which a concealed gap has faded to silence.
  static let length = 960
  /// Frames of the crossfade.
  static let overlap = 120

  /// The last frames played, at most `length`.
  private var tail: [Int16] = []
  /// The continuation of a concealed gap, for the crossfade; empty if nothing was concealed.
  private var onward: [Int16] = []

  /// Returns the samples to play, crossfaded from a preceding concealed gap.
  mutating func process(_ samples: [Int16]) -> [Int16] {
    var samples = samples
    let fade = min(onward.count, samples.count) / 2
    for frame in 0..<fade {
      let rise = (Float(frame) + 0.5) / Float(fade)
      for i in [2 * frame, 2 * frame + 1] { samples[i] = Int16(Float(samples[i]) * rise + Float(onward[i]) * (1 - rise)) }
    }
    onward = []
    remember(samples)
    return samples
  }

  /// Returns the sound that conceals `frames` lost frames.
  mutating func fill(_ frames: Int) -> [Int16] {
    let whole = backwards(frames + Self.overlap)
    onward = Array(whole[(2 * frames)...])
    let samples = Array(whole[..<(2 * frames)])
    remember(samples)
    return samples
  }

  /// Forgets the past, so that the next packet fades in from silence.
  mutating func restart() {
    tail = []
    onward = [Int16](repeating: 0, count: 2 * Self.overlap)
  }

  private func backwards(_ frames: Int) -> [Int16] {
    let known = tail.count / 2
    var samples = [Int16](repeating: 0, count: 2 * frames)
    for frame in 0..<min(frames, known) {
      let fall = 1 - Float(frame + 1) / Float(Self.length)
      let source = 2 * (known - 1 - frame)
      samples[2 * frame] = Int16(Float(tail[source]) * fall)
      samples[2 * frame + 1] = Int16(Float(tail[source + 1]) * fall)
    }
    return samples
  }

  private mutating func remember(_ samples: [Int16]) {
    tail += samples.suffix(2 * Self.length)
    if tail.count > 2 * Self.length { tail.removeFirst(tail.count - 2 * Self.length) }
  }
}
