import Foundation
import RealtimeCore
import SessionModel

/// Speaker outputs, the microphone, and reports of them.
extension JoinedSession {
  // MARK: Speaker outputs

  func registerSink(id: String, format: SinkFormat, capacityBytes: Int) throws(SinkError) -> SessionRefusal? {
    let output = try JoinedOutput(id: id, format: format, capacity: capacityBytes)
    let change = change(.registerSink(mediaId: id)) { state in
      state.outputs[id] = output
      return true
    }
    if let refusal = change.refusal { return refusal }
    guard let link, let name = shared.withLock({ $0.name(of: id) }) else { return nil }
    do throws(HostError) { try open(output, as: name, at: link) } catch {
      guard case .refused(_, let reason) = error else { return nil }
      self.change(.unregisterSink(mediaId: id))
      throw .refused(id: id, reason: "the joined nearend refuses: \(reason)")
    }
    return nil
  }

  func writeToSink(id: String, _ data: UnsafeRawBufferPointer) -> RingSink.Outcome? {
    shared.withLock { $0.outputs[id] }?.put(data)
  }

  func sinkRoom(id: String) -> Int? { output(id)?.room }

  var sinkIds: [String] { state.sinks }

  func perform(_ command: Command) {
    switch command {
    case .setSinkGain(let id, let gain):
      guard let output = output(id) else { return }
      output.gain = gain
      change(output, "gain", .number(gain))
    case .setSinkMuted(let id, let muted):
      guard let output = output(id) else { return }
      output.isMuted = muted
      change(output, "muted", .bool(muted))
    case .set(let setting, let value): restore(setting, to: value)
    case .clearCounters, .resumeAfterUnplug, .listen, .stopListening, .loadPreset, .saveDiagnostics:
      let command = CommandRequest(command)
      request(command.method, command.target, command.body)
    }
  }

  func updateSsrc(mediaId: String, ssrc: UInt32) {
    guard let output = output(mediaId) else { return }
    output.ssrc = ssrc
    change(output, "ssrc", .integer(Int(ssrc)))
  }

  /// The host posts the event, also for the refused writes, which it counts itself.
  func notifySinkFrameDrop(mediaId: String, consecutive: UInt64, total: UInt64) {
    guard output(mediaId)?.isOpen == true, let link, let name = shared.withLock({ $0.name(of: mediaId) }) else { return }
    request(
      "POST", "/drops/\(name)?program=\(link.welcome.program)",
      ["consecutive": .integer(Int(clamping: consecutive)), "total": .integer(Int(clamping: total))])
  }

  private func output(_ id: String) -> JoinedOutput? { shared.withLock { $0.outputs[id] } }

  private func change(_ output: JoinedOutput, _ property: String, _ value: EventValue) {
    guard output.isOpen, let name = shared.withLock({ $0.name(of: output.id) }) else { return }
    request("PATCH", "/sinks/\(name)", [property: value])
  }

  // MARK: The microphone

  func registerMicrophoneInput(
    mediaId: String, context: UnsafeMutableRawPointer?, callback: @escaping MicrophoneCallback
  ) -> SessionRefusal? {
    register(RegisteredSource(mediaId: mediaId, .callback(RealtimeConsumer(callback: callback, context: context))))
  }

  func openMicrophone(mediaId: String, sampleRate: Int?, channelCount: Int?) throws(SourceError) -> MicrophoneStream {
    let rate = sampleRate ?? (graphRate > 0 ? graphRate : 48_000)
    guard MicrophoneStream.sampleRates.contains(rate) else { throw .impossibleSampleRate(rate) }
    let channels = channelCount ?? state.settings.captureChannelCount
    guard MicrophoneStream.channelCounts.contains(channels) else { throw .impossibleChannelCount(channels) }
    let pump = try SourcePump(sampleRate: rate, channelCount: channels)
    let source = RegisteredSource(mediaId: mediaId, .pump(pump))
    if let refusal = register(source) { throw .refused(refusal) }
    return MicrophoneStream(pump: pump, graphRate: { [weak self] in self?.graphRate ?? 0 }) { [weak self] in self?.unregister(source) }
  }

