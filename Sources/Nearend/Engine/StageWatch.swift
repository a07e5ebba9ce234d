import Platform
import RealtimeCore
import SessionModel
import Synchronization

/// Logs stages that put out NaN or infinite samples (S6). [any]
///
/// Polled by the graph's control thread, as `EventWatch` is.
final class StageWatch: Sendable {
  private struct Chain {
    let name: String
    let stages: StageChain
    var silenced: UInt64 = 0
    var told: Double?
  }
  private let chains: Mutex<[Chain]>
  private let plugIns: PlugInRack
  /// Ids of plug-ins that do not run and have been logged.
  private let told = Mutex<Set<String>>([])
  private let log: EventLog

  init(capture: StageChain, render: StageChain, plugIns: PlugInRack, log: EventLog) {
    self.plugIns = plugIns
    chains = Mutex([Chain(name: "capture", stages: capture), Chain(name: "render", stages: render)])
    self.log = log
  }

  /// Logs chains with new NaN or infinite samples, each at most once in `EventDetector.interval`, and plug-ins that stopped running.
  func poll() {
    pollPlugIns()
    let now = monotonicSeconds()
    let broken = chains.withLock { chains in
      var broken: [String] = []
      for i in chains.indices {
        let silenced = chains[i].stages.silencedSamples
        defer { chains[i].silenced = silenced }
        guard silenced > chains[i].silenced, now - (chains[i].told ?? -.infinity) >= EventDetector.interval else { continue }
        chains[i].told = now
        broken.append(chains[i].name)
      }
      return broken
    }
    for name in broken {
      log.add(
        .warning, "a stage in the \(name) chain puts out NaN or infinite samples, which are silenced: it is broken, remove it")
    }
  }

  /// Logs each plug-in that stops running, once.
  private func pollPlugIns() {
    let broken = plugIns.status.map { StageStatus($0) }.filter { $0.state != .running }
    let new = told.withLock { told in
      defer { told = Set(broken.map(\.id)) }
      return broken.filter { !told.contains($0.id) }
    }
    for stage in new {
      log.add(
        .warning, "stage \(stage.id) (\(stage.label)) in the \(stage.chain.rawValue) chain is bypassed: \(stage.reason ?? "it failed")")
    }
  }
}
