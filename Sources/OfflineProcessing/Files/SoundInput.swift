import Foundation
import Platform
internal import SoundFileLibrary

/// Reads a sound file from beginning to end, and checks it on the way. One thread.
final class SoundInput {
  let path: String
  /// Frames per second.
  let rate: Int
  let channelCount: Int
  /// Frames in the file, counted if the header is unknown or not credible; the header's value if it need not be known.
  let length: Int
  let sampleType: SampleType

  /// Frames read so far.
  private(set) var position = 0
  private let file: OpaquePointer
  private var interleaved: [Float]

  static let rates = 4_000...768_000
  static let channelCounts = 1...8
  /// Full scale is ±1. The capture path treats samples more than 18 dB above as errors, and so does this.
  static let largest: Float = 8
  /// The most hours of sound that can be processed: the metrics are kept until the end.
  static let mostHours = 24
  private static let part = 8_192

  /// - Parameter needsLength: whether `length` must be known before reading.
  /// - Throws: `OfflineError.input` if the file is missing, not a sound file, truncated, empty or too long, or has an impossible rate or
  ///   channel count.
  init(path: String, needsLength: Bool = true) throws(OfflineError) {
    func refused(_ reason: String) -> OfflineError { .input(file: path, reason: reason) }
    var status = stat()
    // Before opening: opening a pipe waits for its other end.
    guard stat(path, &status) == 0 else { throw refused(systemReason()) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw refused("it is not a regular file") }
    // libsndfile takes "-" for standard input, and reports only "System error" if a file cannot be opened.
    guard let handle = fopen(path, "rb") else { throw refused(systemReason()) }
    fclose(handle)
    guard status.st_size > 0 else { throw refused("it is empty") }
    let header = WaveHeader(path: path)
    if let rate = header?.rate { try Self.check(rate: rate, path) }
    if let channels = header?.channels { try Self.check(channels: channels, path) }
    if let data = header?.data, data.there < data.declared {
      throw refused("it is truncated: its header declares \(data.declared) bytes of samples, and \(data.there) are there")
    }
    var info = SF_INFO()
    guard let file = sf_open(path, Int32(SFM_READ), &info) else {
      throw refused("it is not a sound file that libsndfile can read (\(String(cString: sf_strerror(nil))))")
    }
    do throws(OfflineError) {
      try Self.check(rate: Int(info.samplerate), path)
      try Self.check(channels: Int(info.channels), path)
      guard info.frames > 0 else { throw refused("it holds no samples") }
      length = needsLength ? try Self.length(info, bytes: Int(status.st_size), path) : Int(info.frames)
    } catch {
      sf_close(file)
      throw error
    }
    self.file = file
    self.path = path
    rate = Int(info.samplerate)
    channelCount = Int(info.channels)
    sampleType = SampleType(format: Int(info.format))
    interleaved = [Float](repeating: 0, count: Self.part * Int(info.channels))
  }

  deinit { sf_close(file) }

  private static func check(rate: Int, _ path: String) throws(OfflineError) {
    guard rates.contains(rate) else {
      throw .input(file: path, reason: "its rate is \(rate) Hz; rates from \(rates.lowerBound) to \(rates.upperBound) Hz can be processed")
    }
  }

  private static func check(channels: Int, _ path: String) throws(OfflineError) {
    guard channelCounts.contains(channels) else {
      throw .input(file: path, reason: "it has \(channels) channels; 1 to \(channelCounts.upperBound) can be processed")
    }
  }

  /// The number of frames. A header may not contain it, or lie: a length for which the file is too small uncompressed is verified by
  /// counting.
  private static func length(_ info: SF_INFO, bytes: Int, _ path: String) throws(OfflineError) -> Int {
    func refused(_ reason: String) -> OfflineError { .input(file: path, reason: reason) }
    let (declared, channels) = (Int(info.frames), Int(info.channels))
    let longest = mostHours * 3_600 * Int(info.samplerate)
    let isHeld = declared <= bytes / (channels * bytesPerSample(Int(info.format)))
    guard !isHeld else {
      guard declared <= longest else { throw refused("it is longer than \(mostHours) hours") }
      return declared
    }
    // Opened again: some kinds of files cannot be rewound.
    var again = SF_INFO()
    guard let file = sf_open(path, Int32(SFM_READ), &again), again.channels == info.channels else { throw refused("it has just changed") }
    defer { sf_close(file) }
    var samples = [Float](repeating: 0, count: part * channels)
    var there = 0
    while case let frames = Int(sf_readf_float(file, &samples, sf_count_t(part))), frames > 0 {
      there += frames
      guard there <= longest else { throw refused("it is longer than \(mostHours) hours") }
    }
    guard there > 0 else { throw refused("it holds no samples") }
    // libsndfile's value for an unknown length.
    let isUnknown = declared == .max
    guard isUnknown || there >= declared else { throw refused("it ends after \(there) of \(declared) frames") }
    return min(there, declared)
  }

