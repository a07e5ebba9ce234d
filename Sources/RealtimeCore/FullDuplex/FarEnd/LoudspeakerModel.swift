internal import CKernels
internal import CRealtime

/// Distorts the far end as the loudspeaker does, so that the echo of a distorting loudspeaker is linear in it: a Hammerstein model, whose
/// linear part is the adaptive filter itself. The estimator is own: recursive least squares over the filter's error, with forgetting.
///
///     x' = x + Σ a v;   Y = Σ V W, by term, with the weights of the careful filter;   E: its error
///     R ← (1 − f) R + window / transform · Σ Re(Y* Yᵀ) / D;   r ← (1 − f) r + Σ Re(Y* E) / D + (the same sums) a
///     a = (R + ridge)⁻¹ r, shrunk towards 0 unless it is far beyond its deviation
///
/// A filter of its own for each distortion has as many weights as the path, which takes seconds to learn. Here a distortion is one number,
/// because it takes the same way through the room as everything else that the loudspeaker plays; that number is known within a second, also
/// in double talk. A stereo pair is assumed to be identical.
///
/// Cost: every four hops, the distance of two partitions, a transform of each term, of both channels in stereo, and an update of 8
/// partitions; after 4 s every second of the updates. [realtime] except `init` and `deinit`.
struct LoudspeakerModel: ~Copyable {
  /// The coefficient a of each term.
  let coefficients: Samples

  private let layout: FilterLayout
  private let tuning: Tuning.LoudspeakerModel
  private let transform: FourierTransform
  private var terms: LoudspeakerTerms
  /// The far end's gain from `ReferenceLevel`, at which the terms are computed.
  private var gain: Float = 1
  /// The newest `transform` samples of each term, by channel.
  private let windows: SlidingWindows
  /// Spectra by channel, frame and term: `speechBins` real parts, as many imaginary ones.
  private let ring: Samples
  /// By frame: whether the channels are identical, so that the second shares the first one's spectra.
  private let isMono: Buffer<Bool>
  /// Number of frames in the ring, one every `partitionHops` hops.
  private let frames: Int
  private var newest = 0
  /// A Boolean value indicating whether both channels played the same in the newest hop: the windows of the second one are then not kept.
  private var wasMono = true
  /// Frames since the far end's last gap, at most `frames`.
  private var liveFrames = 0
  /// Hops of the far end so far, and as of the newest frame.
  private var hops = 0
  private var hopsAtNewest = 0
  /// A frame is taken when the number of hops modulo `partitionHops` equals this.
  private var phase = 0
  /// The echo of each term: `speechBins` real parts, as many imaginary ones.
  private let echoes: Samples
  /// R, r, and the augmented matrix [R | r | I] for elimination.
  private let information, evidence, equations: Samples
  /// Turns to update since the loudspeaker may have changed, and how many of them are all taken.
  private var turns = 0
  private let beginning: Int
  /// f: the share that is forgotten per update.
  private let forgetting: Float
  /// Partitions used to predict the echo of a term, 0.17 s: most of its power.
  private let partitions: Int

  private static var count: Int {
    @_noLocks @_noAllocation get { LoudspeakerTerms.count }
  }
  /// Typical coefficient of a term.
  @_noLocks @_noAllocation
  private func usual(_ term: Int) -> Float {
    term == 0 ? tuning.usualSaturation : term == 1 ? tuning.usualAsymmetry : tuning.usualWeakening
  }

  /// - Parameter transform: of `layout.transform` samples.
  init(layout: FilterLayout, tuning: Tuning = .standard, transform: borrowing FourierTransform) {
    self.layout = layout
    self.tuning = tuning.loudspeakerModel
    self.transform = FourierTransform(sharing: transform)
    terms = LoudspeakerTerms(layout: layout, tuning: tuning.loudspeakerTerms, channels: 2)
    windows = SlidingWindows(count: 2 * LoudspeakerTerms.count, length: layout.transform, block: layout.hop)
    frames = layout.reach + 1
    ring = Samples(2 * LoudspeakerTerms.count * frames * 2 * layout.speechBins)
    isMono = Buffer(repeating: true, count: frames)
    echoes = Samples(LoudspeakerTerms.count * 2 * layout.speechBins)
    coefficients = Samples(LoudspeakerTerms.count)
    information = Samples(LoudspeakerTerms.count * LoudspeakerTerms.count)
    evidence = Samples(LoudspeakerTerms.count)
    equations = Samples(LoudspeakerTerms.count * (2 * LoudspeakerTerms.count + 1))
    forgetting = 1 - layout.perHop(tuning.loudspeakerModel.memory, every: layout.partitionHops)
    partitions = min(8, layout.partitions)
    beginning = layout.hops(tuning.loudspeakerModel.beginning) / layout.partitionHops
  }

