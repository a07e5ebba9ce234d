import PipeWireClient
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
  private let log: EventLog

  init(capture: StageChain, render: StageChain, log: EventLog) {
    chains = Mutex([Chain(name: "capture", stages: capture), Chain(name: "render", stages: render)])
    self.log = log
  }

  /// Logs new ones, at most as often as an event is posted.
  func look() {
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
}
