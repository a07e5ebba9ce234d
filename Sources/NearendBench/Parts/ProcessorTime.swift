import ArgumentParser
import Foundation
import SimulatedHardware

/// What the far end does while the near end talks.
enum FarEnd: String, CaseIterable, ExpressibleByArgument {
  case talks, silent

  var words: String { self == .talks ? "talks" : "is silent" }
}

/// Measures the cost of a call, compared with another build of nearend, if there is one, nearend without voice processing, a filter that
/// only copies, and PipeWire's own canceller.
///
/// - Parameter farEnds: what the far end does, one after the other.
func measureProcessorTime(_ programs: Programs, farEnds: [FarEnd], quanta: [Int], seconds: Double, rounds: Int) throws -> Table {
  var table = Table(
    title: "Processor time",
    note:
      "Processor milliseconds per second of audio and context switches per second, all threads of the peer's process, over \(number(seconds, 0)) s; "
      + "cores kept awake by loops of idle priority; median (range) of \(rounds) rounds in which the peers take turns.",
    columns: ["quantum", "far end", "peer", "ms per s", "of module-echo-cancel", "of the copying filter", "switches per s", "cycles per s"])
  let copy = Peer.copy(programs), echoCancel = Peer.echoCancel()
  let peers = [.nearend(programs), .other(programs), .nearend(programs, voiceProcessing: false), copy, echoCancel].compactMap { $0 }
  let voices = try Talk(), both = voices.double(seconds: seconds + 4)
  let near = Talk.repeated(voices.near, frames: both.far.count), silence = [Float](repeating: 0, count: both.far.count)
  for quantum in quanta {
    for farEnd in farEnds {
      let talk = farEnd == .talks ? both : (microphone: near, far: silence)
      var rates: [String: [Rate]] = [:]
      for round in 0..<rounds {
        for peer in peers {
          progress(
            "cpu: \(peer.name) at \(quantum), the far end \(farEnd.words), round \(round + 1) of \(rounds), load average \(Machine.load)")
          let world = try PeerSession(clock: .timer, quantum: quantum)
          try world.start(peer)
          try world.keepCoresAwake()
          let probe = try world.call("call", through: peer, microphone: talk.microphone, far: talk.far, frames: talk.far.count)
          probe.start()
          Thread.sleep(forTimeInterval: 2)
          rates[peer.name, default: []].append(try Rate(pid: try world.pid(peer), seconds: seconds))
          _ = try probe.finish(timeout: 30)
        }
      }
      func cost(_ peer: Peer) -> Double { median(rates[peer.name]!.map(\.milliseconds)) }
      for peer in peers {
        let all = rates[peer.name]!.map(\.milliseconds)
        table.rows.append([
          "\(quantum)", farEnd.words, peer.name, "\(number(cost(peer))) (\(number(all.min()!))–\(number(all.max()!)))",
          number(cost(peer) / cost(echoCancel), 2), number(cost(peer) / cost(copy), 2),
          number(median(rates[peer.name]!.map(\.switches)), 0), number(Double(Talk.rate) / Double(quantum), 0),
        ])
      }
    }
  }
  return table
}

/// Measures the cost of an unused nearend (L4).
func measureIdle(_ programs: Programs, seconds: Double) throws -> Table {
  var table = Table(
    title: "Idle", note: "Nobody records or plays through nearend, over \(number(seconds, 0)) s.",
    columns: ["meanwhile", "CPU", "switches per s", "links to or from the filter"])
  let peer = Peer.nearend(programs)
  for music in [false, true] {
    progress("idle: \(music ? "another application plays" : "silence")")
    // As on a real machine: the speaker drives, and sleeps when nothing plays.
    let world = try PeerSession(clock: .speaker, quantum: 256)
    try world.start(peer)
    var probe: GraphProbe?
    if music {
      let frames = Int((seconds + 4) * Double(Talk.rate))
      let signal = Talk.repeated(try Talk().far, frames: frames)
      let player = try GraphProbe(socket: world.session.socket, name: "music", play: ["out": signal], record: ["heard"], frames: frames)
      try world.session.link(player.playPort("out"), "hw.speaker:playback_FL")
      try world.session.link("hw.speaker:monitor_FL", player.recordPort("heard"))
      player.start()
      probe = player
    }
    Thread.sleep(forTimeInterval: 1)
    let rate = try Rate(pid: try world.pid(peer), seconds: seconds)
    let links = try world.session.links().keys.count { $0.from.hasPrefix("nearend:") || $0.to.hasPrefix("nearend:") }
    if let heard = try probe?.finish(timeout: 30).samples["heard"], Measures.level(heard) < -60 {
      throw BenchError("the music did not play, so that its cost was not measured")
    }
    table.rows.append([
      music ? "another application plays to the real speaker" : "nothing", "\(number(rate.milliseconds / 10, 3)) %",
      number(rate.switches, 1), "\(links)",
    ])
  }
  return table
}
