/// Settings of the capture path that any thread may change while audio runs (V1, V2, L7, V5). [any]
///
/// A change takes effect within one block, 10 ms at most, and never clicks: stages are crossfaded, and switching voice processing costs a
/// short fade-out and fade-in.
public final class CaptureControls: Sendable {
  let cells = CaptureControlCells()

  /// Voice processing with nearend's own engine, every component on, not bypassed, not muted, delay unknown.
  public init() {
    usesVoiceProcessing = true
    isHighPassFilterEnabled = true
    isEchoCancellationEnabled = true
    isNoiseSuppressionEnabled = true
    isGainControlEnabled = true
  }

  deinit { cells.deallocate() }

  /// False passes the microphone through as the voice, without latency or processing (V1).
  public var usesVoiceProcessing: Bool {
    get { cells.usesVoiceProcessing.isOn() }
    set { cells.usesVoiceProcessing.set(newValue) }
  }
  /// True outputs the raw microphone at the processed path's latency; the canceller keeps adapting (V2).
  public var isBypassed: Bool {
    get { cells.isBypassed.isOn() }
    set { cells.isBypassed.set(newValue) }
  }
  /// False lets rumble below 90 Hz through. Default: true.
  public var isHighPassFilterEnabled: Bool {
    get { cells.isHighPassFilterEnabled.isOn() }
    set { cells.isHighPassFilterEnabled.set(newValue) }
  }
  /// False leaves the echo in the voice; the canceller keeps adapting, so that it takes effect at once when switched on again. Default:
  /// true.
  public var isEchoCancellationEnabled: Bool {
    get { cells.isEchoCancellationEnabled.isOn() }
    set { cells.isEchoCancellationEnabled.set(newValue) }
  }
  /// The engine for echo and noise (V10). Changing it requires a new capture path, which `AudioCore.renewCapturePath` makes. Default:
  /// nearend.
  public var engine: VoiceEngine {
    get { cells.usesWebRTC.isOn() ? .webrtc : .nearend }
    set { cells.usesWebRTC.set(newValue == .webrtc) }
  }
  /// False leaves the noise in the voice. No effect in the mode `wideSpectrum`, which never suppresses it. Default: true.
  public var isNoiseSuppressionEnabled: Bool {
    get { cells.isNoiseSuppressionEnabled.isOn() }
    set { cells.isNoiseSuppressionEnabled.set(newValue) }
  }
  /// How the room around the voice is treated (V12). Isolation takes effect once `VoiceIsolation` is ready; until then the mode acts as
  /// `standard`. Default: standard.
  public var mode: CaptureMode {
    get { CaptureMode(rawValue: UInt32(truncatingIfNeeded: cells.mode.count())) ?? .standard }
    set { cells.mode.set(newValue.rawValue) }
  }
  /// False returns the voice to its own level. No effect while bypassed (V3). Default: true.
  public var isGainControlEnabled: Bool {
    get { cells.isGainControlEnabled.isOn() }
    set { cells.isGainControlEnabled.set(newValue) }
  }
  /// True ramps the voice to silence at the very end of the path, within 5 ms and one cycle; processing and voice detection continue (D1,
  /// D2).
  public var isMicrophoneMuted: Bool {
    get { cells.isMicrophoneMuted.isOn() }
    set { cells.isMicrophoneMuted.set(newValue) }
  }
  /// True also silences a muted microphone before processing: the processors hear silence, and the voice follows at their latency (D1,
  /// inputMixer).
  public var mutesInput: Bool {
    get { cells.mutesInput.isOn() }
    set { cells.mutesInput.set(newValue) }
  }
  /// True silences the voice although the microphone is not muted, because the path is only kept warm (S8).
  public var isVoiceOnlyPrepared: Bool {
    get { cells.isVoiceOnlyPrepared.isOn() }
    set { cells.isVoiceOnlyPrepared.set(newValue) }
  }
  /// Frames between a sample of the reference and its echo in the microphone, from the graph's latencies, 0 or more (V5). Places the
  /// reference until the delay is measured.
  public var streamDelay: Int {
    get { cells.streamDelay.count() }
    set { cells.streamDelay.set(UInt32(clamping: newValue)) }
  }
  /// Reports a different loudspeaker or microphone: discards the known delay of the echo, so that the new one is found at once and need not
  /// outweigh the old one. The canceller itself keeps adapting.
  public func echoPathChanged() { cells.pathChanges.increment() }
}

/// The cells behind `CaptureControls`: all that the audio thread accesses.
struct CaptureControlCells: Sendable {
  let usesVoiceProcessing, isBypassed, isMicrophoneMuted: SharedCell
  let isHighPassFilterEnabled, isEchoCancellationEnabled, isNoiseSuppressionEnabled, isGainControlEnabled: SharedCell
  let streamDelay, pathChanges, usesWebRTC: SharedCell
  let mutesInput, isVoiceOnlyPrepared, mode: SharedCell
  private let voiceIsolation = Int(CaptureMode.voiceIsolation.rawValue), wideSpectrum = Int(CaptureMode.wideSpectrum.rawValue)
  // Kept only to be freed; the cells access it atomically.
  private nonisolated(unsafe) let memory: UnsafeMutablePointer<UInt32>

  init() {
    memory = .allocate(capacity: 13)
    memory.initialize(repeating: 0, count: 13)
    usesVoiceProcessing = SharedCell(memory)
    isBypassed = SharedCell(memory + 1)
    isMicrophoneMuted = SharedCell(memory + 2)
    isHighPassFilterEnabled = SharedCell(memory + 3)
    isEchoCancellationEnabled = SharedCell(memory + 4)
    isNoiseSuppressionEnabled = SharedCell(memory + 5)
    isGainControlEnabled = SharedCell(memory + 6)
    streamDelay = SharedCell(memory + 7)
    pathChanges = SharedCell(memory + 8)
    mutesInput = SharedCell(memory + 9)
    isVoiceOnlyPrepared = SharedCell(memory + 10)
    usesWebRTC = SharedCell(memory + 11)
    mode = SharedCell(memory + 12)
  }

  func deallocate() { memory.deallocate() }

  /// Whether to suppress noise: never in wide spectrum, whatever the switch says. [realtime]
  var suppressesNoise: Bool {
    @_noLocks @_noAllocation get { isNoiseSuppressionEnabled.isOn() && mode.count() != wideSpectrum }
  }

  /// Whether only the voice is to be heard. [realtime]
  var isolatesVoice: Bool {
    @_noLocks @_noAllocation get { mode.count() == voiceIsolation }
  }
}
