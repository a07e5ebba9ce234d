/// Determines who talks when: a pure function of the seconds since an epoch, so that processes with the same seed and epoch agree without
/// communication. [any]
package struct Conversation: Sendable, Equatable {
  /// Who talks.
  package enum Phase: String, Codable, Sendable, CaseIterable { case silence, farEnd, nearEnd, doubleTalk }
  /// The order in which phases follow one another.
  package enum Script: String, Codable, Sendable, CaseIterable {
    /// Rounds of far end alone, near end alone, double talk, silence.
    case alternating
    /// The far end alone, endlessly.
    case farEndOnly
    /// The near end alone, endlessly.
    case nearEndOnly
  }
  /// A phase with its time in seconds.
  package struct Span: Sendable, Equatable {
    /// Who talks during the span.
    package var phase: Phase
    /// Its time since the epoch; infinite if nothing precedes or follows.
    package var seconds: Range<Double>
  }

  /// The order of the phases.
  package let script: Script
  /// Determines how long phases last, and whose turn it is at the far end.
  package let seed: UInt64
  /// Number of remote participants.
  package let talkers: Int

  /// Length of a round of the alternating script, in seconds.
  private static let round = 24.0

  /// Creates a conversation of `talkers` remote participants and one talker in the room.
  package init(_ script: Script = .alternating, seed: UInt64 = 1, talkers: Int = 3) {
    self.script = script
    self.seed = seed
    self.talkers = talkers
  }

  /// Returns the span that contains `time`; silence before the epoch.
  package func span(at time: Double) -> Span {
    guard time >= 0 else { return Span(phase: .silence, seconds: -.infinity..<0) }
    switch script {
    case .farEndOnly: return Span(phase: .farEnd, seconds: 0 ..< .infinity)
    case .nearEndOnly: return Span(phase: .nearEnd, seconds: 0 ..< .infinity)
    case .alternating:
      let round = (time / Self.round).rounded(.down)
      let start = round * Self.round
      var generator = generator(for: UInt64(round))
      let far = generator.uniform(8.5...9.5)
      let near = far + generator.uniform(5...6)
      let double = near + generator.uniform(5...6)
      // Avoids an array, because the room calls this on its audio thread.
      switch time - start {
      case ..<far: return Span(phase: .farEnd, seconds: start..<(start + far))
      case ..<near: return Span(phase: .nearEnd, seconds: (start + far)..<(start + near))
      case ..<double: return Span(phase: .doubleTalk, seconds: (start + near)..<(start + double))
      default: return Span(phase: .silence, seconds: (start + double)..<(start + Self.round))
      }
    }
  }

  /// Returns who talks at `time`, in seconds since the epoch; silence before it.
  package func phase(at time: Double) -> Phase { span(at: time).phase }

  /// Returns the phase; nil within `guardTime` seconds of a change.
  package func settledPhase(at time: Double, guardTime: Double) -> Phase? {
    let span = span(at: time)
    return time - span.seconds.lowerBound >= guardTime && span.seconds.upperBound - time >= guardTime ? span.phase : nil
  }

  /// Returns the span of the near end's talk that contains `time`; nil while it is silent.
  package func nearEndTalk(at time: Double) -> Range<Double>? {
    let span = span(at: time)
    return span.phase == .nearEnd || span.phase == .doubleTalk ? span.seconds : nil
  }

  /// Returns the span of talk of remote participant `talker`, 0…`talkers` − 1, that contains `time`; nil while it is silent.
  ///
  /// They take turns of 3 s in a varying order; in every third turn another one joins.
  package func farEndTalk(_ talker: Int, at time: Double) -> Range<Double>? {
    let span = span(at: time)
    guard span.phase == .farEnd || span.phase == .doubleTalk else { return nil }
    let length = 3.0
    let turn = ((time - span.seconds.lowerBound) / length).rounded(.down)
    let start = span.seconds.lowerBound + turn * length
    var generator = generator(for: UInt64(start * 1_000) &+ 0x7475_726e)
    let first = Int(generator.next() % UInt64(max(1, talkers)))
    let second = (first + 1 + Int(generator.next() % UInt64(max(1, talkers - 1)))) % max(1, talkers)
    let isTalking = talker == first || (talker == second && Int(turn) % 3 == 2)
    return isTalking ? start..<min(start + length, span.seconds.upperBound) : nil
  }

  private func generator(for number: UInt64) -> SeededGenerator {
    var generator = SeededGenerator(seed: seed &* 0x2545_f491_4f6c_dd1d ^ number)
    _ = generator.next()
    return generator
  }
}
