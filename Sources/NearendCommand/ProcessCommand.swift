import ArgumentParser
import Foundation
import OfflineProcessing
import Platform
import SessionModel

extension SampleType: ExpressibleByArgument {}

struct ProcessCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "process",
    abstract: "Process recorded files as a call is processed live, without a daemon or a device, faster than real time.",
    discussion: """
      The output is a mono WAV file as long as the microphone's, at its rate and in its sample type. The same input gives the same output, bit by bit. \
      --mic is any sound file that libsndfile reads, 1 to 8 channels; --far is what the far end sent, at any rate.

        nearend process --mic mic.wav --far far.wav --out out.wav --plot out.png
      """)

  enum MetricsFormat: String, CaseIterable, ExpressibleByArgument { case json }

  @Option(help: ArgumentHelp("The raw microphone.", valueName: "file"))
  var mic: String?
  @Option(help: ArgumentHelp("What the far end sent, which the microphone hears again as echo; silence without it.", valueName: "file"))
  var far: String?
  @Option(help: ArgumentHelp("Where the voice goes.", valueName: "file"))
  var out: String
  @Option(help: ArgumentHelp("Print ERLE, delay, levels, gain and voice activity over time, and totals: json.", valueName: "format"))
  var metrics: MetricsFormat?
  @Option(
    help: ArgumentHelp("Draw levels, ERLE, delay and spectrograms over time into a PNG, or with - into the terminal.", valueName: "file"))
  var plot: String?
  @Option(parsing: .unconditional, help: ArgumentHelp("Frames of a cycle, 32 to 8192; by default 10 ms.", valueName: "frames"))
  var quantum: Int?
  @Option(help: "Samples of the output: pcm16, pcm24, pcm32 or float; by default as the microphone's.")
  var sampleType: SampleType?
  @Flag(help: "Leave the voice as late as it is live; the output is longer by that.")
  var keepDelay = false
  @Option(help: "Who cancels the echo: nearend's own canceller (the default), webrtc, or off.")
  var aec: EchoCanceller?
  @Option(help: "What becomes of the room around the voice: standard (the default), voiceIsolation or wideSpectrum.")
  var micMode: MicMode?
  @Flag(name: .customLong("no-aec"), help: "As --aec off.")
  var leavesEcho = false
  @Flag(inversion: .prefixedNo, help: "Noise suppression.")
  var ns = true
  @Flag(inversion: .prefixedNo, help: "Gain control.")
  var agc = true
  @Flag(inversion: .prefixedNo, help: "High-pass filter.")
  var hpf = true
  @Flag(help: "The raw microphone, at the processed one's latency.")
  var bypass = false
  @Flag(inversion: .prefixedNo, help: "Voice processing; without it the microphone passes as it is.")
  var voiceProcessing = true
  @Option(help: "How --plot - draws: unicode, compat or ascii; by default what the locale allows.")
  var glyphs: GlyphChoice?
  /// The parent's parser runs first, and accepts `--mic`, `--aec`, `--mic-mode`, `--glyphs` and `--no-voice-processing` anywhere.
  @ParentCommand var nearend: NearendCommand

  func run() throws {
    try refuseForeignOptions()
    guard let microphone = mic ?? nearend.devices.mic else { throw ValidationError("Give the microphone's file with --mic <file>.") }
    if leavesEcho, let chosen = aec ?? nearend.devices.aec, chosen != .off {
      throw ValidationError("--no-aec and --aec \(chosen.rawValue): give only one of them.")
    }
    if metrics != nil, plot == "-" { throw ValidationError("--metrics and --plot - both print: give only one of them, or --plot <file>.") }
    if let plot, plot != "-", !plot.lowercased().hasSuffix(".png") {
      throw ValidationError("--plot \(plot): give a name that ends in .png, or - for the terminal.")
    }
    var options = OfflineOptions(microphone: microphone, farEnd: far, output: out)
    options.plot = plot == "-" ? nil : plot
    options.drawsSpectrograms = plot == "-"
    options.quantum = quantum
    options.sampleType = sampleType
    options.keepsDelay = keepDelay
    options.settings = settings
    let stop = StopRequest.onSignals()
    do throws(OfflineError) {
      let meter = ProgressMeter()
      let processor = try OfflineProcessor(options)
      let result: OfflineProcessor.Result
      do throws(OfflineError) {
        result = try processor.run { share in
          meter.show(share)
          return !stop.isRequested
        }
      } catch {
        meter.clear()
        throw error
      }
      meter.clear()
      show(result)
    } catch {
      if case .options(let reason) = error { throw ValidationError("\(reason).") }
      fail(error, ExitStatus(error))
    }
  }

  private var settings: [Setting: EventValue] {
    [
      .echoCanceller: .string((leavesEcho ? .off : aec ?? nearend.devices.aec ?? EchoCanceller.nearend).rawValue),
      .noiseSuppression: .bool(ns), .voiceProcessingEnableAGC: .bool(agc), .highPassFilter: .bool(hpf),
      .micMode: .string((micMode ?? nearend.devices.micMode ?? .standard).rawValue), .bypassVoiceProcessing: .bool(bypass),
      .useVoiceProcessingIO: .bool(voiceProcessing && nearend.devices.voiceProcessing ?? true),
    ]
  }

  private func refuseForeignOptions() throws {
    let (devices, display) = (nearend.devices, nearend.display)
    guard devices.speaker == nil, devices.sink.isEmpty, devices.manual == nil, devices.reference == nil, !display.headless,
      display.seconds == nil, !display.json, !nearend.telemetry.isGiven
    else { throw ValidationError("process works on files: options of the live nearend mean nothing to it.") }
  }

  private func show(_ result: OfflineProcessor.Result) {
    let metrics = result.metrics
    for note in result.notes { remark(note) }
    let seconds = metrics.description.microphone.seconds
    let speed =
      "\(fixed(seconds, 1)) s of audio in \(fixed(result.elapsed, 2)) s, \(fixed(seconds / max(result.elapsed, 1e-6), 0)) × real time"
    let erle = metrics.totals.erle.map { ", ERLE \(fixed($0, 1)) dB" } ?? ""
    let delay = metrics.totals.echoDelay.map { ", echo delay \(fixed($0, 0)) ms" } ?? ""
    remark("\(out): \(speed)\(erle)\(delay)")
    if self.metrics == .json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      if let document = try? encoder.encode(metrics) { print(String(decoding: document, as: UTF8.self)) }
    }
    if plot == "-" {
      TerminalChart(glyphs ?? nearend.display.glyphs).print(Chart(metrics, spectrograms: result.spectrograms))
    }
  }

  private func remark(_ text: String) { standardError.write("nearend: \(text)") }
}

/// Shows progress, on a terminal only.
private final class ProgressMeter {
  private let isShown = isatty(STDERR_FILENO) == 1
  private var shown = -1
  private static let width = 40

  func show(_ share: Double) {
    let percent = Int(share * 100)
    guard isShown, percent != shown else { return }
    shown = percent
    let done = percent * Self.width / 100
    let bar = String(repeating: "#", count: done) + String(repeating: ".", count: Self.width - done)
    write("\rprocessing [\(bar)] \(percent) %")
  }

  func clear() {
    guard isShown, shown >= 0 else { return }
    shown = -1
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) { Array(text.utf8).withUnsafeBytes { _ = writeWhole($0, to: STDERR_FILENO) } }
}

extension ExitStatus {
  init(_ error: OfflineError) {
    switch error {
    case .input: self = .noInput
    case .output: self = .noOutput
    case .options, .interrupted: self = .failure
    }
  }
}
