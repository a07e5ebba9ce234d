import Platform
import RealtimeCore
import SessionModel

extension GraphController {
  /// A consistent report. Waits for the control thread, never for the audio thread. [any]
  package var report: GraphReport { loop.locked { makeReport() } }

  private func makeReport() -> GraphReport {
    var report = GraphReport()
    let meters = core.cycleMeters
    let isConnected = attachment != nil && arrival.lostSince == nil
    let objects = attachment?.objects ?? GraphObjects([])
    let node = attachment?.filter?.filter.nodeId
    let ownPorts = node.flatMap { objects.ports[$0] } ?? []
    let microphonePorts = Set(ownPorts.filter { DuplexFilter.isMicrophonePort($0.name) }.map(\.id))
    let speakerPorts = Set(ownPorts.filter { $0.name.hasPrefix("speaker_") }.map(\.id))
    report.graph = GraphStatus(
      isConnected: isConnected, daemonVersion: isConnected ? attachment?.connection.daemonVersion ?? "" : "",
      nodeId: isConnected ? node : nil, driver: objects.node(id: meters.driver)?.nodeName ?? "",
      quantum: meters.quantum, rate: meters.rate, cycles: meters.cycles, busyRatio: meters.busyRatio, busyRatioPeak: meters.busyRatioPeak,
      xruns: meters.xruns, captureLatency: core.captureLatency, renderLatency: core.renderLatency,
      captureLinks: objects.links.count { microphonePorts.contains($0.key.input) },
      renderLinks: objects.links.count { speakerPorts.contains($0.key.output) }, realtimePriority: priority.value,
      recent: cycleWindow.recent(at: monotonicSeconds()), loops: news.loops)
    report.route = routes.status(attachment?.realDevices, reference: settings.reference, attachment?.routes)
    report.route.volumes = volumeStatus
    report.route.usedPrograms = settings.usedPrograms.names
    report.route.programs = attachment?.programs.status(in: objects, used: settings.usedPrograms) ?? []
    report.route.microphoneInputs = microphoneInputs(objects)
    report.graphSinksInUse = Set(
      graphSinks.map(\.id).filter { id in
        attachment?.ownNode(NodeNames.sinkPrefix + id).map { news.users.usedSinks.contains($0) } ?? false
      })
    report.ducking = ducking.status
    report.streamDelay = meters.rate > 0 ? Double(core.streamDelay) * 1000 / Double(meters.rate) : 0
    return report
  }

  /// The microphone's channels as the core hears them, by the names that the device gives them.
  private func microphoneInputs(_ objects: GraphObjects) -> [MicrophoneInput] {
    let names = routes.choice.microphone.map { objects.outputs(of: $0.id).map(\.channel) } ?? []
    return core.inputs.inputs.map { input in
      var input = input
      if names.indices.contains(input.channel - 1) { input.name = names[input.channel - 1] }
      return input
    }
  }
}
