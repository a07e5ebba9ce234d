import Foundation
import SimulatedHardware

/// Measures the latency of each path at each quantum, to the sample, on a clock that waits for every node.
func measureLatency(_ programs: Programs, quanta: [Int]) throws -> Table {
  var table = Table(
    title: "Latency",
    note: "Frames that the peer adds between the microphone's port and its voice, and between the far end's port and the loudspeaker; "
      + "correlation with the undelayed signal. A run is exact where one driver ran at one quantum and no cycle was lost.",
    columns: ["peer", "quantum", "capture", "correlation", "render", "correlation", "exact"])
  let talk = try Talk()
  let half = 6 * Talk.rate
  let silence = [Float](repeating: 0, count: half)
  let microphone = Talk.repeated(talk.near, frames: half) + silence
  let far = silence + Talk.repeated(talk.far, frames: half)
  for peer in [Peer.nearend(programs), .nearend(programs, voiceProcessing: false), .copy(programs), .echoCancel()] {
    for quantum in quanta {
      progress("latency: \(peer.name) at \(quantum)")
      let world = try PeerSession(clock: .patient(), quantum: quantum)
      try world.start(peer)
      let probe = try world.call("call", through: peer, microphone: microphone, far: far, frames: microphone.count + Talk.rate / 2)
      guard let recording = try? probe.run(timeout: 40) else {
        table.rows.append([peer.name, "\(quantum)"] + columns(nil) + columns(nil) + ["no: its links never worked"])
        continue
      }
      let capture = lag(recording, "voice", after: "microphone", in: Talk.rate..<half)
      let render = lag(recording, "speaker", after: "far", in: half..<(2 * half))
      let isExact = recording.isExact && recording.quantum == quantum...quantum
      table.rows.append(
        [peer.name, "\(quantum)"] + columns(capture) + columns(render) + [
          isExact ? "yes" : "no: quantum \(recording.quantum), \(recording.jumps) jumps"
        ])
    }
  }
  return table
}

/// Returns the lag of one recorded port relative to another, for the sound in `range` of the latter; at most half a second.
func lag(_ recording: GraphProbe.Recording, _ port: String, after reference: String, in range: Range<Int>) -> Measures.Lag? {
  let most = Talk.rate / 2
  guard let signal = recording.samples[port], let original = recording.samples[reference] else { return nil }
  return Measures.lag(
    of: Array(signal[range.lowerBound..<min(signal.count, range.upperBound + most)]), after: Array(original[range]), most: most)
}

/// Below this correlation it is unclear whether anything passed.
private let leastCorrelation = 0.3

private func columns(_ lag: Measures.Lag?) -> [String] {
  guard let lag, abs(lag.correlation) >= leastCorrelation else { return ["nothing passes", "–"] }
  return ["\(lag.frames)", number(lag.correlation, 2)]
}

/// Measures whether the paths' latencies are constant while streams come and go.
func measureRestarts(_ programs: Programs, quantum: Int) throws -> Table {
  var table = Table(
    title: "Latency after restarts",
    note:
      "Quantum \(quantum). During one call the far end's stream starts ten times; then, during one far-end stream, the recorder starts five times. "
      + "Frames at each start, and of the path that went on meanwhile.",
    columns: ["peer", "render at each start", "capture meanwhile", "capture at each start", "render meanwhile"])
  let talk = try Talk()
  let (window, short) = (2 * Talk.rate, 3 * Talk.rate)
  for peer in [Peer.nearend(programs), .echoCancel()] {
    progress("restart: \(peer.name)")
    let world = try PeerSession(clock: .patient(), quantum: quantum)
    try world.start(peer)
    func rounds(
      _ count: Int, of ports: (String, String), with steady: (String, String), isFar: Bool
    ) throws -> (each: [Int], steady: [Int]) {
      let frames = (4 * count + 4) * Talk.rate
      let signals = (near: Talk.repeated(talk.near, frames: frames), far: Talk.repeated(talk.far, frames: frames))
      let ongoing = try world.call(
        isFar ? "ongoing-call" : "ongoing-far", through: peer, microphone: isFar ? signals.near : nil, far: isFar ? nil : signals.far,
        frames: frames)
      ongoing.start()
      let each = try (0..<count).compactMap { round in
        let probe = try world.call(
          "\(isFar ? "far" : "call")\(round)", through: peer, microphone: isFar ? nil : signals.near, far: isFar ? signals.far : nil,
          frames: short + Talk.rate / 2)
        return audible(lag(try probe.run(timeout: 60), ports.0, after: ports.1, in: 0..<short))
      }
      let recording = try ongoing.finish(timeout: 120)
      let starts = stride(from: Talk.rate, to: frames - window - Talk.rate, by: window)
      return (each, starts.compactMap { audible(lag(recording, steady.0, after: steady.1, in: $0..<($0 + window))) })
    }
    let far = try rounds(10, of: ("speaker", "far"), with: ("voice", "microphone"), isFar: true)
    let call = try rounds(5, of: ("voice", "microphone"), with: ("speaker", "far"), isFar: false)
    table.rows.append([peer.name, list(far.each), range(far.steady), list(call.each), range(call.steady)])
  }
  return table
}

private func audible(_ lag: Measures.Lag?) -> Int? { lag.flatMap { abs($0.correlation) >= leastCorrelation ? $0.frames : nil } }
private func list(_ lags: [Int]) -> String { lags.map { "\($0)" }.joined(separator: ", ") }
