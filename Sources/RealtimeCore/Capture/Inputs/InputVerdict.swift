/// What becomes of one channel in the mode `auto`: decided by what its watch measures beside that of the best channel, once enough windows
/// in a row speak for it. Own method. [realtime]
struct InputVerdict: BitwiseCopyable {
  private(set) var use = InputUse.heard
  /// Whether it rests on levels alone, because nobody has talked yet.
  private var isProvisional = false
  /// What the newest windows speak for, and how many of them.
  private var candidate = InputUse.heard
  private var windows = 0

  /// What the last window told of all channels.
  struct Circumstances {
    /// Whether somebody talks, and nothing is played: a voice's level counts.
    let isVoiced: Bool
    /// Whether something is heard, if only the far end.
    let isActive: Bool
    /// Whether the far end plays, or did lately.
    let isPlayed: Bool
    /// Whether there has been enough of voices to compare.
    let isKnown: Bool

    @_noLocks @_noAllocation
    init(isActive: Bool, isPlayed: Bool, isKnown: Bool) {
      (isVoiced, self.isActive, self.isPlayed, self.isKnown) = (isActive && !isPlayed, isActive, isPlayed, isKnown)
    }
  }

  @_noLocks @_noAllocation
  init() {}

  /// Decides after a window.
  @_noLocks @_noAllocation
  mutating func update(_ watch: InputWatch, best: InputWatch, isBest: Bool, _ circumstances: Circumstances) {
    guard let next = judge(watch, best: best, isBest: isBest, circumstances) else { return }
    if next.isSame(as: use) {
      (candidate, windows, isProvisional) = (use, 0, isProvisional && !circumstances.isKnown)
      return
    }
    (candidate, windows) = (next, next.isSame(as: candidate) ? windows + 1 : 1)
    guard windows >= patience(watch, best: best, isBest: isBest, circumstances) else { return }
    use = next
    isProvisional = !next.isSame(as: .heard) && !circumstances.isKnown
    windows = 0
  }

  /// Returns what the last window speaks for; nil where it tells nothing.
  @_noLocks @_noAllocation
  private func judge(_ watch: InputWatch, best: InputWatch, isBest: Bool, _ now: Circumstances) -> InputUse? {
    if isBest { return .heard }
    if watch.isEmpty { return .silent }
    if watch.clippedShare > (use.isSame(as: .clipped) ? 2e-5 : 1e-3), watch.clippedShare > 4 * best.clippedShare { return .clipped }
    // Noise that is the inverse of itself tells as much as a voice, if it is nothing else.
    let inverse: Float = use.isSame(as: .opposite) ? -0.3 : now.isActive ? -0.7 : -0.9
    if watch.correlation < inverse, watch.level > max(1e-8, 0.06 * best.level) { return .opposite }
    guard now.isKnown else {
      // Noise tells an open microphone from an empty input, until a voice does.
      if now.isActive || now.isPlayed { return nil }
      return watch.level < 0.03 * best.level ? .weak : isProvisional || use.isSame(as: .silent) ? .heard : use
    }
    guard now.isVoiced else { return nil }
    // 12 dB, and 9 dB to come back.
    let margin: Float = use.isSame(as: .heard) ? 0.063 : 0.126
    if watch.latestVoice < margin * best.latestVoice { return .weak }
    if watch.standsOut < margin * best.standsOut { return .noisy }
    return .heard
  }

  /// Returns for how many windows that must hold.
  @_noLocks @_noAllocation
  private func patience(_ watch: InputWatch, best: InputWatch, isBest: Bool, _ now: Circumstances) -> Int {
    switch candidate {
    case .silent: 1
    case .clipped, .opposite: 5
    case .weak, .noisy: now.isKnown ? 30 : 1
    case .heard, .unchosen: isBest || isProvisional || watch.voice > best.voice ? 2 : 50
    }
  }
}

extension InputWatch {
  /// How far the voice stands out of the noise, as a ratio of powers, at most 30 dB.
  var standsOut: Float {
    @_noLocks @_noAllocation get { min(latestVoice / max(noise, 1e-11), 1_000) }
  }

  /// By how much it is worth being heard: loud, and out of the noise.
  var worth: Float {
    @_noLocks @_noAllocation get { latestVoice * standsOut }
  }
}
