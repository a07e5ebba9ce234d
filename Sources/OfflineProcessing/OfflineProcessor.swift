import Foundation
import Nearend
import Platform
import RealtimeCore
import SessionModel

/// Processes files to a file, as fast as possible (`nearend process`).
///
///     far.wav ─▶ microphone's rate ─▶ call ─▶ mix ─┐ reference
///     mic.wav ────────────────────────────▶ capture path ─▶ out.wav
///
/// It drives a `ManualRenderer` and adds nothing to the sound: the output is what *Nearend Microphone* would have given for the same
/// blocks, with the mix as the reference. It reads no clock, so the same input gives the same output, bit by bit. One thread.
package final class OfflineProcessor {
  /// The result of a run.
  package struct Result: Sendable {
    package var metrics: ProcessingMetrics
    /// Spectrograms of microphone and voice; empty unless requested.
    package var spectrograms: [Chart.Spectrogram]
    /// Remarks on the files, for people.
    package var notes: [String]
    /// Duration of the run in seconds.
    package var elapsed: Double
  }

  private let options: OfflineOptions
  private let microphone: SoundStream
  private let farEnd: SoundStream?
  private let renderer: ManualRenderer
  private let rate: Int
  private let quantum: Int
  private let latency: Int
  private var notes: [String] = []
  private let buffers: Samples
  /// The microphone's channels, one after another.
  private let channels: Samples
  private let channelTable: Buffer<UnsafePointer<Float>?>
  /// Microphone, far end left and right, voice, speaker left and right, the voice's right side.
  private static let bufferCount = 7
  /// Whether the voice has two channels.
  private let isStereo: Bool

  /// Opens the inputs and sets everything up, without writing anything. Throws `OfflineError`.
  package init(_ options: OfflineOptions) throws(OfflineError) {
    try options.check()
    self.options = options
    let input = try SoundInput(path: options.microphone)
    rate = min(max(input.rate, ManualRenderer.rates.lowerBound), ManualRenderer.rates.upperBound)
    quantum = options.quantum ?? min(max(rate / 100, ManualRenderer.quanta.lowerBound), ManualRenderer.quanta.upperBound)
    microphone = try SoundStream(input, rate: rate, sides: input.channelCount)
    try Self.check(options.settings[.microphoneChannels], input)
    if let path = options.farEnd {
      farEnd = try SoundStream(SoundInput(path: path), rate: rate, sides: 2)
    } else {
      farEnd = nil
    }
    do throws(ManualRenderingError) {
      renderer = try ManualRenderer(rate: rate, tuning: options.tuning)
    } catch {
      throw .input(file: options.microphone, reason: "\(error)")
    }
    do throws(SettingError) {
      for (setting, value) in options.settings { try renderer.set(setting, to: value) }
    } catch {
      throw .options(reason: "\(error)")
    }
    renderer.voiceChannelCount = options.channelCount ?? 1
    do throws(ManualRenderingError) {
      try renderer.prepare(microphoneChannels: input.channelCount)
    } catch {
      throw .input(file: options.microphone, reason: "\(error)")
    }
    latency = renderer.latency(quantum: quantum)
    isStereo = microphone.sides > 1 && renderer.givesStereo
    if options.channelCount == 1, isStereo {
      throw .options(reason: "the voice has two channels where each of the microphone's is wanted apart: ask for no number, or for 2")
    }
    if options.channelCount == 2, microphone.sides > 1, !Self.choosesTwo(options.settings[.microphoneChannels]) {
      throw .options(reason: "of one of the microphone's channels, or of the mean of all, no voice of two channels is made")
    }
    if options.channelCount == 2, !isStereo {
      if microphone.sides == 1 { throw .input(file: options.microphone, reason: "it has one channel, of which no voice of two is made") }
      throw .options(reason: "the voice has two channels only without voice processing or in the mode wideSpectrum")
    }
    buffers = Samples(Self.bufferCount * quantum)
    channels = Samples(microphone.sides * quantum)
    let (first, step) = (channels.start, quantum)
    channelTable = Buffer((0..<microphone.sides).map { UnsafePointer(first + $0 * step) })
    noteLengths()
  }

  /// Processes everything, once. `progress` is called periodically with the share that is done, 0–1, and returns whether to continue.
  /// - Throws: `OfflineError`; no output is left then, and an existing file is unchanged.
  package func run(progress: (Double) -> Bool = { _ in true }) throws(OfflineError) -> Result {
    let begin = ContinuousClock.now
    let plot = try options.plot.map { path throws(OfflineError) in try PendingFile(path: path) }
    let wanted = outputLength
    let output = try WaveOutput(
      path: options.output, rate: microphone.input.rate, channels: isStereo ? 2 : 1,
      type: options.sampleType ?? microphone.input.sampleType, frames: wanted)
    let voice = try VoiceSink(
      output, channels: isStereo ? 2 : 1, rate: rate, fileRate: microphone.input.rate, skip: options.keepsDelay ? 0 : latency,
      length: wanted)
    var recorder = MetricsRecorder(rate: rate, latency: latency, length: microphone.length)
    var spectra: (microphone: SpectrogramRecorder, voice: SpectrogramRecorder)?
    if options.drawsSpectrograms || plot != nil {
      spectra = (
        SpectrogramRecorder(rate: rate, length: microphone.length),
        SpectrogramRecorder(rate: rate, skip: latency, length: microphone.length)
      )
    }
    var position = 0
    while !voice.isFull {
      if position % (50 * quantum) == 0, !progress(min(1, Double(position) / Double(microphone.length + latency))) { throw .interrupted }
      try cycle()
      try voice.write(isStereo ? [block(3), block(6)] : [block(3)])
      if isStereo { meanVoice() }
      recorder.add(microphone: block(0), farEnd: block(4), voice: block(3), meters: renderer.meters)
      spectra?.microphone.add(block(0))
      spectra?.voice.add(block(3))
      position += quantum
    }
    let metrics = recorder.finish(describing: summary)
    let pictures = spectra.map { Chart.Spectrogram.pair(microphone: $0.microphone.columns, voice: $0.voice.columns) } ?? []
    if let plot { try ChartImage.draw(Chart(metrics, spectrograms: pictures), to: plot) }
    try output.finish()
    try plot?.finish()
    _ = progress(1)
    let spent = ContinuousClock.now - begin
    return Result(
      metrics: metrics, spectrograms: pictures,
      notes: notes + channelNotes + microphone.input.notes() + (farEnd?.input.notes() ?? []),
      elapsed: Double(spent.components.seconds) + Double(spent.components.attoseconds) * 1e-18)
  }

  /// At the microphone's rate.
  private var outputLength: Int {
    guard options.keepsDelay else { return microphone.input.length }
    return microphone.input.length + Int((Double(latency) * Double(microphone.input.rate) / Double(rate)).rounded(.up))
  }

  private func cycle() throws(OfflineError) {
    try microphone.read(into: (0..<microphone.sides).map { channels + $0 * quantum }, frames: quantum)
    try farEnd?.read(into: [buffers + quantum, buffers + 2 * quantum], frames: quantum)
    var cycle = CycleBuffers(frames: quantum, rate: rate, position: 0, driver: 0)
    if microphone.sides == 1 {
      cycle.microphone = UnsafePointer(channels.start)
    } else {
      (cycle.microphones, cycle.microphoneCount) = (UnsafePointer(channelTable.start), microphone.sides)
    }
    if farEnd != nil { cycle.call = StereoInput(left: buffers + quantum, right: buffers + 2 * quantum) }
    cycle.voice = buffers + 3 * quantum
    if isStereo { cycle.voiceRight = buffers + 6 * quantum }
    let (left, right) = (buffers + 4 * quantum, buffers + 5 * quantum)
    cycle.speaker = (left, right)
    do throws(ManualRenderingError) {
      try renderer.cycle(&cycle)
    } catch {
      throw .options(reason: "\(error)")
    }
    // What was processed, and the canceller's reference, for the meters.
    mixHeard()
    for i in 0..<quantum { left[i] = 0.5 * (left[i] + right[i]) }
  }

  /// Makes the mean of the channels that are heard.
  private func mixHeard() {
    let heard = microphone.sides == 1 ? [0] : renderer.microphoneInputs.filter { $0.use == .heard }.map { $0.channel - 1 }
    let scale = 1 / Float(max(1, heard.count))
    for i in 0..<quantum { buffers[i] = scale * heard.reduce(0) { $0 + channels[$1 * quantum + i] } }
  }

  /// Makes the mean of both sides of the voice, for the meters.
  private func meanVoice() {
    let (left, right) = (buffers + 3 * quantum, buffers + 6 * quantum)
    for i in 0..<quantum { left[i] = 0.5 * (left[i] + right[i]) }
  }

  /// - Throws: `OfflineError.input` where none of the channels that are to be heard is in the file.
  private static func check(_ setting: EventValue?, _ input: SoundInput) throws(OfflineError) {
    guard case .string(let text)? = setting, case .only(let numbers)? = MicrophoneChannels(text) else { return }
    guard let missing = numbers.first(where: { $0 > input.channelCount }) else { return }
    let there = input.channelCount == 1 ? "one" : "\(input.channelCount)"
    throw .input(file: input.path, reason: "there is no channel \(missing) in it: it has \(there)")
  }

  /// Whether a choice of channels leaves two to hear apart.
  private static func choosesTwo(_ setting: EventValue?) -> Bool {
    guard case .string(let text)? = setting else { return true }
    switch MicrophoneChannels(text) {
    case .mean?: return false
    case .only(let numbers)?: return numbers.count > 1
    default: return true
    }
  }

  /// Which channels are not heard, and why, at the end.
  private var channelNotes: [String] {
    let uses = MicrophoneInput.Use.allCases.filter { $0 != .heard && $0 != .unchosen }
    let out = uses.compactMap { use in
      let numbers = renderer.microphoneInputs.filter { $0.use == use }.map { "\($0.channel)" }
      return numbers.isEmpty ? nil : "\(numbers.joined(separator: ", ")) (\(use.words))"
    }
    return out.isEmpty ? [] : ["\(options.microphone): channels left out at its end: \(out.joined(separator: ", "))"]
  }

  private func block(_ index: Int) -> UnsafeBufferPointer<Float> { UnsafeBufferPointer(start: buffers + index * quantum, count: quantum) }

  private func noteLengths() {
    guard let farEnd, let path = options.farEnd else { return }
    let difference = Double(microphone.length - farEnd.length) / Double(rate)
    let seconds = "\(fixed(abs(difference), 2)) s"
    if difference > 0.001 {
      notes.append("\(path) is \(seconds) shorter than \(options.microphone): the far end is silent after its end")
    } else if difference < -0.001 {
      notes.append("\(path) is \(seconds) longer than \(options.microphone): its end is not used")
    }
  }

  private var summary: ProcessingMetrics.Description {
    func describe(_ input: SoundInput) -> ProcessingMetrics.Input {
      .init(
        file: input.path, rate: input.rate, channels: input.channelCount, frames: input.length,
        seconds: Double(input.length) / Double(input.rate))
    }
    var settings: [String: EventValue] = [:]
    for setting in ManualRenderer.settings { settings[setting.rawValue] = renderer.value(of: setting) }
    let library = settings[Setting.echoCanceller.rawValue]?.word() == EchoCanceller.webrtc ? CapturePath.library : ""
    return ProcessingMetrics.Description(
      version: nearendVersion, library: library, microphone: describe(microphone.input),
      farEnd: farEnd.map { describe($0.input) },
      rate: rate, quantum: quantum, latency: latency, isDelayCompensated: !options.keepsDelay, settings: settings)
  }
}