  /// For uncompressed samples their size; otherwise 1.
  private static func bytesPerSample(_ format: Int) -> Int {
    switch format & Int(SF_FORMAT_SUBMASK) {
    case Int(SF_FORMAT_PCM_16): 2
    case Int(SF_FORMAT_PCM_24): 3
    case Int(SF_FORMAT_PCM_32), Int(SF_FORMAT_FLOAT): 4
    case Int(SF_FORMAT_DOUBLE): 8
    default: 1
    }
  }

  /// Returns the next frames, at most 8192, mixed down to one channel, or to two if `sides` is 2 and the file has two; empty at the end.
  /// - Throws: `OfflineError.input` if a sample is NaN or far beyond full scale, or the file ends too soon.
  func read(sides: Int) throws(OfflineError) -> [[Float]] {
    let wanted = min(Self.part, length - position)
    guard wanted > 0 else { return [] }
    let frames = Int(sf_readf_float(file, &interleaved, sf_count_t(wanted)))
    guard frames > 0 else {
      if length == .max { return [] }
      throw .input(file: path, reason: "it ends after \(position) of \(length) frames")
    }
    try check(frames: frames)
    position += frames
    let channels = channelCount
    if sides == 2, channels == 2 {
      return (0..<2).map { side in (0..<frames).map { interleaved[2 * $0 + side] } }
    }
    if channels == 1 { return [Array(interleaved.prefix(frames))] }
    let scale = 1 / Float(channels)
    return [
      (0..<frames).map { frame in
        var sum: Float = 0
        for channel in 0..<channels { sum += interleaved[frame * channels + channel] }
        return sum * scale
      }
    ]
  }

  private func check(frames: Int) throws(OfflineError) {
    // Also false for NaN.
    guard let bad = (0..<frames * channelCount).first(where: { !(abs(interleaved[$0]) <= Self.largest) }) else { return }
    let frame = position + bad / channelCount
    let value = interleaved[bad]
    let what = value.isNaN ? "not a number" : value.isInfinite ? "infinite" : "\(value), and full scale is 1"
    let place = "sample \(frame) (\(fixed(Double(frame) / Double(rate), 3)) s) of channel \(bad % channelCount + 1)"
    throw .input(file: path, reason: "\(place) is \(what)")
  }
}

/// The sample type of a WAV file.
package enum SampleType: String, Sendable, CaseIterable {
  case pcm16, pcm24, pcm32, float

  /// The type of a file that was read, if WAV has it without loss; otherwise 16 bits.
  init(format: Int) {
    switch format & Int(SF_FORMAT_SUBMASK) {
    case Int(SF_FORMAT_PCM_24): self = .pcm24
    case Int(SF_FORMAT_PCM_32): self = .pcm32
    case Int(SF_FORMAT_FLOAT), Int(SF_FORMAT_DOUBLE): self = .float
    default: self = .pcm16
    }
  }

  var format: Int32 {
    switch self {
    case .pcm16: Int32(SF_FORMAT_PCM_16)
    case .pcm24: Int32(SF_FORMAT_PCM_24)
    case .pcm32: Int32(SF_FORMAT_PCM_32)
    case .float: Int32(SF_FORMAT_FLOAT)
    }
  }

  var bytes: Int { self == .pcm16 ? 2 : self == .pcm24 ? 3 : 4 }
}

/// Reads a whole sound file as one channel, with the checks of `nearend process`.
/// - Throws: `OfflineError.input`.
package func readSound(path: String) throws(OfflineError) -> (samples: [Float], rate: Int) {
  let input = try SoundInput(path: path)
  var samples: [Float] = []
  while let part = try input.read(sides: 1).first { samples += part }
  return (samples, input.rate)
}
