import RealtimeCore
import SessionModel

extension Mixer {
  /// Returns one row per participant, in the order of registration. `isHeard`: the session runs; otherwise levels are silent.
  func sinkStatuses(rate: Int, used: Set<String>, isHeard: Bool) -> [SinkStatus] {
    ids.compactMap { id in
      var status = ringSink(id: id)?.status() ?? graphSink(id: id)?.status(rate: rate, isUsed: used.contains(id))
      if !isHeard { status?.silence() }
      return status
    }
  }

  /// Returns one row per ring sink.
  func ringStatuses(isHeard: Bool) -> [SinkStatus] {
    ringSinks.map { sink in
      var status = sink.status()
      if !isHeard { status.silence() }
      return status
    }
  }
}
