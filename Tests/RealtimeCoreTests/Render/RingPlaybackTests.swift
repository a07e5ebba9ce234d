import Testing

@testable import RealtimeCore

/// When a ring sink plays; without audio.
@Suite struct RingPlaybackTests {
  typealias State = SinkStatus.State

  /// The observation of a cycle of 10 ms: by default 100 frames have been written to the ring; it has refused `drops` writes.
  private static func found(
    _ fill: Int, written: UInt64 = 100, drops: UInt64 = 0, ended: Bool = false, missing: Double = 3, duration: Double = 0.01
  ) -> RingPlayback.Finding {
    RingPlayback.Finding(fill: fill, written: written, drops: drops, hasEnded: ended, missing: missing, duration: duration)
  }

  /// A playback in this state, reached in the fewest steps.
  private static func playback(_ state: State) -> RingPlayback {
    var playback = RingPlayback()
    switch state {
    case .idle: break
    case .buffering: _ = playback.start(found(100))
    case .playing: _ = playback.start(found(100, missing: 0))
    case .underrun:
      _ = playback.start(found(100, missing: 0))
      _ = playback.ranDry(hasEnded: false)
    }
    #expect(playback.state == state)
    return playback
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let what: String
    let from: State
    let found: RingPlayback.Finding
    let to: State
    /// The share of the cycle after which it plays; nil if it does not play.
    let offset: Double?

    init(_ what: String, _ from: State, _ found: RingPlayback.Finding, _ to: State, _ offset: Double? = nil) {
      (self.what, self.from, self.found, self.to, self.offset) = (what, from, found, to, offset)
    }
    var testDescription: String { what }
  }

  private static let rows = [
    Row("nothing written", .idle, found(0), .idle),
    Row("ended before anything was written", .idle, found(0, ended: true), .idle),
    Row("a first write", .idle, found(40), .buffering),
    Row("a first write with more than the target", .idle, found(400, missing: -1), .playing, 0),
    Row("a first write within a cycle of the target", .idle, found(90, missing: 0.25), .playing, 0.25),
    Row("all of a stream that has ended", .idle, found(40, ended: true), .playing, 0),

    Row("too little still", .buffering, found(40, written: 140), .buffering),
    Row("a whole cycle too little", .buffering, found(80, written: 140, missing: 1), .buffering),
    Row("a part of a cycle too little", .buffering, found(99, written: 140, missing: 0.75), .playing, 0.75),
    Row("the target", .buffering, found(200, written: 200, missing: 0), .playing, 0),
    Row("the end of a stream that never reached the target", .buffering, found(40, ended: true), .playing, 0),
    Row("a ring too small for the target is full", .buffering, found(40, drops: 1), .playing, 0),
    Row("patience is over at the limit", .buffering, found(40, duration: RingPlayback.patience), .playing, 0),
    Row("patience is not over", .buffering, found(40, duration: 0.9 * RingPlayback.patience), .buffering),
    Row("a write begins patience anew", .buffering, found(40, written: 101, duration: 9), .buffering),

    Row("still nothing", .underrun, found(0), .underrun),
    Row("the end after a gap", .underrun, found(0, ended: true), .idle),
    Row("a write after a gap", .underrun, found(40, written: 140), .buffering),
    Row("the target after a gap", .underrun, found(200, written: 300, missing: -0.5), .playing, 0),
    Row("drops before the gap do not count", .underrun, found(40, written: 140, drops: 9), .buffering),
  ]

  @Test("K3, K5: state and fill decide whether a silent sink plays, and from where in the cycle", arguments: rows)
  func transitions(_ row: Row) {
    var playback = Self.playback(row.from)
    let offset = playback.start(row.found)
    #expect(offset == row.offset)
    #expect(playback.state == row.to)
  }

  @Test("K5: patience is measured over cycles, from the last write on")
  func patience() {
    let step = 1.0 / 64
    func quiet(_ playback: inout RingPlayback, _ written: UInt64) -> Double? {
      playback.start(Self.found(40, written: written, duration: step))
    }
    var playback = RingPlayback()
    var silent: [Double?] = []
    for _ in 0..<12 { silent.append(quiet(&playback, 100)) }
    silent.append(quiet(&playback, 120))
    for _ in 0..<12 { silent.append(quiet(&playback, 120)) }
    #expect(silent.allSatisfy { $0 == nil })
    let offset = quiet(&playback, 120)
    #expect(offset == 0, "0.2 s, in cycles of 16 ms")
  }

  @Test("K5: running dry is an underrun unless the writer has ended; a second without a gap ends a run")
  func runs() {
    for hasEnded in [false, true] {
      var playback = Self.playback(.playing)
      let isUnderrun = playback.ranDry(hasEnded: hasEnded)
      #expect(isUnderrun == !hasEnded)
      #expect(playback.state == (hasEnded ? .idle : .underrun))
    }
    var playback = Self.playback(.playing)
    let isSoonOver = playback.played(0.75)
    #expect(!isSoonOver)
    let isOver = playback.played(0.25)
    #expect(isOver)
    _ = playback.ranDry(hasEnded: false)
    let again = playback.start(Self.found(200, missing: 0))
    #expect(again == 0)
    let isOverAgain = playback.played(0.75)
    #expect(!isOverAgain, "it is counted from where it began to play")
  }

  @Test(
    "R5: a held ring resumes its audio in every state, unless it is stale",
    arguments: [State.idle, .buffering, .playing, .underrun])
  func holds(_ state: State) {
    var playback = Self.playback(state)
    playback.pause(drops: 4)
    #expect(playback.isPaused && playback.state == (state == .playing ? .buffering : state))
    #expect(!playback.isStale(drops: 4) && playback.isStale(drops: 5))
    var (full, empty) = (playback, playback)
    full.resume(fill: 100, written: 300)
    #expect(!full.isPaused && full.state == playback.state)
    // A buffering sink does not mistake drops before the pause for a full ring.
    let offset = full.start(Self.found(100, written: 300, drops: 4))
    #expect(offset == nil)
    empty.resume(fill: 0, written: 300)
    #expect(!empty.isPaused && empty.state == .idle)
  }

  @Test("S2: reset makes every state idle, and breaks off only what plays", arguments: [State.idle, .buffering, .playing, .underrun])
  func resets(_ state: State) {
    var playback = Self.playback(state)
    let breaksOff = playback.reset()
    #expect(breaksOff == (state == .playing))
    #expect(playback.state == .idle)
  }

  @Test("K5: the states' numbers are those that are reported")
  func codes() {
    var memory = CellBlock()
    let cell = StateCell(memory.next())
    #expect(cell.load() == .idle)
    for state in [State.playing, .underrun, .buffering, .idle] {
      cell.store(Self.playback(state).state)
      #expect(cell.load() == state)
    }
  }
}
