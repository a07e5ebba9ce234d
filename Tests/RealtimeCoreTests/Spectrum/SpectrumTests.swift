import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

@Suite("Spectrum")
struct SpectrumTests {
  private func tone(_ frequency: Double, rate: Int, seconds: Double = 0.2) -> [Float] {
    sine(frequency, frames: Int(seconds * Double(rate)), rate: rate)
  }

  @Test(
    "U5: a sine of full scale is at 0 dB in its own band, and below −60 dB in distant ones", arguments: [16_000, 44_100, 48_000, 192_000])
  func tones(rate: Int) throws {
    let bands = SpectrogramBands(rate: rate, count: 48)
    for frequency in [120.0, 440, 1_000, 3_150, 7_000] {
      let levels = bands.levels(of: tone(frequency, rate: rate))
      let band = try #require((0..<48).first { SpectrogramBands.frequency(ofEdge: $0 + 1, of: 48) > frequency })
      let loudest = try #require(levels.indices.max { levels[$0] < levels[$1] })
      #expect(abs(loudest - band) <= 1, "\(frequency) Hz")
      #expect(levels[loudest] > -2 && levels[loudest] < 0.1, "\(frequency) Hz: \(levels[loudest]) dB")
      for other in levels.indices where abs(other - band) > 6 { #expect(levels[other] < -60, "\(frequency) Hz in band \(other)") }
    }
  }

  @Test("U5: silence, and a signal that is too short, are −120 dB; what is above half the rate is silent")
  func silence() {
    let bands = SpectrogramBands(rate: 16_000, count: 48)
    #expect(bands.levels(of: [Float](repeating: 0, count: 3_200)) == [Double](repeating: -120, count: 48))
    #expect(bands.levels(of: [1]) == [Double](repeating: -120, count: 48))
    let noise = (0..<3_200).map { Float(sin(Double($0 * $0))) }
    #expect(bands.levels(of: noise)[40...].allSatisfy { $0 == -120 })
  }

  @Test("U5: the tap tells microphone and voice as they were, while somebody takes the voice, at the newest rate")
  func tap() throws {
    let core = try AudioCore()
    core.controls.usesVoiceProcessing = false
    let microphone = UnsafeMutablePointer<Float>.allocate(capacity: 256)
    let voice = UnsafeMutablePointer<Float>.allocate(capacity: 256)
    defer {
      microphone.deallocate()
      voice.deallocate()
    }
    for i in 0..<256 { microphone[i] = Float(i) / 256 }
    func cycle(_ number: Int) {
      var buffers = CycleBuffers(frames: 256, rate: 48_000, position: UInt64(number * 256), driver: 1)
      buffers.microphone = UnsafePointer(microphone)
      buffers.voice = voice
      core.realtime.process(&buffers, graphSinks: nil)
    }
    var heard = SpectrumTap.Heard()
    func isSilent() -> Bool {
      core.spectra.drain(into: &heard)
      return heard == SpectrumTap.Heard()
    }
    cycle(0)
    #expect(isSilent(), "nobody takes the voice")
    core.isSending = true
    for number in 1...3 { cycle(number) }
    core.spectra.drain(into: &heard)
    #expect(heard.microphone.rate == 48_000 && heard.voice.rate == 48_000)
    #expect(heard.microphone.samples == (0..<3).flatMap { _ in (0..<256).map { Float($0) / 256 } })
    #expect(heard.voice.samples.count == 768)
    #expect(Array(heard.voice.samples.suffix(256)) == (0..<256).map { voice[$0] })
    #expect(isSilent(), "taken once")
  }
}
