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

  @Test("U5: windows of a signal are at the level of the signal, and the louder one counts")
  func windows() {
    let bands = SpectrogramBands(rate: 48_000, count: 48), length = SpectrumWindow.length(rate: 48_000)
    let loud = tone(1_000, rate: 48_000), silent = [Float](repeating: 0, count: length)
    #expect(bands.levels(ofWindows: silent + loud.prefix(length)) == bands.levels(of: Array(loud.prefix(length))))
    #expect(bands.levels(ofWindows: loud.prefix(length) + silent) == bands.levels(of: Array(loud.prefix(length))))
    #expect(bands.levels(ofWindows: []) == [Double](repeating: -120, count: 48))
  }

  @Test(
    "U5: the tap tells a window of microphone and of voice each tenth of a second, as they were, while somebody takes the voice",
    arguments: [(256, 48_000), (480, 48_000), (8_192, 48_000), (1_024, 192_000), (256, 16_000)])
  func tap(quantum: Int, rate: Int) throws {
    let core = try AudioCore(rate: rate)
    core.controls.usesVoiceProcessing = false
    let microphone = UnsafeMutablePointer<Float>.allocate(capacity: quantum)
    let voice = UnsafeMutablePointer<Float>.allocate(capacity: quantum)
    defer {
      microphone.deallocate()
      voice.deallocate()
    }
    var spoken: [Float] = [], sent: [Float] = []
    func cycle() {
      for i in 0..<quantum { microphone[i] = Float((spoken.count + i) % 9_973) / 9_973 }
      var buffers = CycleBuffers(frames: quantum, rate: rate, position: UInt64(spoken.count), driver: 1)
      buffers.microphone = UnsafePointer(microphone)
      buffers.voice = voice
      core.realtime.process(&buffers, graphSinks: nil)
      spoken += UnsafeBufferPointer(start: microphone, count: quantum)
      sent += UnsafeBufferPointer(start: voice, count: quantum)
    }
    var heard = SpectrumTap.Heard()
    for _ in 0..<rate / quantum + 1 { cycle() }
    core.spectra.drain(into: &heard)
    #expect(heard == SpectrumTap.Heard(), "nobody takes the voice")

    core.isSending = true
    (spoken, sent) = ([], [])
    let length = SpectrumWindow.length(rate: rate), period = rate / 10
    var windows: (microphone: [Float], voice: [Float]) = ([], [])
    while spoken.count < rate / 2 {
      cycle()
      core.spectra.drain(into: &heard)
      for told in [heard.microphone, heard.voice] {
        #expect(told.samples.count % length == 0)
        #expect(told.rate == (told.samples.isEmpty ? 0 : rate))
      }
      windows.microphone += heard.microphone.samples
      windows.voice += heard.voice.samples
    }
    for (told, signal) in [(windows.microphone, spoken), (windows.voice, sent)] {
      let begins = stride(from: 0, through: signal.count - length, by: period)
      #expect(told == begins.flatMap { signal[$0..<$0 + length] })
    }
    core.spectra.drain(into: &heard)
    #expect(heard == SpectrumTap.Heard(), "taken once")

    // Nobody takes the voice for a while, in the middle of a window.
    if quantum < length {
      while spoken.count % period >= length || spoken.count % period < quantum { cycle() }
      core.isSending = false
      cycle()
      core.isSending = true
      core.spectra.drain(into: &heard)
      spoken = []
      while spoken.count < length { cycle() }
      core.spectra.drain(into: &heard)
      #expect(heard.microphone.samples == Array(spoken.prefix(length)))
    }
  }

  @Test("U5: at a new rate a new window begins, and only those of the newest rate are told")
  func newRate() {
    let queue = SourceQueue()
    var window = SpectrumWindow(writer: queue.writer)
    let signal = [Float](repeating: 0.5, count: 3_000)
    window.add(signal, frames: 3_000, rate: 48_000)
    window.add(signal, frames: 500, rate: 16_000)
    var told: [Float] = []
    #expect(queue.read(into: &told) == SourceQueue.Cycle(frames: 2_048, rate: 48_000, position: 0))
    #expect(queue.read(into: &told) == nil, "16 kHz: not complete")
    window.add(signal, frames: 12, rate: 16_000)
    #expect(queue.read(into: &told) == SourceQueue.Cycle(frames: 512, rate: 16_000, position: 2_048))
  }
}
