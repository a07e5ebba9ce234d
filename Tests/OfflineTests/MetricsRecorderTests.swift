import RealtimeCore
import Testing

@testable import OfflineProcessing

@Suite("Metrics of a file")
struct MetricsRecorderTests {
  @Test("S9: the reduction of the echo is measured half a second and more from any voice, and not at all without such a time")
  func reductionBesideVoice() {
    // 6 s; from 3 to 4 s somebody talks, and is detected 0.2 s late and in pieces.
    #expect(reduction { (3.2..<3.4).contains($0) || (3.7..<4).contains($0) } == 40)
    #expect(reduction { $0.truncatingRemainder(dividingBy: 0.9) < 0.1 } == nil)
  }

  @Test("S9, V6: an echo that fails to be cancelled and is taken for a voice counts as what it is")
  func reductionWhileFailing() throws {
    let told = try #require(reduction(isFailing: true) { $0 >= 3 && $0 < 4 })
    // A second of five, in which nothing is taken away.
    #expect(told < 8, "\(told) dB")
  }

  /// The reduction of a far end that never pauses and is lowered by 40 dB, except while somebody talks, 3 to 4 s.
  private func reduction(isFailing: Bool = false, hasVoice: (Double) -> Bool) -> Double? {
    let rate = 16_000, cycle = 160
    var recorder = MetricsRecorder(rate: rate, latency: 0, length: 6 * rate), meters = CaptureMeters()
    meters.isFarEndActive = true
    if isFailing { (meters.echoSeconds, meters.quietSeconds, meters.echoReduction, meters.uncancelledSeconds) = (10, 0, 3, 6) }
    for index in 0..<6 * rate / cycle {
      let time = Double(index * cycle) / Double(rate), isTalking = (3..<4).contains(time)
      meters.hasVoice = hasVoice(time)
      let microphone = [Float](repeating: 0.1, count: cycle), voice = [Float](repeating: isTalking ? 0.1 : 0.001, count: cycle)
      microphone.withUnsafeBufferPointer { microphone in
        voice.withUnsafeBufferPointer { recorder.add(microphone: microphone, farEnd: microphone, voice: $0, meters: meters) }
      }
    }
    let input = ProcessingMetrics.Input(file: "", rate: rate, channels: 1, frames: 6 * rate, seconds: 6)
    let description = ProcessingMetrics.Description(
      version: "", library: "", microphone: input, farEnd: nil, rate: rate, quantum: cycle, latency: 0, isDelayCompensated: true,
      settings: [:])
    return recorder.finish(describing: description).totals.echoReduction
  }
}
