import Foundation
import RealtimeCore

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
  let heard = output.suffix(window).map(Double.init)
  // Steering changes the speed, and thus the frequency, by up to 2000 ppm: search for the best fit.
  var (low, high) = (997.0, 1_003.0)
  while high - low > 1e-5 {
    let third = (high - low) / 3
    if signalToNoise(heard, low + third) > signalToNoise(heard, high - third) { high -= third } else { low += third }
  }
  return signalToNoise(heard, (low + high) / 2)
}

/// Returns the power of the best-fitting sine at `frequency`, in Hz, over that of the remainder, in dB.
private func signalToNoise(_ signal: [Double], _ frequency: Double) -> Double {
  let angle = 2 * .pi * frequency / Double(Talk.rate)
  var (cc, cs, ss, cy, sy) = (0.0, 0.0, 0.0, 0.0, 0.0)
  for (index, y) in signal.enumerated() {
    let (c, s) = (cos(angle * Double(index)), sin(angle * Double(index)))
    (cc, cs, ss, cy, sy) = (cc + c * c, cs + c * s, ss + s * s, cy + c * y, sy + s * y)
  }
  let determinant = cc * ss - cs * cs
  let (a, b) = ((cy * ss - sy * cs) / determinant, (sy * cc - cy * cs) / determinant)
  var (power, noise) = (0.0, 0.0)
  for (index, y) in signal.enumerated() {
    let fit = a * cos(angle * Double(index)) + b * sin(angle * Double(index))
    (power, noise) = (power + fit * fit, noise + (y - fit) * (y - fit))
  }
  return 10 * log10(power / noise)
}
