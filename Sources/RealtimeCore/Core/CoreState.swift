/// All that a cycle of the graph does, in the order in which sound flows: the sinks are mixed to the speaker, and the microphone is cleaned of what the
/// speaker plays.
struct CoreState: ~Copyable {
  var clock: CycleClock
  private let render: UnsafeMutablePointer<RenderPath>
  let captureMailbox: Mailbox
  let settings: CoreSettings
  private let source: SourceDelivery
  private var appAudio: AppAudioPath
  private let meters: CaptureMeterCells
  private let controls: CaptureControlCells
  private var capture: UnsafeMutablePointer<CapturePath>?
  private let scratch: UnsafeMutablePointer<Float>

  static let maximumQuantum = 8192
  private static let scratchBuffers = 4
  /// Frames per second that a driver may tell: what lies beyond is no rate of sound.
  private static let lowestRate = 1_000
  private static let highestRate = 1_000_000

  init(
    clock: CycleClock, render: UnsafeMutablePointer<RenderPath>, appAudio: consuming AppAudioPath, captureMailbox: Mailbox,
    controls: CaptureControlCells, meters: CaptureMeterCells, settings: CoreSettings, source: SourceDelivery
  ) {
    self.clock = clock
    self.appAudio = appAudio
    self.controls = controls
    self.meters = meters
    self.source = source
    self.render = render
    self.captureMailbox = captureMailbox
    self.settings = settings
    scratch = .silence(Self.scratchBuffers * Self.maximumQuantum)
  }

  deinit { scratch.deallocate() }

  /// The capture path in use, to be freed by the control side once no cycle runs any more. [control]
  mutating func takeCapture() -> UnsafeMutablePointer<CapturePath>? {
    defer { capture = nil }
    return capture
  }

  /// One cycle. [realtime]
  @_noLocks @_noAllocation
  mutating func process(_ io: UnsafePointer<CycleBuffers>, graphSinks: UnsafePointer<StereoInput>?) {
    guard io.pointee.frames > 0, io.pointee.rate > 0 else { return }
    guard io.pointee.frames <= Self.maximumQuantum, io.pointee.rate >= Self.lowestRate, io.pointee.rate <= Self.highestRate else {
      return silence(io)
    }
    clock.begin(io)
    let left = io.pointee.speaker.left ?? buffer(0)
    let right = io.pointee.speaker.right ?? buffer(1)
    if settings.isHeld.load() == 0 {
      renderAppAudio(io)
      render.pointee.process(
        call: appAudio.monitored(io.pointee.call, frames: io.pointee.frames), graphSinks: graphSinks, speakerLeft: left,
        speakerRight: right, frames: io.pointee.frames,
        rate: io.pointee.rate)
    } else {
      appAudio.rest()
      Kernel.clear(left, frames: io.pointee.frames)
      Kernel.clear(right, frames: io.pointee.frames)
    }
    captureVoice(io, mix: (UnsafePointer(left), UnsafePointer(right)))
    scaleSpeaker(io)
  }

  /// A cycle that is too long, or of a rate that nothing has: what the outputs hold is of another one.
  @_noLocks @_noAllocation
  private func silence(_ io: UnsafePointer<CycleBuffers>) {
    let frames = min(io.pointee.frames, Self.maximumQuantum)
    if let voice = io.pointee.voice { Kernel.clear(voice, frames: frames) }
    if let left = io.pointee.speaker.left { Kernel.clear(left, frames: frames) }
    if let right = io.pointee.speaker.right { Kernel.clear(right, frames: frames) }
  }

  /// Only while somebody takes the voice: else it waits in its sources.
  @_noLocks @_noAllocation
  private mutating func renderAppAudio(_ io: UnsafePointer<CycleBuffers>) {
    guard settings.isSending.load() != 0 else { return appAudio.rest() }
    let isSpeaking = meters.hasVoice.isOn() && !controls.isMicrophoneMuted.isOn()
    appAudio.render(frames: io.pointee.frames, rate: io.pointee.rate, isSpeaking: isSpeaking)
  }

  @_noLocks @_noAllocation
  private mutating func captureVoice(_ io: UnsafePointer<CycleBuffers>, mix: (left: UnsafePointer<Float>, right: UnsafePointer<Float>)) {
    if let new = captureMailbox.take(returning: UnsafeMutableRawPointer(capture)) {
      capture = new.assumingMemoryBound(to: CapturePath.self)
    }
    settings.wantedRate.store(UInt64(io.pointee.rate))
    guard settings.isSending.load() != 0, let capture, capture.pointee.rate == io.pointee.rate else {
      if let voice = io.pointee.voice { Kernel.clear(voice, frames: io.pointee.frames) }
      return
    }
    let usesMix = settings.usesMixAsReference.load() != 0
    let voice = io.pointee.voice ?? buffer(2)
    capture.pointee.process(
      microphone: scaledMicrophone(io), reference: usesMix ? mix.left : io.pointee.reference.left,
      right: usesMix ? mix.right : io.pointee.reference.right,
      voice: voice, frames: io.pointee.frames)
    appAudio.mix(into: voice, frames: io.pointee.frames, rate: io.pointee.rate)
    source.deliver(UnsafePointer(voice), frames: io.pointee.frames, rate: io.pointee.rate)
  }

  /// A microphone of several channels comes in added up; here it becomes their mean.
  @_noLocks @_noAllocation
  private mutating func scaledMicrophone(_ io: UnsafePointer<CycleBuffers>) -> UnsafePointer<Float>? {
    let channels = settings.microphoneChannels.load()
    guard channels > 1, let microphone = io.pointee.microphone else { return io.pointee.microphone }
    let mean = buffer(3)
    let scale = 1 / Float(channels)
    for i in 0..<io.pointee.frames { mean[i] = microphone[i] * scale }
    return UnsafePointer(mean)
  }

  /// A speaker of one channel gets both sides added up; here they become halves.
  @_noLocks @_noAllocation
  private func scaleSpeaker(_ io: UnsafePointer<CycleBuffers>) {
    guard settings.speakerPortsPerChannel.load() > 1 else { return }
    if let left = io.pointee.speaker.left { Kernel.scale(left, by: 0.5, frames: io.pointee.frames) }
    if let right = io.pointee.speaker.right { Kernel.scale(right, by: 0.5, frames: io.pointee.frames) }
  }

  @_noLocks @_noAllocation
  private func buffer(_ index: Int) -> UnsafeMutablePointer<Float> { scratch + index * Self.maximumQuantum }
}

/// What the control side tells the audio thread about the cycle as a whole.
struct CoreSettings: Sendable {
  let isSending: CounterCell
  let isHeld: CounterCell
  let usesMixAsReference: CounterCell
  let microphoneChannels: CounterCell
  let speakerPortsPerChannel: CounterCell
  /// Told by the audio thread: the rate that a capture path is needed for.
  let wantedRate: CounterCell

  static let cellCount = 6

  init(_ cells: inout CellBlock) {
    isSending = CounterCell(cells.next())
    isHeld = CounterCell(cells.next())
    usesMixAsReference = CounterCell(cells.next())
    microphoneChannels = CounterCell(cells.next())
    speakerPortsPerChannel = CounterCell(cells.next())
    wantedRate = CounterCell(cells.next())
  }
}
