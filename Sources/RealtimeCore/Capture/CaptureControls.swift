/// Settings of the capture path that any thread may change while audio runs (V1, V2, L7, V5). [any]
///
/// A change takes effect within one block, 10 ms at most, and never clicks: stages are crossfaded, and switching voice processing costs a
/// short fade-out and fade-in.
package final class CaptureControls: Sendable {
  let cells: CaptureControlCells
  private let memory: CellBlock

  /// Voice processing with nearend's own engine, every component on, not bypassed, not muted, delay unknown.
  package init() {
    var memory = CellBlock()
    cells = CaptureControlCells(&memory)
    self.memory = memory
    usesVoiceProcessing = true
    isHighPassFilterEnabled = true
    isEchoCancellationEnabled = true
    isNoiseSuppressionEnabled = true
    isGainControlEnabled = true
    isBeamformingEnabled = true
  }

  /// A Boolean value indicating whether the voice is processed; if not, it is the microphone, without latency (V1).
  package var usesVoiceProcessing: Bool {
    get { cells.usesVoiceProcessing.load() }
    set { cells.usesVoiceProcessing.store(newValue) }
  }
  /// A Boolean value indicating whether the raw microphone is output, at the processed path's latency; the canceller keeps adapting (V2).
  package var isBypassed: Bool {
    get { cells.isBypassed.load() }
    set { cells.isBypassed.store(newValue) }
  }
  /// A Boolean value indicating whether rumble below 90 Hz is removed. Default: true.
  package var isHighPassFilterEnabled: Bool {
    get { cells.isHighPassFilterEnabled.load() }
    set { cells.isHighPassFilterEnabled.store(newValue) }
  }
  /// A Boolean value indicating whether the echo is removed; if not, the canceller keeps adapting, so that it takes effect at once when
  /// switched on again. Default: true.
  package var isEchoCancellationEnabled: Bool {
    get { cells.isEchoCancellationEnabled.load() }
    set { cells.isEchoCancellationEnabled.store(newValue) }
  }

  /// A Boolean value indicating whether the voice that is heard has its echo cancelled. [any]
  package var isEchoCancelled: Bool { usesVoiceProcessing && !isBypassed && isEchoCancellationEnabled }

  /// The engine for echo and noise (V10). Changing it requires a new capture path, which `AudioCore.renewCapturePath` makes. Never `off`,
  /// which keeps it. Default: nearend.
  package var engine: EchoCanceller {
    get { cells.usesWebRTC.load() ? .webrtc : .nearend }
    set { if newValue != .off { cells.usesWebRTC.store(newValue == .webrtc) } }
  }
  /// The name of the engine: "nearend", or the library and its generation.
  package var engineName: String { engine == .webrtc ? WebRTCLibrary.installed?.name ?? engine.rawValue : engine.rawValue }
  /// Engine and switch as one value (V10).
  package var echoCanceller: EchoCanceller {
    get { isEchoCancellationEnabled ? engine : .off }
    set {
      engine = newValue
      isEchoCancellationEnabled = newValue != .off
    }
  }
  /// A Boolean value indicating whether noise is suppressed. No effect in the mode `wideSpectrum`, which never suppresses it. Default:
  /// true.
  package var isNoiseSuppressionEnabled: Bool {
    get { cells.isNoiseSuppressionEnabled.load() }
    set { cells.isNoiseSuppressionEnabled.store(newValue) }
  }
  /// How the room around the voice is treated (V12). Isolation takes effect once `VoiceIsolation` is ready; until then the mode acts as
  /// `standard`. Default: standard.
  package var micMode: MicMode {
    get { MicMode.allCases[Int(cells.micMode.load())] }
    set { cells.micMode.store(newValue.code) }
  }
  /// A Boolean value indicating whether the voice is brought to a common level. No effect while bypassed (V3), or in stereo, where it would
  /// move the image (V16). Default: true.
  package var isGainControlEnabled: Bool {
    get { cells.isGainControlEnabled.load() }
    set { cells.isGainControlEnabled.store(newValue) }
  }
  /// A Boolean value indicating whether several microphones are heard as one, or the main one alone; no effect of a single one. The array
  /// keeps learning where the talker is, so that it takes effect at once when switched on again. Default: true.
  package var isBeamformingEnabled: Bool {
    get { cells.isBeamformingEnabled.load() }
    set { cells.isBeamformingEnabled.store(newValue) }
  }
  /// A Boolean value indicating whether the voice had two channels in the last cycle (V16). [any]
  package var isStereo: Bool { cells.isStereo.load() }
  /// A Boolean value indicating whether the settings permit two channels: voice processing is off, or the mode wide spectrum. [any]
  package var permitsStereo: Bool { cells.permitsStereo }
  /// A Boolean value indicating whether the voice is ramped to silence at the very end of the path, within 5 ms and one cycle; processing
  /// and voice detection continue (D1, D2).
  package var isMicrophoneMuted: Bool {
    get { cells.isMicrophoneMuted.load() }
    set { cells.isMicrophoneMuted.store(newValue) }
  }
  /// A Boolean value indicating whether a muted microphone is also silenced before processing: the processors hear silence, and the voice
  /// follows at their latency (D1, inputMixer).
  package var mutesInput: Bool {
    get { cells.mutesInput.load() }
    set { cells.mutesInput.store(newValue) }
  }
  /// A Boolean value indicating whether the voice is silent although the microphone is not muted, because the path is only kept warm (S8).
  package var isVoiceOnlyPrepared: Bool {
    get { cells.isVoiceOnlyPrepared.load() }
    set { cells.isVoiceOnlyPrepared.store(newValue) }
  }
  /// A Boolean value indicating whether the person hears their own voice, and others nothing: the voice is silent at the very end of the
  /// path, muted or not, and a mute does not keep the microphone from the processors.
  package var isAuditioned: Bool {
    get { cells.isAuditioned.load() }
    set { cells.isAuditioned.store(newValue) }
  }
  /// Frames between a sample of the reference and its echo in the microphone, from the graph's latencies, 0 or more (V5). Places the
  /// reference until the delay is measured.
  package var streamDelay: Int {
    get { Int(cells.streamDelay.load()) }
    set { cells.streamDelay.store(UInt64(UInt32(clamping: newValue))) }
  }
  /// The linear gain of the real speaker relative to its first one, positive. When it changes, the canceller scales its estimate of the
  /// echo. Default: 1.
  package var speakerGain: Double {
    get { cells.speakerGain.load() }
    set { if newValue.isFinite, newValue > 0 { cells.speakerGain.store(newValue) } }
  }
  /// Reports a different loudspeaker or microphone: discards the known delay of the echo, so that the new one is found at once and need not
  /// outweigh the old one. The canceller itself keeps adapting.
  package func echoPathChanged() { cells.pathChanges.add(1) }
}