  /// Distorts one hop of each channel in place.
  ///
  /// - Parameters:
  ///   - right: nil if both play the same.
  ///   - saturation: becomes the channels' mean of what a saturating loudspeaker adds, which has a filter of its own: the second branch of
  ///     an orthogonalized power filter (Kuech and Kellermann 2006).
  @_noLocks @_noAllocation
  mutating func distort(
    _ left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, saturation: UnsafeMutablePointer<Float>
  ) {
    hops += 1
    if right != nil, wasMono {
      for term in 0..<Self.count { windows.duplicate(term, as: Self.count + term) }
    }
    wasMono = right == nil
    distort(left, channel: 0)
    copy(terms.saturation, to: saturation, frames: layout.hop)
    if let right {
      distort(right, channel: 1)
      average(saturation, terms.saturation, frames: layout.hop)
    } else {
      terms.join()
    }
    guard hops % layout.partitionHops == phase else { return }
    newest = newest + 1 == frames ? 0 : newest + 1
    hopsAtNewest = hops
    liveFrames = min(liveFrames + 1, frames)
    isMono.start[newest] = right == nil
    for channel in 0..<(right == nil ? 1 : 2) {
      for term in 0..<Self.count {
        let slot = self.slot(newest, channel: channel, term: term)
        transform.forward(windows[channel * Self.count + term], re: slot, im: slot + layout.speechBins, bins: layout.speechBins)
      }
    }
  }

  @_noLocks @_noAllocation
  private mutating func distort(_ samples: UnsafeMutablePointer<Float>, channel: Int) {
    terms.measure(samples, channel: channel, gain: gain)
    for term in 0..<Self.count {
      let value = terms.values + term * layout.hop, coefficient = coefficients[term]
      windows.push(value, onto: channel * Self.count + term)
      if coefficient == 0 { continue }
      for i in stride(from: 0, to: layout.hop, by: 8) {
        store8(load8(samples + i) + coefficient * load8(value + i), to: samples + i)
      }
    }
  }

  /// Adapts to a change of `ReferenceLevel`'s gain by this factor. The loudspeaker stays the same: terms of second order in the far end
  /// grow by the factor, so their coefficients shrink by it.
  @_noLocks @_noAllocation
  mutating func rescale(by factor: Float) {
    gain *= factor
    for term in 1..<Self.count {
      for other in 0..<Self.count {
        information[term * Self.count + other] *= factor
        information[other * Self.count + term] *= factor
      }
      evidence[term] *= factor
      coefficients[term] /= factor
    }
  }

  /// After a gap in the far end, what was learnt of the loudspeaker is kept; without trust, a part of it, because it may be another one. A
  /// path changes with the room, too: it is the same loudspeaker.
  @_noLocks @_noAllocation
  mutating func lose(_ loss: Loss) {
    switch loss {
    case .history: liveFrames = 0
    case .trust:
      turns = 0
      for i in 0..<Self.count * Self.count { information[i] *= tuning.kept }
      for term in 0..<Self.count { evidence[term] *= tuning.kept }
    case .path: break
    }
  }

  /// Learns from a filter's newest error, every `partitionHops` hops, right after the filter has learnt from it.
  ///
  /// - Parameter offset: the delay in hops at which the filter's window starts.
  @_noLocks @_noAllocation
  mutating func learn(from filter: borrowing KalmanFilter, offset: Int, isStereo: Bool) {
    // The filter's first partition reads the far end of `offset` hops ago, where a frame is needed.
    let wanted = (hops - offset + layout.slots) % layout.partitionHops, ahead = hopsAtNewest - (hops - offset)
    if wanted != phase {
      (phase, liveFrames) = (wanted, 0)
      return
    }
    let first = ahead / layout.partitionHops
    guard ahead >= 0, first + partitions <= liveFrames else { return }
    turns += 1
    // What has been learnt for long changes slowly: half of the updates, of twice the weight, do.
    let isSettled = turns > beginning
    if isSettled, turns % 2 == 0 { return }
    predict(filter, age: first, isStereo: isStereo)
    accumulate(filter, weight: isSettled ? 2 : 1)
    solve(step: isSettled ? 1 - (1 - tuning.step) * (1 - tuning.step) : tuning.step)
  }

