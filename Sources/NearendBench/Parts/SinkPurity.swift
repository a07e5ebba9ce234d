import Foundation
import RealtimeCore
import SimulatedHardware

/// Measures the signal to noise, in dB, of a 1 kHz sine at the speaker that a participant plays through a ring of `rate` Hz.
func sinkPurity(rate: Int) throws -> Double {
  let mixer = Mixer()
  let (quantum, window) = (256, 2_048)
  let format = try SinkFormat(sampleRate: rate, channelCount: 1)
  let sink = try RingSink(id: "sine", format: format, capacityBytes: rate * 2 / 5 * format.bytesPerFrame)
  // Keeps the peak far below the limiter's threshold.
  sink.gain = 0.25
  try mixer.add(sink)
  var written = 0, cycles = 0
  var output: [Float] = []
  var (left, right) = ([Float](repeating: 0, count: quantum), [Float](repeating: 0, count: quantum))
  // Writes at the pace of the graph's clock, so that the steered resampling ratio hardly changes within the window.
  for _ in 0..<2 * Talk.rate / quantum {
    cycles += 1
    let packet = (written..<cycles * quantum * rate / Talk.rate).map {
      Int16((32_767 * sin(2 * .pi * 1_000 * Double($0) / Double(rate))).rounded())
    }
    guard packet.withUnsafeBytes({ sink.write($0) }) else { throw BenchError("a ring is full") }
    written += packet.count
    mixer.renderPath.pointee.process(
      call: StereoInput(left: nil, right: nil), graphSinks: nil, speakerLeft: &left, speakerRight: &right, frames: quantum, rate: Talk.rate)
    output += left
  }
  guard sink.status().totalUnderruns == 0 else { throw BenchError("the sink ran dry") }
  return Measures.bestPurity(ofToneNear: 1_000, in: output.suffix(window), rate: Double(Talk.rate))
}
