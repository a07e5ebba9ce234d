import Foundation
import Nearend
import SessionModel
import Testing

@testable import OfflineProcessing

@Suite("Processing files")
struct OfflineProcessorTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// A far end, its echo 20 ms later in the microphone, and a near end that talks over it from the middle on.
  private func call(seconds: Int = 2) throws -> OfflineOptions {
    let far = TestSignals.bursts(frames: seconds * 48_000)
    let near = TestSignals.noise(frames: far.count, seed: 9)
    let microphone = far.indices.map {
      0.5 * ($0 >= 960 ? far[$0 - 960] : 0) + ($0 > far.count / 2 && $0 % 30_000 < 20_000 ? 0.3 * near[$0] : 0)
    }
    return OfflineOptions(
      microphone: try folder.wave("mic.wav", microphone), farEnd: try folder.wave("far.wav", far), output: folder.file("out.wav"))
  }

  @Test("S9: the same input gives the same files, bit by bit, whatever else the machine does")
  func deterministic() async throws {
    var first = try call()
    first.plot = folder.file("out.png")
    var second = first
    second.output = folder.file("again.wav")
    second.plot = folder.file("again.png")
    let alone = try OfflineProcessor(first).run()
    // The same, concurrently, once for each processor.
    let metrics = try await withThrowingTaskGroup(of: ProcessingMetrics.self) { group in
      for index in 0..<3 {
        var options = second
        if index > 0 {
          options.output = folder.file("other\(index).wav")
          options.plot = nil
        }
        let mine = options
        group.addTask { try OfflineProcessor(mine).run().metrics }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(metrics.allSatisfy { $0 == alone.metrics })
    for (a, b) in [("out.wav", "again.wav"), ("out.png", "again.png"), ("out.wav", "other1.wav")] {
      let one = try Data(contentsOf: URL(fileURLWithPath: folder.file(a)))
      let other = try Data(contentsOf: URL(fileURLWithPath: folder.file(b)))
      #expect(one == other, "\(a) and \(b)")
      #expect(one.count > 1_000)
    }
  }

  @Test("S9: the output is a manual renderer's for the same blocks, without its delay, or with it if it is kept")
  func isTheRenderer() throws {
    var options = try call()
    options.quantum = 256
    options.sampleType = .float
    _ = try OfflineProcessor(options).run()
    options.keepsDelay = true
    options.output = folder.file("late.wav")
    _ = try OfflineProcessor(options).run()

    let renderer = try ManualRenderer()
    let microphone = try folder.samples("mic.wav"), far = try folder.samples("far.wav")
    let latency = renderer.latency(quantum: 256)
    var voice: [Float] = []
    let padding = [Float](repeating: 0, count: latency + 256)
    let (near, away) = (microphone + padding, far + padding)
    for start in stride(from: 0, through: near.count - 256, by: 256) {
      let call = StereoBlock(mono: Array(away[start..<start + 256]))
      voice += try renderer.cycle(microphone: Array(near[start..<start + 256]), call: call).voice
    }
    #expect(try folder.samples("late.wav") == Array(voice.prefix(microphone.count + latency)))
    #expect(try folder.samples("out.wav") == Array(voice[latency...].prefix(microphone.count)))
  }

  @Test("S9 V1: with voice processing off the output is the microphone, bit by bit", arguments: [false, true])
  func unprocessed(isFloat: Bool) throws {
    let noise = TestSignals.noise(frames: 10_007)
    var options = OfflineOptions(microphone: try folder.wave("mic.wav", noise, isFloat: isFloat), output: folder.file("out.wav"))
    options.settings = [.useVoiceProcessingIO: .bool(false)]
    _ = try OfflineProcessor(options).run()
    #expect(try folder.samples("out.wav") == noise)
    #expect(try SoundInput(path: options.output).sampleType == (isFloat ? .float : .pcm16))
  }

  @Test(
    "S9: any rate and channel count goes in, and the output is a mono file of the microphone's rate and length, in time with it",
    arguments: [(8_000, 1, 48_000, 1), (11_025, 2, 8_000, 1), (44_100, 1, 48_000, 2), (96_000, 8, 22_050, 1), (384_000, 1, 16_000, 1)])
  func rates(rate: Int, channels: Int, farRate: Int, farChannels: Int) throws {
    // Bursts of 300 Hz, the same in every channel: within the band of every rate.
    func bursts(_ rate: Int, _ channels: Int, seconds: Double) -> [Float] {
      (0..<Int(seconds * Double(rate))).flatMap { index -> [Float] in
        let t = Double(index) / Double(rate)
        let sample = t.truncatingRemainder(dividingBy: 0.5) < 0.3 ? Float(0.2 * sin(2 * .pi * 300 * t)) : 0
        return Array(repeating: sample, count: channels)
      }
    }
    let microphone = bursts(rate, channels, seconds: 1.5)
    var options = OfflineOptions(
      microphone: try folder.wave("mic.wav", microphone, rate: rate, channels: channels),
      farEnd: try folder.wave("far.wav", bursts(farRate, farChannels, seconds: 1.5), rate: farRate, channels: farChannels),
      output: folder.file("out.wav"))
    options.settings = [.bypassVoiceProcessing: .bool(true)]
    let result = try OfflineProcessor(options).run()
    let output = try SoundInput(path: options.output)
    #expect(output.rate == rate)
    #expect(output.channelCount == 1)
    #expect(output.length == microphone.count / channels)
    #expect(result.notes.isEmpty)
    let samples = try folder.samples("out.wav")
    let from = rate / 20
    let error = samples.indices[from..<(samples.count - from)].map { samples[$0] - microphone[$0 * channels] }
    #expect(TestSignals.rms(error) < 0.005, "the bypassed microphone differs by \(TestSignals.rms(error))")
    #expect(abs((result.metrics.totals.farEndLevel - result.metrics.totals.microphoneLevel)) < 0.5)
  }

  @Test("S9 V6: metrics have ERLE, delay, activity, gain and levels over time, at the microphone's time", arguments: TestSignals.cancellers)
  func metrics(canceller: EchoCanceller) throws {
    var options = try call(seconds: 6)
    options.settings[.echoCanceller] = .string(canceller.rawValue)
    let metrics = try OfflineProcessor(options).run().metrics
    #expect(metrics.series.erle.count == 60)
    #expect(metrics.series.isFarEndActive.count == 60)
    #expect(metrics.series.microphoneLevel.count == 60)
    #expect(metrics.series.erle[0] == nil)
    let erle = try #require(metrics.series.erle[25]), reduction = try #require(metrics.series.echoReduction[25])
    #expect(reduction > 15 && erle > 5, "\(reduction) dB, the filter \(erle) dB")
    #expect(metrics.series.echoReduction.count == 60 && erle <= reduction)
    let delay = try #require(metrics.totals.echoDelay)
    #expect(abs(delay - 20) < 4, "\(delay) ms")
    // The far end's pauses, 0.1 s in every 0.5 s, are where they are in the file.
    #expect(metrics.series.farEndLevel[4] < -80)
    #expect(metrics.series.farEndLevel[3] > -20)
    #expect(metrics.series.voiceLevel[25] < metrics.series.microphoneLevel[25] - 10)
    #expect(metrics.totals.farEndSeconds > 5)
    #expect(metrics.totals.refusedBlocks == 0)
    #expect(metrics.description.settings["echoCanceller"] == .string(canceller.rawValue))
    #expect(metrics.description.settings["voiceProcessingEnableAGC"] == .bool(true))
    let json = try JSONEncoder().encode(metrics), decoded = try JSONDecoder().decode(ProcessingMetrics.self, from: json)
    #expect(String(decoding: json, as: UTF8.self).range(of: "-0[,}\\]]", options: .regularExpression) == nil, "zero has no sign")
    #expect(decoded.series == metrics.series)
    #expect(decoded.totals == metrics.totals)
  }

  @Test("S9: a shorter far end ends in silence, a longer one is cut; both are reported", arguments: [24_000, 72_000])
  func otherLength(frames: Int) throws {
    let options = OfflineOptions(
      microphone: try folder.wave("mic.wav", TestSignals.noise(frames: 48_000)),
      farEnd: try folder.wave("far.wav", TestSignals.noise(frames: frames)), output: folder.file("out.wav"))
    let result = try OfflineProcessor(options).run()
    let note = try #require(result.notes.first)
    #expect(note.contains(frames < 48_000 ? "0.50 s shorter" : "0.50 s longer"), "\(note)")
    #expect(note.contains("far.wav"))
    #expect((result.metrics.series.farEndLevel[8] < -100) == (frames < 48_000))
    #expect(try SoundInput(path: options.output).length == 48_000)
  }

  @Test("S9: interrupted, no output is left, and an existing file stays")
  func interrupted() throws {
    let options = try call()
    try Data("before".utf8).write(to: URL(fileURLWithPath: options.output))
    #expect(throws: OfflineError.interrupted) { try OfflineProcessor(options).run { $0 < 0.5 } }
    #expect(try String(contentsOfFile: options.output, encoding: .utf8) == "before")
    #expect(try folder.names() == ["far.wav", "mic.wav", "out.wav"])
  }

  @Test("S9: the plot is a PNG of three panels and two spectrograms, in characters as wide as asked and in ASCII where asked")
  func charts() throws {
    var options = try call()
    options.plot = folder.file("plot.png")
    let result = try OfflineProcessor(options).run()
    let metrics = result.metrics
    let image = try Data(contentsOf: URL(fileURLWithPath: folder.file("plot.png")))
    #expect(image.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    #expect(image.count > 5_000)
    let chart = Chart(metrics, spectrograms: result.spectrograms)
    #expect(chart.spectrograms.count == 2)
    for spectrogram in chart.spectrograms {
      #expect(abs(spectrogram.columns.count - metrics.series.voiceLevel.count) <= 1, "\(spectrogram.title)")
    }
    #expect(chart.panels.map(\.title) == ["Level, dBFS", "ERLE, dB", "Echo delay, ms"])
    for (glyphs, full) in [(ChartText.Glyphs.unicode, Character("█")), (.ascii, "#")] {
      let lines = ChartText(glyphs: glyphs, columns: 60).lines(of: chart)
      #expect(lines.allSatisfy { $0.count <= 60 })
      #expect(lines.contains { $0.contains(full) })
      #expect(lines.contains("Voice, 0 to 20 kHz"))
      #expect(glyphs != .ascii || lines.allSatisfy { $0.utf8.allSatisfy { $0 < 128 } })
    }
  }
}