  /// Predicts the echo of each term.
  @_noLocks @_noAllocation
  private func predict(_ filter: borrowing KalmanFilter, age: Int, isStereo: Bool) {
    let bins = layout.speechBins
    clear(echoes.start, frames: Self.count * 2 * bins)
    for partition in 0..<partitions {
      let frame = newest - age - partition < 0 ? newest - age - partition + frames : newest - age - partition
      for channel in 0..<(isStereo ? 2 : 1) {
        let w = filter.row(channel * layout.partitions + partition)
        for term in 0..<Self.count {
          let v = slot(frame, channel: isMono.start[frame] ? 0 : channel, term: term), echo = echoes + term * 2 * bins
          nearend_multiply_add(v, v + bins, w, w + layout.bins, echo, echo + bins, Int32(bins))
        }
      }
    }
  }

  @_noLocks @_noAllocation
  private mutating func accumulate(_ filter: borrowing KalmanFilter, weight: Float) {
    let share = weight * Float(layout.window) / Float(layout.transform), forgetting = weight * forgetting, bins = layout.speechBins,
      inverse = UnsafePointer(filter.inverse.start)
    for term in 0..<Self.count {
      let echo = echoes + term * 2 * bins
      let found = weight * product(echo, echo + bins, filter.error.re, filter.error.im, inverse)
      evidence[term] += found - forgetting * evidence[term]
    }
    for term in 0..<Self.count {
      for other in term..<Self.count {
        let echo = echoes + term * 2 * bins, otherEcho = echoes + other * 2 * bins
        let newest = share * product(echo, echo + bins, otherEcho, otherEcho + bins, inverse)
        let sum = information[term * Self.count + other] + newest - forgetting * information[term * Self.count + other]
        information[term * Self.count + other] = sum
        information[other * Self.count + term] = sum
        evidence[term] += newest * coefficients[other]
        if other != term { evidence[other] += newest * coefficients[term] }
      }
    }
  }

  /// Returns Σ Re(a* b) / D.
  @_noLocks @_noAllocation
  private func product(
    _ aRe: UnsafePointer<Float>, _ aIm: UnsafePointer<Float>, _ bRe: UnsafePointer<Float>, _ bIm: UnsafePointer<Float>,
    _ inverse: UnsafePointer<Float>
  ) -> Float {
    var sum = SIMD8<Float>.zero
    for k in stride(from: 0, to: layout.speechBins, by: 8) {
      let real: SIMD8<Float> = load8(aRe + k) * load8(bRe + k), imaginary: SIMD8<Float> = load8(aIm + k) * load8(bIm + k)
      sum += load8(inverse + k) * (real + imaginary)
    }
    return sum.sum()
  }

  /// Solves for the coefficients and their variances by Gauss-Jordan elimination; the ridge keeps every pivot positive.
  @_noLocks @_noAllocation
  private mutating func solve(step: Float) {
    let count = Self.count, width = 2 * count + 1
    for term in 0..<count {
      let row = equations + term * width
      for other in 0..<count {
        row[other] = information[term * count + other]
        row[count + 1 + other] = 0
      }
      row[term] += tuning.caution / (usual(term) * usual(term))
      row[count] = evidence[term]
      row[count + 1 + term] = 1
    }
    for pivot in 0..<count {
      let row = equations + pivot * width, scale = 1 / row[pivot]
      for i in 0..<width { row[i] *= scale }
      for other in 0..<count where other != pivot {
        let factor = equations[other * width + pivot]
        for i in 0..<width { equations[other * width + i] -= factor * row[i] }
      }
    }
    for term in 0..<count {
      let estimate = equations[term * width + count], variance = equations[term * width + count + 1 + term]
      let shrunk = estimate * max(1 - tuning.significance * variance / (estimate * estimate + 1e-12), 0), limit = tuning.most * usual(term)
      coefficients[term] += step * (min(max(shrunk, -limit), limit) - coefficients[term])
    }
  }

  @_noLocks @_noAllocation
  private func slot(_ frame: Int, channel: Int, term: Int) -> UnsafeMutablePointer<Float> {
    ring + ((channel * frames + frame) * Self.count + term) * 2 * layout.speechBins
  }
}
