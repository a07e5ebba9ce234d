/// Tells when a tone has ended before the far end's first words: a chime, or a ringing tone.
///
/// Abrupt notes excite all bins for a moment (`Excitation`), but all partitions alike: the filters take what they learn from them for the
/// path, and trust it. Words excite them for longer than a click does. Own method. [realtime]
struct FirstWords {
  /// A Boolean value indicating whether the far end has played something else than tones for longer than a click.
  private(set) var wereHeard = false

  private var wasTone = false
  private var playedHops = 0
  private var broadHops = 0
  private var quietHops = 0
  /// Hops of words; of a pause; and of all that was played before a tone counts.
  private let leastWord, leastPause, leastPlayed: Int

  init(layout: FilterLayout, tuning: Tuning.FirstWords = .standard) {
    leastWord = layout.hops(tuning.word)
    leastPause = layout.hops(tuning.pause)
    leastPlayed = layout.hops(tuning.played)
  }

  /// Processes a hop of the far end. Tells if a tone has ended, in a pause or by something else, before any words.
  @_noLocks @_noAllocation
  mutating func observe(_ excitation: borrowing Excitation, isFarEnd: Bool) -> PathNews? {
    if wereHeard { return nil }
    if isFarEnd {
      playedHops += 1
      quietHops = 0
      if excitation.isTone { wasTone = true }
      broadHops = excitation.isTonal ? 0 : broadHops + 1
      wereHeard = broadHops >= leastWord
    } else {
      quietHops += 1
      if excitation.isTonal || quietHops >= leastPause { broadHops = 0 }
    }
    guard wasTone, quietHops >= leastPause || broadHops > 0 else { return nil }
    wasTone = false
    return playedHops >= leastPlayed ? .toneEnded : nil
  }
}
