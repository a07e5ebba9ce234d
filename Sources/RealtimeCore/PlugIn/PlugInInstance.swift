internal import CLadspa

/// Runs a plug-in's instance: a view of its memory for the one thread that runs it.
struct PlugInRunner {
  fileprivate let run: ladspa_run_function
  /// One, or one per side for a mono plug-in in a stereo chain.
  fileprivate let handles: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  fileprivate let handleCount: Int
  /// The values of all ports, for each handle.
  fileprivate let ports: UnsafeMutablePointer<Float>
  fileprivate let portCount: Int
  fileprivate let controls: UnsafeMutablePointer<Int>
  fileprivate let latencyPort: Int
  fileprivate let values: PlugInValues
  /// Channels of the chain, 1 or 2.
  let channels: Int
  /// Frames from one side's buffer to the next.
  private let room = CoreState.maximumQuantum
  private let inputs, outputs: UnsafeMutablePointer<Float>

  fileprivate init(
    run: ladspa_run_function, handles: UnsafeMutablePointer<UnsafeMutableRawPointer?>, handleCount: Int, ports: UnsafeMutablePointer<Float>,
    portCount: Int, controls: UnsafeMutablePointer<Int>, latencyPort: Int, values: PlugInValues, channels: Int,
    buffers: UnsafeMutablePointer<Float>
  ) {
    (self.run, self.handles, self.handleCount, self.ports, self.portCount) = (run, handles, handleCount, ports, portCount)
    (self.controls, self.latencyPort, self.values, self.channels) = (controls, latencyPort, values, channels)
    (inputs, outputs) = (buffers, buffers + channels * CoreState.maximumQuantum)
  }

  /// A side's input, `CoreState.maximumQuantum` frames, never the same memory as an output.
  @_noLocks @_noAllocation
  func input(_ channel: Int) -> UnsafeMutablePointer<Float> { inputs + channel * room }
  @_noLocks @_noAllocation
  func output(_ channel: Int) -> UnsafeMutablePointer<Float> { outputs + channel * room }

  /// The latency that the plug-in reports, in frames.
  var latency: Int {
    @_noLocks @_noAllocation get {
      guard latencyPort >= 0 else { return 0 }
      let frames = ports[latencyPort]
      return frames > 0 && frames < 1_000_000 ? Int(frames + 0.5) : 0
    }
  }

  /// Processes the inputs into the outputs. Returns false, with silent outputs, if any output sample is NaN or infinite.
  @_noLocks @_noAllocation
  func process(frames: Int) -> Bool {
    for handle in 0..<handleCount {
      let own = ports + handle * portCount
      for i in 0..<values.count { own[controls[i]] = Float(values[i]) }
      nearend_ladspa_run(run, handles[handle], frames)
    }
    var wrong = 0
    for channel in 0..<channels { wrong += silenceNonNumbers(output(channel), frames: frames) }
    return wrong == 0
  }
}

/// A plug-in instantiated for one sample rate and channel count: owns the memory that its runner views. [control]
// `@unchecked Sendable`: everything is immutable but what the runner's one thread writes.
final class PlugInInstance: @unchecked Sendable {
  let plugIn: PlugIn
  let rate: Int
  let runner: PlugInRunner
  /// The latency in frames that it reported when it was made.
  let latency: Int
  /// Reports of the thread that runs it.
  let cells: PlugInCells
  private let memory: CellBlock
  private let settings: PlugInSettings
  private let handles: Buffer<UnsafeMutableRawPointer?>
  private let ports: Samples
  private let controls: Buffer<Int>
  private let buffers: Samples

  /// Instantiates and activates the plug-in, and runs it over silence to learn its latency.
  /// - Throws: `PlugInError.refused`.
  init(_ plugIn: PlugIn, rate: Int, channels: Int, settings: PlugInSettings) throws(PlugInError) {
    let content = plugIn.descriptor.pointee
    guard let run = content.run, let instantiate = content.instantiate, let connect = content.connect_port else {
      throw .refused(label: plugIn.description.label, rate: rate)
    }
    let isOncePerSide = plugIn.description.audioInputs == 1 && plugIn.description.audioOutputs == 1
    let handleCount = isOncePerSide ? channels : 1
    let portCount = Int(content.port_count)
    var made: [UnsafeMutableRawPointer] = []
    for _ in 0..<handleCount {
      guard let handle = instantiate(plugIn.descriptor, UInt(rate)) else {
        for handle in made { content.cleanup?(handle) }
        throw .refused(label: plugIn.description.label, rate: rate)
      }
      made.append(handle)
    }
    var memory = CellBlock()
    cells = PlugInCells(&memory)
    self.memory = memory
    self.settings = settings
    buffers = Samples(2 * channels * CoreState.maximumQuantum)
    handles = Buffer(made)
    ports = Samples(max(1, handleCount * portCount))
    controls = Buffer(plugIn.description.ports.map(\.index))
    runner = PlugInRunner(
      run: run, handles: handles.start, handleCount: handleCount, ports: ports.start, portCount: portCount, controls: controls.start,
      latencyPort: plugIn.description.latencyPort ?? -1, values: settings.values, channels: channels, buffers: buffers.start)
    let audio = audioPorts(of: plugIn)
    for (index, handle) in made.enumerated() {
      for port in 0..<portCount { connect(handle, UInt(port), ports + index * portCount + port) }
      for (i, port) in audio.inputs.enumerated() { connect(handle, UInt(port), runner.input(isOncePerSide ? index : i)) }
      for (i, port) in audio.outputs.enumerated() { connect(handle, UInt(port), runner.output(isOncePerSide ? index : i)) }
      // Before activation, because some plug-ins read their controls there.
      for (i, port) in plugIn.description.ports.enumerated() { ports[index * portCount + port.index] = Float(settings[i]) }
      content.activate?(handle)
    }
    self.plugIn = plugIn
    self.rate = rate
    // Some report their latency only after as many frames as one of the worker's blocks.
    for _ in 0..<8 { _ = runner.process(frames: 64) }
    latency = runner.latency
  }

  deinit {
    let content = plugIn.descriptor.pointee
    for i in 0..<runner.handleCount {
      content.deactivate?(runner.handles[i])
      content.cleanup?(runner.handles[i])
    }
  }
}
