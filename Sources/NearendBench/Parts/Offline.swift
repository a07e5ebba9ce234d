internal import CAudioProcessing
import Foundation
import Nearend
import OfflineProcessing
import PipeWireGraph
import RealtimeCore
import SimulatedHardware

/// A microphone and its far end, 48 kHz.
struct OfflineCase {
  var name: String
  var microphone: [Float]
  var far: [Float]

  /// The cases of a folder: `<case>/mic.wav` and `<case>/far.wav`; without a folder, double talk.
  static func all(in folder: String?) throws -> [OfflineCase] {
    guard let folder else {
      let talk = try Talk().double(seconds: 12)
      return [OfflineCase(name: "double talk", microphone: talk.microphone, far: talk.far)]
    }
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().compactMap { name in
      guard FileManager.default.fileExists(atPath: "\(folder)/\(name)/mic.wav") else { return nil }
      let microphone = try readSound(path: "\(folder)/\(name)/mic.wav"), far = try readSound(path: "\(folder)/\(name)/far.wav")
      guard microphone.rate == Talk.rate, far.rate == Talk.rate else { throw BenchError("\(name) is not at \(Talk.rate) Hz") }
      let frames = min(microphone.samples.count, far.samples.count)
      return OfflineCase(name: name, microphone: Array(microphone.samples.prefix(frames)), far: Array(far.samples.prefix(frames)))
    }
  }
}

/// Compares files with a live session: the same sound, and the speed.
func measureOffline(cases: [OfflineCase], quanta: [Int]) throws -> Table {
  var table = Table(
    title: "Files, against a live session",
    note:
      "Each case live in a private session on an exact clock, reference mix, and by manual rendering of the same blocks, the silence before them "
      + "included: level of the difference in dBFS (−∞: the same bit by bit). Processor time of manual rendering in cycles of 10 ms, as `nearend "
      + "process` does it, as multiples of real time, and against webrtc-audio-processing alone on the same blocks; the least of 15 passes in turns.",
    columns: ["case"] + quanta.map { "difference at \($0)" } + ["× real time", "of the library alone"])
  var differences: [[String]] = cases.map { _ in [] }
  for quantum in quanta {
    for (index, one) in cases.enumerated() {
      progress("offline: \(one.name) live at \(quantum)")
      let live = try liveCapture(of: one, quantum: quantum)
      let manual = try render(one, quantum: quantum, lead: live.lead, streamDelay: live.streamDelay)
      let level = Measures.level(zip(live.voice, manual[live.lead...]).map { $0 - $1 })
      differences[index].append(level == -.infinity ? "−∞" : number(level))
    }
  }
  for (index, one) in cases.enumerated() {
    progress("offline: \(one.name), processor time")
    let seconds = Double(one.far.count) / Double(Talk.rate)
    // Alternating, so that other load affects both alike.
    let rounds = try (0..<3).map { _ in (offline: try offlineCost(one), library: try libraryCost(one)) }
    let cost = rounds.map(\.offline).min()!, library = rounds.map(\.library).min()!
    table.rows.append([one.name] + differences[index] + [number(seconds * 1e6 / cost, 0), number(cost / library, 2)])
  }
  return table
}

private struct LiveCapture {
  var voice: [Float]
  /// Frames that the capture path had processed before.
  var lead: Int
  var streamDelay: Int
}

