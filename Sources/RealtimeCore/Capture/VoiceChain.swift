/// One of the two chains behind one face, so that the audio thread switches on a value and calls no class and no existential.
/// [realtime] but for `init` and `deinit`.
struct VoiceChain: ~Copyable {
  /// Behind pointers: a chain that is large is never moved, and the control side reads `delay` and `block` while it runs.
  private enum Kind {
    case nearend(UnsafeMutablePointer<NearendChain>)
    case webrtc(UnsafeMutablePointer<WebRTCChain>)
  }

  private let kind: Kind
  /// Frames of a block.
  let block: Int
  /// Frames by which the voice is later than the microphone, beyond blocking.
  let delay: Int

  /// Allocates everything. [control]
  /// - Throws: `CapturePathError.libraryRefused`.
  init(_ engine: VoiceEngine, rate: Int, controls: CaptureControlCells, meters: CaptureMeterCells) throws(CapturePathError) {
    switch engine {
    case .nearend:
      let chain = UnsafeMutablePointer<NearendChain>.allocate(capacity: 1)
      chain.initialize(to: NearendChain(rate: rate, controls: controls))
      kind = .nearend(chain)
      (block, delay) = (chain.pointee.block, chain.pointee.delay)
    case .webrtc:
      let made = try WebRTCChain(rate: rate, controls: controls, errors: meters.errors)
      let chain = UnsafeMutablePointer<WebRTCChain>.allocate(capacity: 1)
      chain.initialize(to: made)
      kind = .webrtc(chain)
      (block, delay) = (chain.pointee.block, chain.pointee.delay)
    }
  }

  deinit {
    switch kind {
    case .nearend(let chain):
      chain.deinitialize(count: 1)
      chain.deallocate()
    case .webrtc(let chain):
      chain.deinitialize(count: 1)
      chain.deallocate()
    }
  }

  /// After the last block.
  var readings: ChainReadings {
    @_noLocks @_noAllocation get {
      switch kind {
      case .nearend(let chain): chain.pointee.readings
      case .webrtc(let chain): chain.pointee.readings
      }
    }
  }

  /// One block in place: the microphone in, the voice out.
  ///
  /// - Parameters:
  ///   - left, right: what the speaker plays.
  ///   - unheard: the microphone's own sound where `samples` is silent because it is muted before processing (D1), else nil; overwritten.
  @_noLocks @_noAllocation
  func process(
    _ samples: UnsafeMutablePointer<Float>, left: UnsafePointer<Float>, right: UnsafePointer<Float>,
    unheard: UnsafeMutablePointer<Float>?
  ) {
    switch kind {
    case .nearend(let chain): chain.pointee.process(samples, left: left, right: right, unheard: unheard)
    case .webrtc(let chain): chain.pointee.process(samples, left: left, right: right, unheard: unheard)
    }
  }

  /// Another loudspeaker or microphone: the echo comes by another way.
  @_noLocks @_noAllocation
  func echoPathChanged() {
    switch kind {
    case .nearend(let chain): chain.pointee.echoPathChanged()
    case .webrtc(let chain): chain.pointee.echoPathChanged()
    }
  }

  /// Takes over from another chain what does not depend on the engine: what is known of the talker.
  @_noLocks @_noAllocation
  func goOn(from other: borrowing VoiceChain) {
    switch other.kind {
    case .nearend(let old): goOn(from: old.pointee.ends)
    case .webrtc(let old): goOn(from: old.pointee.ends)
    }
  }

  @_noLocks @_noAllocation
  private func goOn(from ends: borrowing ChainEnds) {
    switch kind {
    case .nearend(let chain): chain.pointee.goOn(from: ends)
    case .webrtc(let chain): chain.pointee.goOn(from: ends)
    }
  }
}
