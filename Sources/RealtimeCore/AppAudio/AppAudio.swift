import Synchronization

/// Application audio on its way into the outgoing microphone (D4, D5): the control side. `AppAudioPath` is its half on the audio thread.
///
///     capture, ring sinks ─▶ mixer ─▶ ducking ─┬─────────────▶ speaker, where it is monitored
///     microphone ─▶ voice processing ─▶ mute ─▶ micVolume ─▶ + ─▶ limiter ─▶ voice, source
///
/// It joins the voice after processing and mute: it is never treated as echo or noise, and muting the microphone mutes the person, not what
/// a program plays.
// `@unchecked Sendable`: cells are atomic; the sink that `capture` writes to is guarded by a lock that the audio thread never takes.
package final class AppAudio: @unchecked Sendable {
  /// The sources, each a ring sink; `masterGain` is the volume of application audio.
  package let mixer = Mixer()

  let cells: AppAudioCells
  private let memory: CellBlock
  private struct Capture {
    var sink: RingSink?
    var count = 0
  }
  private let capturing = Mutex(Capture())

  /// Id of the source that `capture` writes to; not available to clients.
  package static let captureId = "(program)"
  /// Seconds that the source can hold.
  package static let captureSeconds = 2

  init() {
    var memory = CellBlock()
    cells = AppAudioCells(&memory)
    self.memory = memory
  }

  /// Whether application audio is captured; if not, the microphone's volume is 1, whatever `micVolume` is; ramps over 10 ms. Default: true.
  /// [any]
  package var isEnabled: Bool {
    get { cells.isEnabled.load() }
    set { cells.isEnabled.store(newValue) }
  }
  /// Linear gain of the processed microphone, 0–1, after gain control; ramps over 10 ms. Values outside are clamped. [any]
  package var micVolume: Float {
    get { cells.micVolume.load() }
    set { cells.micVolume.store(Self.clamped(newValue)) }
  }
  /// Linear gain of application audio, 0–1; ramps over 10 ms. Values outside are clamped. [any]
  package var appVolume: Float {
    get { mixer.masterGain }
    set { mixer.masterGain = Self.clamped(newValue) }
  }
  /// Lowers application audio by 12 dB while the near end talks into the microphone. [any]
  package var isDucked: Bool {
    get { cells.isDucked.load() }
    set { cells.isDucked.store(newValue) }
  }
  /// Plays application audio on the local speaker as well. [any]
  package var isMonitored: Bool {
    get { cells.isMonitored.load() }
    set { cells.isMonitored.store(newValue) }
  }
  /// The linear gain of ducking now; 1 if not ducked. [any]
  package var duckGain: Float { cells.duckGain.load() }
  /// Whether the last cycle contained application audio. [any]
  package var isSounding: Bool { cells.isSounding.load() }

  private static func clamped(_ volume: Float) -> Float { volume.isNaN ? 1 : min(max(volume, 0), 1) }

  /// Appends a buffer to the captured audio. Returns false, and plays none of it, if it does not fit or capturing is disabled. A buffer of
  /// another rate or channel count starts a new stream; the rest of the old one plays out alongside it. [any]
  package func capture(_ buffer: AppAudioBuffer) -> Bool { offer(buffer) == .played }

  /// What became of a captured buffer.
  package enum CaptureOutcome: Sendable {
    case played
    /// Capturing is disabled.
    case off
    /// More than `captureSeconds` would wait.
    case full
    /// The mixer has no place for another stream.
    case refused
  }

  /// As `capture`, with the reason. [any]
  package func offer(_ buffer: AppAudioBuffer) -> CaptureOutcome {
    guard isEnabled else { return .off }
    guard buffer.frameCount > 0 else { return .played }
    return capturing.withLock { capture in
      guard let sink = sink(for: buffer, &capture) else { return .refused }
      return buffer.samples.withUnsafeBytes { sink.write($0) } ? .played : .full
    }
  }

  private func sink(for buffer: AppAudioBuffer, _ capture: inout Capture) -> RingSink? {
    let old = capture.sink
    if let old, !old.isRemoved, old.format.sampleRate == buffer.sampleRate, old.format.channelCount == buffer.channelCount { return old }
    guard
      let format = try? SinkFormat(sampleRate: buffer.sampleRate, channelCount: buffer.channelCount, sampleType: .float32),
      let new = try? RingSink(
        id: Self.captureId + (capture.count == 0 ? "" : "-\(capture.count + 1)"), format: format,
        capacityBytes: Self.captureSeconds * buffer.sampleRate * format.bytesPerFrame), (try? mixer.add(new)) != nil
    else { return nil }
    old?.end()
    capture.count += 1
    capture.sink = new
    return new
  }

  /// Ends the captured audio: it plays out, and its source is removed afterwards. [any]
  package func endCapture() {
    capturing.withLock { capture in
      capture.sink?.end()
      capture.sink = nil
    }
  }

  /// Releases captured streams that have played out, and memory that the audio thread no longer holds. Call it periodically. [control]
  package func collect() {
    // Under the lock: a new stream is in the mixer before it is the current one, and idle until its first buffer.
    capturing.withLock { capture in
      for sink in mixer.ringSinks where sink !== capture.sink && isOver(sink) { mixer.remove(id: sink.id) }
    }
    mixer.collect()
  }

  /// Applies only to captured streams; uploaded ones belong to their clients.
  private func isOver(_ sink: RingSink) -> Bool {
    (sink.id == Self.captureId || sink.id.hasPrefix(Self.captureId + "-")) && sink.isIdle
  }
}

/// The cells shared by the control side of application audio and its path.
struct AppAudioCells: Sendable {
  let isEnabled: FlagCell
  let micVolume: FloatCell
  let isDucked: FlagCell
  let isMonitored: FlagCell
  let duckGain: FloatCell
  let isSounding: FlagCell

  init(_ block: inout CellBlock) {
    isEnabled = FlagCell(block.next(), true)
    micVolume = FloatCell(block.next(), 1)
    isDucked = FlagCell(block.next())
    isMonitored = FlagCell(block.next())
    duckGain = FloatCell(block.next(), 1)
    isSounding = FlagCell(block.next())
  }
}