private func liveCapture(of one: OfflineCase, quantum: Int) throws -> LiveCapture {
  let world = try PeerSession(clock: .patient(speed: 4), quantum: quantum)
  let service = try NearendService(NearendOptions(graph: GraphOptions(remote: world.session.socket, reference: .mix)))
  // Everything that the capture path has ever output, because the preceding silence affects its state, too.
  let queue = SourceQueue(capacity: 1 << 23)
  service.core.source.attach(queue)
  try service.start()
  defer { service.stop() }
  let probe = try GraphProbe(
    socket: world.session.socket, play: ["near": one.microphone, "far": one.far], record: ["voice"], frames: one.microphone.count)
  for (from, to) in [
    (probe.playPort("far"), "nearend.speaker:playback_FL"), (probe.playPort("far"), "nearend.speaker:playback_FR"),
    (probe.playPort("near"), "hw.mic:input_MONO"), ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
  ] { try world.link(from, to) }
  try world.session.wait(for: "voice at quantum \(quantum)") {
    let snapshot = service.snapshot()
    return snapshot.graph.captureLinks > 0 && snapshot.graph.quantum == quantum
  }
  let recording = try probe.run(timeout: 120)
  guard recording.isExact, let voice = recording.samples["voice"] else { throw BenchError("the live session lost a cycle") }
  var everything: [Float] = []
  while queue.read(into: &everything) != nil {}
  guard queue.overruns == 0, let lead = start(of: voice, in: everything) else { throw BenchError("the live voice was not all taken") }
  return LiveCapture(voice: voice, lead: lead, streamDelay: service.core.streamDelay)
}

/// Returns the position of a recording in a longer one that contains it bit by bit.
private func start(of part: [Float], in whole: [Float]) -> Int? {
  guard let loud = part.indices.first(where: { abs(part[$0]) > 0.001 }), loud + 2_000 < part.count else { return nil }
  let pattern = part[loud..<loud + 2_000]
  let found = (loud..<max(loud, whole.count - 2_000)).first { whole[$0] == pattern.first && whole[$0..<$0 + 2_000].elementsEqual(pattern) }
  return found.map { $0 - loud }
}

private func render(_ one: OfflineCase, quantum: Int, lead: Int, streamDelay: Int) throws -> [Float] {
  let renderer = try ManualRenderer()
  renderer.streamDelay = streamDelay
  let silence = [Float](repeating: 0, count: lead), rest = [Float](repeating: 0, count: quantum)
  let (microphone, far) = (silence + one.microphone + rest, silence + one.far + rest)
  var voice: [Float] = []
  for first in stride(from: 0, through: microphone.count - quantum, by: quantum) {
    let call = StereoBlock(mono: Array(far[first..<first + quantum]))
    voice += try renderer.cycle(microphone: Array(microphone[first..<first + quantum]), call: call).voice
  }
  return voice
}

/// The cost in µs for the whole case.
private func offlineCost(_ one: OfflineCase) throws -> Double {
  let block = Talk.rate / 100
  var voice = [Float](repeating: 0, count: block), left = voice, right = voice
  return try least {
    let renderer = try ManualRenderer()
    let begin = processorMicroseconds()
    try one.microphone.withUnsafeBufferPointer { microphone in
      try one.far.withUnsafeBufferPointer { far in
        try voice.withUnsafeMutableBufferPointer { voice in
          try left.withUnsafeMutableBufferPointer { left in
            try right.withUnsafeMutableBufferPointer { right in
              for first in stride(from: 0, through: microphone.count - block, by: block) {
                var cycle = CycleBuffers(frames: block, rate: Talk.rate, position: 0, driver: 0)
                cycle.microphone = microphone.baseAddress! + first
                cycle.call = StereoInput(left: far.baseAddress! + first, right: far.baseAddress! + first)
                cycle.voice = voice.baseAddress
                cycle.speaker = (left.baseAddress, right.baseAddress)
                try renderer.cycle(&cycle)
              }
            }
          }
        }
      }
    }
    return processorMicroseconds() - begin
  }
}

/// The cost of canceller and suppressor alone, over the same blocks, in µs.
private func libraryCost(_ one: OfflineCase) throws -> Double {
  let blocks = one.far.count / (Talk.rate / 100)
  let talk = (microphone: one.microphone, far: one.far)
  return try (libraryCost(NEAREND_ECHO_CANCELLER, talk) + libraryCost(NEAREND_NOISE_SUPPRESSOR, talk)) * Double(blocks)
}