  /// The rate in Hz; 0 if no cycle has come and the host does not report it.
  private var graphRate: Int {
    let rate = shared.withLock { $0.host?.voice?.rate } ?? 0
    return rate > 0 ? rate : hostSnapshot?.graph.rate ?? 0
  }

  private func register(_ source: RegisteredSource) -> SessionRefusal? {
    let change = change(.registerSource(mediaId: source.mediaId)) { [slot] _ in
      slot.accept(source)
      return true
    }
    if change.refusal == nil { updateHost() }
    return change.refusal
  }

  private func unregister(_ source: RegisteredSource) {
    var isRegistered = false
    change(.unregisterSource(mediaId: source.mediaId)) { [slot] _ in
      isRegistered = slot.current === source
      return isRegistered
    }
    if isRegistered { updateHost() }
  }

  func reportSourceAudioActivity(mediaId: String) { change(.sourceHadAudio(mediaId: mediaId)) }

  func reportSourceResampling(mediaId: String, captureRate: Int, outputRate: Int, isResampling: Bool) {
    guard !isResampling || (captureRate > 0 && outputRate > 0) else {
      return log.add(.warning, "source \(mediaId) reports resampling from \(captureRate) Hz to \(outputRate) Hz: give positive rates")
    }
    change(
      .sourceResampling(
        mediaId: mediaId, isResampling ? SessionState.Resampling(captureRate: captureRate, outputRate: outputRate) : nil))
  }

  // MARK: Application audio (D4)

  func enableAppAudio(_ on: Bool) { shared.withLock { $0.isAppAudioEnabled = on } }

  /// Sends a buffer to the host, which mixes it into everybody's voice.
  func play(appAudio buffer: AppAudioBuffer) -> MicrophonePlayError? {
    let (old, isEnabled, isSending) = shared.withLock { ($0.host?.appAudio, $0.isAppAudioEnabled, $0.session.demand.sends) }
    guard isSending else { return .notSending }
    guard isEnabled else { return .notMixed }
    guard buffer.frameCount > 0 else { return nil }
    guard let link, let format = try? SinkFormat(sampleRate: buffer.sampleRate, channelCount: buffer.channelCount, sampleType: .float32)
    else { return .unavailable }
    let isSame = old.map { $0.format == format && $0.isOpen } ?? false
    guard let output = isSame ? old : openAppAudio(format, at: link) else { return .unavailable }
    return switch buffer.withUnsafeBytes({ output.put($0) }) {
    case .written: nil
    case .dropped: .full
    case .refused: .unavailable
    }
  }

  /// Opens a new stream of application audio.
  private func openAppAudio(_ format: SinkFormat, at link: HostLink) -> JoinedOutput? {
    let number = shared.withLock { state in
      state.appAudioCount += 1
      return state.appAudioCount
    }
    let id = Self.name(for: "\(ProcessInfo.processInfo.processName.prefix(40))-\(getpid())\(number == 1 ? "" : ".\(number)")")
    let bytes = AppAudio.captureSeconds * format.sampleRate * format.bytesPerFrame
    guard let output = try? JoinedOutput(id: id, format: format, capacity: bytes) else { return nil }
    do throws(HostError) {
      let stream = try link.open(
        "/playout-into-mic/\(id)", ["rate": format.sampleRate, "channels": format.channelCount, "bytes": bytes])
      output.use(stream) {}
    } catch {
      logRefusal(of: "application audio", error)
      return nil
    }
    var old: JoinedOutput?
    let isUsed = shared.withLock { state in
      state.update(link) { host in
        old = host.appAudio
        host.appAudio = output
      }
    }
    old?.close()
    guard isUsed else {
      output.close()
      return nil
    }
    return output
  }
}
