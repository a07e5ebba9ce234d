import RealtimeCore
import SessionModel

extension StageStatus {
  init(_ status: PlugInStatus) {
    let plugIn = status.plugIn
    let ports = zip(plugIn.ports, status.settings).map { port, value in
      let (lower, upper) = port.bounds(rate: status.rate)
      return Port(name: port.name, value: value, lower: lower, upper: upper, possible: port.possible(rate: status.rate))
    }
    let reason = status.failure?.description ?? (status.isBroken ? "it put out NaN or infinite samples: remove it, or add it again" : nil)
    self.init(
      id: status.id, chain: status.chain == .capture ? .capture : .render, file: plugIn.file, label: plugIn.label, name: plugIn.name,
      isOnAudioThread: plugIn.isHardRealtime, latency: status.latency,
      state: status.failure != nil ? .failed : status.isBroken ? .muted : .running, reason: reason, lateBlocks: status.lateBlocks,
      ports: ports)
  }
}