/// The cells behind `CaptureControls`: all that the audio thread accesses.
struct CaptureControlCells: Sendable {
  let usesVoiceProcessing, isBypassed, isMicrophoneMuted: FlagCell
  let isHighPassFilterEnabled, isEchoCancellationEnabled, isNoiseSuppressionEnabled, isGainControlEnabled: FlagCell
  let isBeamformingEnabled: FlagCell
  let mutesInput, isVoiceOnlyPrepared, isAuditioned, usesWebRTC: FlagCell
  /// Set by the audio thread: whether left and right are heard apart.
  let isStereo: FlagCell
  let streamDelay, pathChanges: CounterCell
  /// Bits 0 to 2: `InputMix.placeOfFormerLead`; above them: how often it has changed.
  let leadChanges: CounterCell
  /// The code of a `MicMode`.
  let micMode: CounterCell
  let speakerGain: DoubleCell
  private let voiceIsolation = MicMode.voiceIsolation.code, wideSpectrum = MicMode.wideSpectrum.code

  init(_ block: inout CellBlock) {
    usesVoiceProcessing = FlagCell(block.next())
    isBypassed = FlagCell(block.next())
    isMicrophoneMuted = FlagCell(block.next())
    isHighPassFilterEnabled = FlagCell(block.next())
    isEchoCancellationEnabled = FlagCell(block.next())
    isNoiseSuppressionEnabled = FlagCell(block.next())
    isGainControlEnabled = FlagCell(block.next())
    streamDelay = CounterCell(block.next())
    pathChanges = CounterCell(block.next())
    leadChanges = CounterCell(block.next())
    mutesInput = FlagCell(block.next())
    isVoiceOnlyPrepared = FlagCell(block.next())
    usesWebRTC = FlagCell(block.next())
    isAuditioned = FlagCell(block.next())
    isStereo = FlagCell(block.next())
    micMode = CounterCell(block.next())
    speakerGain = DoubleCell(block.next(), 1)
    isBeamformingEnabled = FlagCell(block.next())
  }

  /// A Boolean value indicating whether to suppress noise: never in wide spectrum, whatever the switch says. [realtime]
  var suppressesNoise: Bool {
    @_noLocks @_noAllocation get { isNoiseSuppressionEnabled.load() && micMode.load() != wideSpectrum }
  }

  /// A Boolean value indicating whether to bring the voice to a common level: not in stereo. [realtime]
  var controlsGain: Bool {
    @_noLocks @_noAllocation get { isGainControlEnabled.load() && !isStereo.load() }
  }

  /// A Boolean value indicating whether settings permit two channels: with voice processing off, or in wide spectrum. [realtime]
  var permitsStereo: Bool {
    @_noLocks @_noAllocation get { !usesVoiceProcessing.load() || micMode.load() == wideSpectrum }
  }

  /// A Boolean value indicating whether only the voice is to be heard. [realtime]
  var isolatesVoice: Bool {
    @_noLocks @_noAllocation get { micMode.load() == voiceIsolation }
  }
}

extension MicMode {
  /// What a cell holds of it: its place in `allCases`.
  fileprivate var code: UInt64 { UInt64(Self.allCases.firstIndex(of: self) ?? 0) }
}
