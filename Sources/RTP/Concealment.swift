/// Sounds in the place of lost packets: the last 20 ms backwards, fading out, and a short crossfade into what comes next, so that neither
/// end clicks. Two channels, interleaved.
struct Concealment: Sendable {
  /// Frames that a lost packet's sound lasts, then it is silent.
  static let length = 960
  /// Frames of the crossfade.
  static let overlap = 120

  /// The last frames that were played.
  private var tail: [Int16] = []
  /// How a concealed gap would go on, for the crossfade; empty where nothing was concealed.
  private var onward: [Int16] = []

  /// Takes what is to be played; gives what is, crossfaded where a gap was before it.
  mutating func pass(_ samples: [Int16]) -> [Int16] {
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

  /// Makes the sound of `frames` lost frames.
  mutating func fill(_ frames: Int) -> [Int16] {
    let whole = backwards(frames + Self.overlap)
    onward = Array(whole[(2 * frames)...])
    let samples = Array(whole[..<(2 * frames)])
    remember(samples)
    return samples
  }

  /// Forgets the past: the next packet does not continue it, and rises from silence.
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
