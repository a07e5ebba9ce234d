import ArgumentParser
import Foundation
import Nearend
import OfflineProcessing
import Platform
import SessionModel

extension SampleType: ExpressibleByArgument {}

struct ProcessCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "process",
    abstract: "Process recorded files as a call is processed live, without a daemon or a device, faster than real time.",
    discussion: """
      The output is a WAV file, mono unless two channels are asked for, as long as the microphone's, at its rate and in its sample type. The same input gives the same output, bit by bit. \
      --mic is any sound file that libsndfile reads, 1 to 32 channels; --far is what the far end sent, at any rate.

        nearend process --mic mic.wav --far far.wav --out out.wav --plot out.png

      With --batch it processes each row of a CSV file, whose first row names its columns: microphone, and where they are needed reference, \
      name, aec, ns, agc, hpf, mic-mode, mic-channels, gain (0 to 1) and bypass. Files are beside it; an empty cell is as the options here say. Into the \
      folder --out come a voice and its measures for each, and results.csv. What is there already is not done again.

        nearend process --batch cases.csv --jobs 4 --out voices
      """)

  enum MetricsFormat: String, CaseIterable, ExpressibleByArgument { case json }

  @Option(help: ArgumentHelp("The raw microphone.", valueName: "file"), completion: .file())
  var mic: String?
  @Option(
    help: ArgumentHelp("What the far end sent, which the microphone hears again as echo; silence without it.", valueName: "file"),
    completion: .file())
  var far: String?
  @Option(help: ArgumentHelp("The output file; with --batch, the output folder.", valueName: "file"), completion: .file())
  var out: String
  @Option(help: ArgumentHelp("Process the rows of this CSV file.", valueName: "file"), completion: .file())
  var batch: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("With --batch: the number of cases processed in parallel; by default one per processor.", valueName: "number"))
  var jobs: Int?
  @Option(help: ArgumentHelp("With --batch: process only this case, and write no results.csv; may be repeated.", valueName: "name"))
  var only: [String] = []
  @Option(help: ArgumentHelp("Print ERLE, delay, levels, gain and voice activity over time, and totals: json.", valueName: "format"))
  var metrics: MetricsFormat?
  @Option(
    help: ArgumentHelp("Draw levels, ERLE, delay and spectrograms over time into a PNG, or with - into the terminal.", valueName: "file"),
    completion: .file(extensions: ["png"]))
  var plot: String?
  @Option(parsing: .unconditional, help: ArgumentHelp("Frames of a cycle, 32 to 8192; by default 10 ms.", valueName: "frames"))
  var quantum: Int?
  @Option(help: "Samples of the output: pcm16, pcm24, pcm32 or float; by default as the microphone's.")
  var sampleType: SampleType?
  @Option(
    name: [.customLong("mic-channels"), .customLong("channel")], parsing: .unconditional,
    help: ArgumentHelp(
      "The channels of the microphone's file to use: auto (those that work; default), each (in stereo), mean, or numbers.",
      valueName: "channels")
  )
  var micChannels: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Channels of the output: 1 (the default) or 2, of a microphone that has both, with wideSpectrum or without voice processing.",
      valueName: "number"))
  var channels: Int?
  @Flag(help: "Keep the latency of a live call; the output is longer by that much.")
  var keepDelay = false
  @Option(help: "The echo canceller: nearend's own (the default), webrtc, or off.")
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
  @Flag(inversion: .prefixedNo, help: "Hear several microphones as an array; without it the first, of those that work, is heard.")
  var beam = true
  @Flag(help: "The raw microphone, at the processed one's latency.")
  var bypass = false
  @Flag(inversion: .prefixedNo, help: "Voice processing; without it the microphone passes as it is.")
  var voiceProcessing = true
  @Option(help: "How --plot - draws: unicode, compat or ascii; by default what the locale allows.")
  var glyphs: GlyphChoice?
  @Option(
    help: ArgumentHelp("Changed constants of the canceller; nearend tuning prints all.", valueName: "file", visibility: .hidden),
    completion: .file(extensions: ["json"]))
  var tuning: String?
  /// The parent's parser runs first, and accepts `--mic`, `--aec`, `--mic-mode`, `--glyphs` and `--no-voice-processing` anywhere.
  @ParentCommand var nearend: NearendCommand

  func run() throws {
    try refuseForeignOptions()
    if let micChannels, MicrophoneChannels(micChannels) == nil {
      throw ValidationError("--mic-channels \(micChannels): give \(MicrophoneChannels.possible).")
    }
    if let channels, !(1...2).contains(channels) { throw ValidationError("--channels \(channels): give 1 or 2.") }
    if leavesEcho, let chosen = aec ?? nearend.devices.aec, chosen != .off {
      throw ValidationError("--no-aec and --aec \(chosen.rawValue): give only one of them.")
    }
    if tuning != nil, (aec ?? nearend.devices.aec) == .webrtc {
      throw ValidationError("--tuning and --aec webrtc: the constants are those of nearend's own canceller; give only one of them.")
    }
    if let batch { return try process(batch) }
    if jobs != nil || !only.isEmpty { throw ValidationError("--jobs and --only need --batch <file>.") }
    guard let microphone = mic ?? nearend.devices.mic else { throw ValidationError("Give the microphone's file with --mic <file>.") }
    if metrics != nil, plot == "-" { throw ValidationError("--metrics and --plot - both print: give only one of them, or --plot <file>.") }
    if let plot, plot != "-", !plot.lowercased().hasSuffix(".png") {
      throw ValidationError("--plot \(plot): give a name that ends in .png, or - for the terminal.")
    }
    var options = OfflineOptions(microphone: microphone, farEnd: far, output: out)
    options.plot = plot == "-" ? nil : plot
    options.drawsSpectrograms = plot == "-"
    apply(&options)
    let stop = StopRequest.onSignals()
    do throws(OfflineError) {
      let meter = ProgressMeter()
      let processor = try OfflineProcessor(options)
      let result: OfflineProcessor.Result
      do throws(OfflineError) {
        result = try processor.run { share in
          meter.show("processing", share)
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

  private func process(_ batch: String) throws {
    guard out != "-" else { throw ValidationError("--out -: the voices are written into a folder; give its name.") }
    guard mic == nil, nearend.devices.mic == nil, far == nil, plot == nil, metrics == nil else {
      throw ValidationError("--batch cannot be combined with --mic, --far, --plot or --metrics.")
    }
    if let jobs, !Batch.jobs.contains(jobs) { throw ValidationError("--jobs \(jobs): give 1 to 256.") }
    if let quantum, !ManualRenderer.quanta.contains(quantum) { throw ValidationError("\(ManualRenderingError.quantum(quantum)).") }
    var prototype = OfflineOptions(microphone: "", output: "")
    apply(&prototype)
    prototype.settings[.micVolume] = .number(1)
    try BatchRun(manifest: batch, folder: out, jobs: jobs, only: only, prototype: prototype).run()
  }

  /// Applies the options that a single file and a batch have in common.
  private func apply(_ options: inout OfflineOptions) {
    options.quantum = quantum
    options.sampleType = sampleType
    options.keepsDelay = keepDelay
    options.channelCount = channels
    options.settings = settings
    guard let tuning else { return }
    do throws(OfflineError) { options.tuning = try TuningFile.read(tuning) } catch { fail(error, ExitStatus(error)) }
  }

  private var settings: [Setting: EventValue] {
    [
      .echoCanceller: .string((leavesEcho ? .off : aec ?? nearend.devices.aec ?? EchoCanceller.nearend).rawValue),
      .noiseSuppression: .bool(ns), .beamforming: .bool(beam), .voiceProcessingEnableAGC: .bool(agc), .highPassFilter: .bool(hpf),
      .micMode: .string((micMode ?? nearend.devices.micMode ?? .standard).rawValue), .bypassVoiceProcessing: .bool(bypass),
      .microphoneChannels: .string((micChannels.flatMap(MicrophoneChannels.init) ?? .auto).text),
      .useVoiceProcessingIO: .bool(voiceProcessing && nearend.devices.voiceProcessing ?? true),
    ]
  }

  private func refuseForeignOptions() throws {
    try nearend.refuseOptions(
      of: "process works on files, and options of the live nearend mean nothing to it",
      except: ["--mic", "--aec", "--mic-mode", "--glyphs", "--voice-processing", "--no-voice-processing"])
  }

  private func show(_ result: OfflineProcessor.Result) {
    let metrics = result.metrics
    for note in result.notes { remark(note) }
    let seconds = metrics.description.microphone.seconds
    let speed =
      "\(fixed(seconds, 1)) s of audio in \(fixed(result.elapsed, 2)) s, \(fixed(seconds / max(result.elapsed, 1e-6), 0)) × real time"
    let delay = metrics.totals.echoDelay.map { ", echo delay \(fixed($0, 0)) ms" } ?? ""
    remark("\(out): \(speed)\(metrics.echoWords)\(delay)")
    if self.metrics == .json {
      if let text = try? jsonDocument(metrics) { print(text) }
    }
    if plot == "-" {
      TerminalChart(glyphs ?? nearend.display.glyphs).print(Chart(metrics, spectrograms: result.spectrograms))
    }
  }
}

extension ProcessingMetrics {
  /// ", echo 57.6 dB lower in 4.2 s of the far end alone, ERLE 23.1 dB".
  var echoWords: String {
    let alone = totals.echoReduction.map { ", echo \(fixed($0, 1)) dB lower in \(fixed(totals.echoSeconds, 1)) s of the far end alone" }
    let whole = isOfWebRTC ? totals.erle.map { ", echo \(fixed($0, 1)) dB lower" } : nil
    let erle = isOfWebRTC ? nil : totals.erle
    return (alone ?? whole ?? "") + (erle.map { ", ERLE \(fixed($0, 1)) dB" } ?? "")
  }
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