/// Writes the voice without its delay, at the microphone's rate, at the wanted length.
private final class VoiceSink {
  private let output: WaveOutput
  private let channels: Int
  /// One per channel; none if the rates agree.
  private let resamplers: [VoiceResampler]
  private let ratio: Double
  private var skip: Int
  private var remaining: Int

  /// - Throws: `OfflineError.options` if memory is short.
  init(_ output: WaveOutput, channels: Int, rate: Int, fileRate: Int, skip: Int, length: Int) throws(OfflineError) {
    self.output = output
    self.channels = channels
    self.skip = skip
    remaining = length
    ratio = Double(fileRate) / Double(rate)
    resamplers = rate == fileRate ? [] : (0..<channels).compactMap { _ in VoiceResampler() }
    if rate != fileRate, resamplers.count < channels { throw .options(reason: "there is not enough memory to resample the output") }
  }

  var isFull: Bool { remaining == 0 }

  /// Writes the next samples of each channel, equally many.
  func write(_ voice: [UnsafeBufferPointer<Float>]) throws(OfflineError) {
    let skipped = min(skip, voice[0].count)
    skip -= skipped
    let rest = voice.map { UnsafeBufferPointer(rebasing: $0[skipped...]) }
    if resamplers.isEmpty, channels == 1 { return try put(rest[0]) }
    let sides = resamplers.isEmpty ? rest.map(Array.init) : zip(resamplers, rest).map { $0.convert(Array($1), ratio: ratio) }
    let converted = channels == 1 ? sides[0] : sides[0].indices.flatMap { frame in sides.map { $0[frame] } }
    let result: Swift.Result<Void, OfflineError> = converted.withUnsafeBufferPointer { samples in
      Swift.Result { () throws(OfflineError) in try put(samples) }
    }
    try result.get()
  }

  private func put(_ samples: UnsafeBufferPointer<Float>) throws(OfflineError) {
    let count = min(remaining, samples.count / channels)
    remaining -= count
    try output.write(UnsafeBufferPointer(rebasing: samples[..<(count * channels)]))
  }
}
