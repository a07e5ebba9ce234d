import PipeWireClient
import RealtimeCore

/// The filter's ports for the audio thread. Fixed ports are set before the filter joins the graph; participants' ports come and go by slot.
// `@unchecked Sendable`: the fixed ports are written before the audio thread starts; slots are atomic, and a port that was ever in one is
// never freed while audio runs.
final class PortTable: @unchecked Sendable {
  /// The data pointer for `processCycle`; valid as long as the table.
  var realtime: UnsafeMutableRawPointer { UnsafeMutableRawPointer(state.pointer) }
  private let state: Owned<PortState>
  // Kept alive: the state points into it.
  private let core: AudioCore

  init(core: AudioCore) {
    self.core = core
    state = Owned(PortState(core: core.realtime))
  }

  /// Sets the fixed ports. [control], before the filter joins the graph.
  func set(_ ports: DuplexFilter.Ports) {
    state.pointer.pointee.fixed = PortState.Fixed(
      microphone: ports.microphone.pointer, referenceLeft: ports.reference.left.pointer, referenceRight: ports.reference.right.pointer,
      callLeft: ports.call.left.pointer, callRight: ports.call.right.pointer, voice: ports.voice.pointer,
      speakerLeft: ports.speaker.left.pointer, speakerRight: ports.speaker.right.pointer)
  }

  /// Adds the port of the microphone's next channel. [control]
  func addChannel(_ port: FilterPort) { state.pointer.pointee.channels.add(port.pointer) }

  /// Sets the ports of a voice in stereo. [control]
  func setVoice(left: FilterPort, right: FilterPort) { state.pointer.pointee.voice.set(left: left.pointer, right: right.pointer) }

  /// Sets or, with nil, removes a participant's ports. [control]
  func setSink(_ slot: Int, left: FilterPort?, right: FilterPort?) {
    state.pointer.pointee.sinks.set(slot, left: left?.pointer, right: right?.pointer)
  }
}

/// The audio thread's half of a `PortTable`.
struct PortState: ~Copyable {
  struct Fixed {
    let microphone, referenceLeft, referenceRight, callLeft, callRight, voice, speakerLeft, speakerRight: UnsafeMutableRawPointer
  }
  var fixed: Fixed?
  let core: CycleProcessor
  let sinks = SinkPorts(slots: Mixer.capacity)
  let channels = ChannelPorts()
  let voice = VoicePorts()
  /// This cycle's samples of the fixed inputs.
  private let samples: Samples
  private static let inputs = 5

  init(core: CycleProcessor) {
    self.core = core
    samples = Samples(Self.inputs * CycleProcessor.maximumQuantum)
  }

  /// Returns a port's samples, copied into memory of its own; nil if nothing is linked. [realtime]
  @_noLocks @_noAllocation
  func input(_ port: UnsafeMutableRawPointer, _ number: Int, frames: Int) -> UnsafePointer<Float>? {
    let target = samples.start + number * CycleProcessor.maximumQuantum
    return copyInput(port, to: target, frames: frames) ? UnsafePointer(target) : nil
  }
}

/// The filter's process callback: passes this cycle's buffers to the core, and does nothing else. Reads the inputs first, for the reason
/// given at `copyInput`. [realtime]
@_noLocks @_noAllocation
func processCycle(_ data: UnsafeMutableRawPointer?, _ cycle: UnsafeRawPointer?) {
  guard let data, let cycle else { return }
  let state = data.assumingMemoryBound(to: PortState.self)
  guard let ports = state.pointee.fixed else { return }
  let began = cycleNanoseconds()
  let now = Cycle(cycle)
  // Buffers are never larger, whatever quantum a driver reports.
  let frames = min(now.frames, CycleProcessor.maximumQuantum)
  var buffers = CycleBuffers(frames: now.frames, rate: now.rate, position: now.position, driver: now.driver)
  buffers.nanoseconds = began
  buffers.microphone = state.pointee.input(ports.microphone, 0, frames: frames)
  state.pointee.channels.read(into: &buffers, frames: frames)
  buffers.reference = StereoInput(
    left: state.pointee.input(ports.referenceLeft, 1, frames: frames), right: state.pointee.input(ports.referenceRight, 2, frames: frames))
  buffers.call = StereoInput(
    left: state.pointee.input(ports.callLeft, 3, frames: frames), right: state.pointee.input(ports.callRight, 4, frames: frames))
  let sinks = state.pointee.sinks.buffers(frames: frames)
  let mono = outputBuffer(ports.voice, frames: frames)
  state.pointee.voice.begin(&buffers, mono: mono, frames: frames)
  buffers.speaker = (outputBuffer(ports.speakerLeft, frames: frames), outputBuffer(ports.speakerRight, frames: frames))
  state.pointee.core.process(&buffers, graphSinks: sinks)
  state.pointee.voice.end(&buffers, mono: mono, frames: frames)
  state.pointee.core.cycleEnded(&buffers, nanoseconds: cycleNanoseconds() - began)
}
