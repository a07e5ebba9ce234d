/// Whether somebody talks: the energy of the speech band against the noise floor, for long enough, with a hangover. Listens behind noise
/// suppression, and is the same with every generation of the library: the newer ones detect no voice. [realtime] but for `init` and `deinit`.
struct VoiceDetector: ~Copyable {
  /// Somebody talks, or did within the last 0.25 s.
  private(set) var hasVoice = false
  /// The last block itself is above the threshold.
  private(set) var isActive = false

  private let block: Int
  private var highPass: Biquad
  private var lowPass: Biquad
  private var floor = NoiseFloor()
  private var evidence = 0
  private var hangover = 0
  private let band: UnsafeMutablePointer<Float>

  /// 9 dB above the noise floor.
  private let ratio: Float = 8
  /// −56 dBFS: what is quieter is nobody who means to be heard.
  private let quietest: Float = 2.5e-6
  /// Blocks: a click is shorter than a syllable.
  private let onset = 4
  private let hangoverBlocks = 25

  init(block: Int) {
    self.block = block
    highPass = .highPass(200, rate: 100 * block)
    lowPass = .lowPass(3400, rate: 100 * block)
    band = .allocate(capacity: block)
    band.initialize(repeating: 0, count: block)
  }

  deinit { band.deallocate() }

  /// One block of 10 ms.
  @_noLocks @_noAllocation
  mutating func update(_ samples: UnsafePointer<Float>) {
    highPass.process(samples, into: band, frames: block)
    lowPass.process(band, into: band, frames: block)
    let power = meanSquare(band, frames: block)
    isActive = power > max(ratio * floor.power, quietest)
    floor.update(power: power)
    evidence = isActive ? min(evidence + 1, 2 * onset) : max(evidence - 1, 0)
    if evidence >= onset {
      hangover = hangoverBlocks
    } else if hangover > 0 {
      hangover -= 1
    }
    hasVoice = hangover > 0
  }
}

/// Mean square of `frames` samples, in four sums that the compiler keeps in one register.
@_noLocks @_noAllocation
func meanSquare(_ samples: UnsafePointer<Float>, frames: Int) -> Float {
  var sums = SIMD4<Float>.zero
  var i = 0
  while i + 4 <= frames {
    let x = SIMD4(samples[i], samples[i + 1], samples[i + 2], samples[i + 3])
    sums += x * x
    i += 4
  }
  var sum = sums[0] + sums[1] + sums[2] + sums[3]
  while i < frames {
    sum += samples[i] * samples[i]
    i += 1
  }
  return sum / Float(frames)
}

/// Largest magnitude of `frames` samples.
@_noLocks @_noAllocation
func peak(_ samples: UnsafePointer<Float>, frames: Int) -> Float {
  var peaks = SIMD4<Float>.zero
  var i = 0
  while i + 4 <= frames {
    let x = SIMD4(samples[i], samples[i + 1], samples[i + 2], samples[i + 3])
    peaks = pointwiseMax(peaks, pointwiseMax(x, -x))
    i += 4
  }
  var highest = max(max(peaks[0], peaks[1]), max(peaks[2], peaks[3]))
  while i < frames {
    highest = max(highest, abs(samples[i]))
    i += 1
  }
  return highest
}
