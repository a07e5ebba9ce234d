/// Either engine's chain behind one interface, so that the audio thread switches on a value and uses neither a class nor an existential.
/// [realtime] except `init` and `deinit`.
struct VoiceChain: ~Copyable {
  /// Behind pointers, so that a large chain is never moved, and the control side can read `delay` and `block` while it runs.
  private enum Kind {
    case nearend(UnsafeMutablePointer<NearendChain>)
    case webrtc(UnsafeMutablePointer<WebRTCChain>)
  }

  private let kind: Kind
  /// Microphones that the engine hears: WebRTC's only the main one. [control]
  // Not stored: Swift 6.0 crashes with another property.
  var microphones: Int {
    switch kind {
    case .nearend(let chain): chain.pointee.microphones
    case .webrtc: 1
    }
  }
  /// Frames per block.
  let block: Int
  /// The delay of the voice in frames, without blocking.
  let delay: Int

  /// Allocates everything; for `off`, nearend's engine. [control]
  /// - Parameters:
  ///   - tuning: of nearend's own engine.
  ///   - microphones: 1…8, the main one first.
  /// - Throws: `CapturePathError.libraryMissing` or `.libraryRefused`.
  init(_ engine: EchoCanceller, rate: Int, tuning: Tuning, controls: CaptureControlCells, microphones: Int = 1) throws(CapturePathError) {
    switch engine {
    case .nearend, .off:
      let chain = NearendChain(rate: rate, tuning: tuning, controls: controls, microphones: microphones)
      (block, delay) = (chain.block, chain.delay)
      kind = .nearend(Owned(chain).release())
    case .webrtc:
      let chain = try WebRTCChain(.installed, rate: rate, controls: controls)
      (block, delay) = (chain.block, chain.delay)
      kind = .webrtc(Owned(chain).release())
    }
  }

  // An enumeration of owners is one that the audio thread cannot switch on: Swift 6.3 takes it for consumed.
  deinit {
    switch kind {
    case .nearend(let chain): _ = Owned(adopting: chain)
    case .webrtc(let chain): _ = Owned(adopting: chain)
    }
  }

  /// The readings after the last block.
  var readings: CaptureMeters {
    @_noLocks @_noAllocation get {
      switch kind {
      case .nearend(let chain): chain.pointee.readings
      case .webrtc(let chain): chain.pointee.readings
      }
    }
  }

  /// Processes one block in place: takes the microphone, outputs the voice.
  ///
  /// - Parameters:
  ///   - left, right: what the speaker plays.
  ///   - lost: the range, in all three, of frames that passed without a cycle: unknown, and zero.
  ///   - others: a block of each further microphone, one after another, in place; silence if nil.
  ///   - unheard: the microphone's own signal if `samples` is silent because of a mute before processing (D1), otherwise nil; overwritten.
  ///   - open: receives the voice without noise suppression, equally late and loud, for voice isolation (V12); nil if it is not wanted.
  @_noLocks @_noAllocation
  func process(
    _ samples: UnsafeMutablePointer<Float>, left: UnsafePointer<Float>, right: UnsafePointer<Float>, lost: Range<Int> = 0..<0,
    others: UnsafeMutablePointer<Float>? = nil, unheard: UnsafeMutablePointer<Float>?, open: UnsafeMutablePointer<Float>? = nil
  ) {
    switch kind {
    case .nearend(let chain):
      chain.pointee.process(samples, left: left, right: right, lost: lost, others: others, unheard: unheard, open: open)
    case .webrtc(let chain): chain.pointee.process(samples, left: left, right: right, unheard: unheard, open: open)
    }
  }

  /// Reports that a whole block passed without a cycle. Returns false if the block must be processed as silence instead, as in WebRTC's
  /// engine.
  @_noLocks @_noAllocation
  func loseBlock() -> Bool {
    guard case .nearend(let chain) = kind else { return false }
    chain.pointee.loseBlock()
    return true
  }

  /// Reports a different loudspeaker or microphone, and thus a different echo path.
  @_noLocks @_noAllocation
  func echoPathChanged() {
    switch kind {
    case .nearend(let chain): chain.pointee.echoPathChanged()
    case .webrtc(let chain): chain.pointee.echoPathChanged()
    }
  }

  /// Reports that one of an array's microphones, by its place, 1…7, has changed places with the first.
  @_noLocks @_noAllocation
  func changePlaces(ofFirstAnd place: Int) {
    if case .nearend(let chain) = kind { chain.pointee.changePlaces(ofFirstAnd: place) }
  }

  /// Reports that the speaker's volume has changed by this factor.
  @_noLocks @_noAllocation
  func scaleEcho(by factor: Float) {
    switch kind {
    case .nearend(let chain): chain.pointee.scaleEcho(by: factor)
    case .webrtc(let chain): chain.pointee.scaleEcho(by: factor)
    }
  }

  /// Reports that the voice had no consumer since the last block, and that the far end of that time is unknown. WebRTC's engine ignores it:
  /// it adapts to what it hears.
  @_noLocks @_noAllocation
  func resume() {
    if case .nearend(let chain) = kind { chain.pointee.resume() }
  }

  /// Adopts from another chain what does not depend on the engine: what is known of the talker.
  @_noLocks @_noAllocation
  func adopt(_ other: borrowing VoiceChain) {
    switch other.kind {
    case .nearend(let old): adopt(old.pointee.ends)
    case .webrtc(let old): adopt(old.pointee.ends)
    }
  }

  @_noLocks @_noAllocation
  private func adopt(_ ends: borrowing ChainEnds) {
    switch kind {
    case .nearend(let chain): chain.pointee.adopt(ends)
    case .webrtc(let chain): chain.pointee.adopt(ends)
    }
  }
}
