/// Adds the streams that come over the network, and those that are sent (K12).
extension MetricsText {
  mutating func addRemotes(_ snapshot: Snapshot) {
    func each(_ value: (RemoteStatus) -> Double?) -> [Sample] {
      snapshot.sinks.compactMap { sink in sink.remote.flatMap(value).map { Sample(["sink": sink.id], $0) } }
    }
    add("nearend_remote_packets_total", .counter, "RTP packets of a participant that came.", each { Double($0.packets) })
    add(
      "nearend_remote_lost_packets_total", .counter, "RTP packets that never came, or came too late to be played.", each { Double($0.lost) }
    )
    add("nearend_remote_late_packets_total", .counter, "RTP packets that came too late to be played.", each { Double($0.late) })
    add(
      "nearend_remote_refused_packets_total", .counter, "Datagrams that were no part of a participant's stream.",
      each { Double($0.refused) })
    add("nearend_remote_loss_ratio", .gauge, "Share of the packets of the last 10 s that were lost.", each { $0.lossPercent / 100 })
    add("nearend_remote_network_jitter_seconds", .gauge, "Jitter of arrival, as RFC 3550 has it.", each { $0.jitter / 1_000 })
    add(
      "nearend_remote_latency_seconds", .gauge, "A packet, what waits in the buffer, and half of the round trip where it is known.",
      each { $0.latency / 1_000 })
    add(
      "nearend_remote_round_trip_seconds", .gauge, "Time to the other machine and back, where it tells.",
      each { remote in remote.roundTrip.map { $0 / 1_000 } })
    func sends(_ value: (SendStatus) -> Double?) -> [Sample] {
      snapshot.sends.compactMap { send in value(send).map { Sample(["send": send.id], $0) } }
    }
    add("nearend_send_packets_total", .counter, "RTP packets of the voice that were sent.", sends { Double($0.packets) })
    add(
      "nearend_send_failures_total", .counter, "RTP packets that could not be sent, or were refused there.", sends { Double($0.failures) })
    add(
      "nearend_send_loss_ratio", .gauge, "Share of the last packets that the other machine has lost, where it tells.",
      sends { send in send.lossPercent.map { $0 / 100 } })
  }
}
