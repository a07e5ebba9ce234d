/// Settings of the capture path that any thread may change while audio runs (V1, V2, L7, V5). [any]
///
/// A change acts within one block, 10 ms at most, and never clicks: stages are crossfaded, switching voice processing costs a short fade-out and fade-in.
public final class CaptureControls: Sendable {
  let cells = CaptureControlCells()

  /// Voice processing in use with nearend's own engine, every component on, nothing bypassed or muted, no delay known.
  public init() {
    usesVoiceProcessing = true
    isHighPassFilterEnabled = true
    isEchoCancellationEnabled = true
    isNoiseSuppressionEnabled = true
    isGainControlEnabled = true
  }

  deinit { cells.deallocate() }

  /// Off: the voice is the microphone, with no frame added and no processor run (V1).
  public var usesVoiceProcessing: Bool {
    get { cells.usesVoiceProcessing.isOn() }
    set { cells.usesVoiceProcessing.set(newValue) }
  }
  /// On: the voice is the raw microphone at the processed path's latency; the canceller goes on adapting (V2).
  public var isBypassed: Bool {
    get { cells.isBypassed.isOn() }
    set { cells.isBypassed.set(newValue) }
  }
  public var isHighPassFilterEnabled: Bool {
    get { cells.isHighPassFilterEnabled.isOn() }
    set { cells.isHighPassFilterEnabled.set(newValue) }
  }
  public var isEchoCancellationEnabled: Bool {
    get { cells.isEchoCancellationEnabled.isOn() }
    set { cells.isEchoCancellationEnabled.set(newValue) }
  }
  /// Who cancels the echo and suppresses the noise (V10). Another one needs another capture path, which `AudioCore.renewCapturePath` makes. Default: nearend.
  public var engine: VoiceEngine {
    get { cells.usesWebRTC.isOn() ? .webrtc : .nearend }
    set { cells.usesWebRTC.set(newValue == .webrtc) }
  }
  public var isNoiseSuppressionEnabled: Bool {
    get { cells.isNoiseSuppressionEnabled.isOn() }
    set { cells.isNoiseSuppressionEnabled.set(newValue) }
  }
  public var isGainControlEnabled: Bool {
    get { cells.isGainControlEnabled.isOn() }
    set { cells.isGainControlEnabled.set(newValue) }
  }
  /// On: the voice is ramped to silence at the very end of the path, within 5 ms and one cycle; processing and voice detection go on (D1, D2).
  public var isMicrophoneMuted: Bool {
    get { cells.isMicrophoneMuted.isOn() }
    set { cells.isMicrophoneMuted.set(newValue) }
  }
  /// On: a muted microphone is silent before processing too, so that the processors hear silence, and the voice follows at their latency (D1, inputMixer).
  public var mutesInput: Bool {
    get { cells.mutesInput.isOn() }
    set { cells.mutesInput.set(newValue) }
  }
  /// On: the voice is silent though nobody has muted the microphone, because it is only kept warm (S8).
  public var isVoiceHeld: Bool {
    get { cells.isVoiceHeld.isOn() }
    set { cells.isVoiceHeld.set(newValue) }
  }
  /// Frames between a sample of the reference and its echo in the microphone, as the graph's latencies tell it, 0 or more (V5). It places the
  /// reference until the delay is measured.
  public var streamDelay: Int {
    get { cells.streamDelay.count() }
    set { cells.streamDelay.set(UInt32(clamping: newValue)) }
  }
  /// Another loudspeaker or microphone: what is known of the echo's delay is forgotten, so that the new one is found at once and not when it has
  /// outweighed the old one. The canceller itself goes on adapting.
  public func echoPathChanged() { cells.pathChanges.increment() }
}

/// The cells behind `CaptureControls`: all that the audio thread sees of it.
struct CaptureControlCells: Sendable {
  let usesVoiceProcessing, isBypassed, isMicrophoneMuted: SharedCell
  let isHighPassFilterEnabled, isEchoCancellationEnabled, isNoiseSuppressionEnabled, isGainControlEnabled: SharedCell
  let streamDelay, pathChanges, usesWebRTC: SharedCell
  let mutesInput, isVoiceHeld: SharedCell
  // Only ever freed; the cells reach it through atomics.
  private nonisolated(unsafe) let memory: UnsafeMutablePointer<UInt32>

  init() {
    memory = .allocate(capacity: 12)
    memory.initialize(repeating: 0, count: 12)
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
    isVoiceHeld = SharedCell(memory + 10)
    usesWebRTC = SharedCell(memory + 11)
  }

  func deallocate() { memory.deallocate() }
}
