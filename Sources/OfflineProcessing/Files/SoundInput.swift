import Foundation
import Platform
import SessionModel
internal import SoundFileLibrary

/// Reads a sound file from beginning to end, and checks it on the way. One thread.
final class SoundInput {
  let path: String
  /// Frames per second.
  let rate: Int
  let channelCount: Int
  /// Frames in the file, counted if the header is unknown or not credible; the largest number if it need not be known and is not.
  let length: Int
  let sampleType: SampleType

  /// Frames read so far.
  private(set) var position = 0
  private var mix: ChannelMix
  private let bytes: FileBytes
  private let parts: SoundParts
  /// The frames of each part; the largest number if unknown.
  private let lengths: [Int]
  private var part = 0
  private var partPosition = 0
  private var file: SoundFile
  private var interleaved: [Float]
  /// The frame from which on the decoder found damage; nil if it found none.
  private var damage: Int?

  static let rates = 4_000...768_000
  static let channelCounts = 1...MicrophoneChannels.most
  /// Full scale is ±1. The capture path treats samples more than 18 dB above as errors, and so does this.
  static let largest: Float = 8
  /// The most hours of sound that can be processed: the metrics are kept until the end.
  static let mostHours = 24
  private static let block = 8_192

  /// - Parameters:
  ///   - needsLength: whether `length` must be known before reading.
  /// - Throws: `OfflineError.input` if the file is missing, not a sound file, truncated, empty or too long, or has an impossible rate or
  ///   channel count.
  init(path: String, needsLength: Bool = true) throws(OfflineError) {
    func refused(_ reason: String) -> OfflineError { .input(file: path, reason: reason) }
    var status = stat()
    // Before opening: opening a pipe waits for its other end.
    guard stat(path, &status) == 0 else {
      let reason = systemReason()
      throw refused(path == "-" ? "standard input is not read here; give a file" : reason)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw refused("it is not a regular file") }
    // libsndfile takes "-" for standard input, and reports only "System error" if a file cannot be opened.
    bytes = try FileBytes(path: path)
    guard bytes.count > 0 else { throw refused("it is empty") }
    parts = SoundParts(bytes)
    for part in parts.all { try Self.check(part, path, isAlone: parts.all.count == 1) }
    let first = try Self.open(0, of: parts, bytes, path)
    (rate, channelCount) = (Int(first.info.samplerate), Int(first.info.channels))
    try Self.check(rate: rate, path)
    try Self.check(channels: channelCount, path)
    var lengths: [Int] = []
    for index in parts.all.indices {
      let file = index == 0 ? first : try Self.open(index, of: parts, bytes, path)
      guard Int(file.info.samplerate) == rate, Int(file.info.channels) == channelCount else {
        throw refused(
          "several files were joined to it, and that at byte \(parts.all[index].bytes.lowerBound) has \(file.info.samplerate) Hz and "
            + "\(file.info.channels) channels, the first one \(rate) Hz and \(channelCount); separate or convert them first")
      }
      guard file.info.frames > 0 else {
        // libsndfile takes a length of 0 by its word.
        let isUnknown = parts.all[index].evidence == .untold
        throw refused(
          isUnknown
            ? "its header declares no samples, as if it was written into a pipe; convert it with a program that reads it to its end"
            : "it holds no samples")
      }
      lengths.append(try Self.length(index, of: parts, file.info, bytes, path, isNeeded: needsLength))
    }
    self.lengths = lengths
    length = lengths.contains(.max) ? .max : lengths.reduce(0, +)
    guard !needsLength || length <= Self.mostHours * 3_600 * rate else { throw refused("it is longer than \(Self.mostHours) hours") }
    self.path = path
    file = first
    sampleType = SampleType(format: Int(first.info.format))
    interleaved = [Float](repeating: 0, count: Self.block * channelCount)
    mix = ChannelMix(channels: channelCount)
  }

  private static let remedy = "to use what is there, convert it to WAV with another program first"

  private static func check(_ part: SoundParts.Part, _ path: String, isAlone: Bool) throws(OfflineError) {
    if let rate = part.rate { try check(rate: rate, path) }
    if let channels = part.channels { try check(channels: channels, path) }
    let words: String
    switch part.evidence {
    case .truncated(let reason): words = "truncated: \(reason)"
    case .damaged(let reason): words = "damaged: \(reason)"
    case .whole, .untold, .counted, .held: return
    }
    let place = isAlone ? "it" : "of the files that it joins, that at byte \(part.bytes.lowerBound)"
    throw .input(file: path, reason: "\(place) is \(words); \(remedy)")
  }

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

  private static func open(_ index: Int, of parts: SoundParts, _ bytes: FileBytes, _ path: String) throws(OfflineError) -> SoundFile {
    let part = parts.all[index]
    func window(isGuessed: Bool) -> ByteWindow { ByteWindow(bytes, part.pieces, isGuessed: isGuessed) }
    switch part.evidence {
    case .counted, .held: return try SoundFile(path: path, window: window(isGuessed: true))
    case .whole, .truncated, .damaged, .untold: break
    }
    // Of some containers libsndfile also reads what stands behind the end that they declare.
    guard parts.all.count == 1, part.isPlain, parts.unused == 0 else { return try SoundFile(path: path, window: window(isGuessed: false)) }
    let file = try SoundFile(path: path, window: nil)
    guard file.isMPEG, part.evidence == .untold else { return file }
    return try SoundFile(path: path, window: window(isGuessed: true))
  }

  private static func ends(after frames: Int, of declared: Int) -> String {
    guard frames > 0 else { return "it is damaged or truncated: none of its \(declared) frames can be decoded; use another copy of it" }
    return "it is damaged or truncated: it ends after \(frames) of \(declared) frames; \(remedy)"
  }

  /// The number of frames of a part. A header may not contain it, or lie: a length for which the part is too small uncompressed is verified
  /// by counting.
  private static func length(
    _ index: Int, of parts: SoundParts, _ info: SF_INFO, _ bytes: FileBytes, _ path: String, isNeeded: Bool
  ) throws(OfflineError) -> Int {
    func refused(_ reason: String) -> OfflineError { .input(file: path, reason: reason) }
    let (part, channels) = (parts.all[index], Int(info.channels))
    var (declared, isGuessed) = (Int(info.frames), false)
    switch part.evidence {
    case .counted(let frames): (declared, isGuessed) = (frames ?? .max, true)
    case .held(let frames): (declared, isGuessed) = (frames, true)
    case .whole, .truncated, .damaged, .untold: break
    }
    let longest = mostHours * 3_600 * Int(info.samplerate)
    let isHeld = !isGuessed && declared <= part.bytes.count / (channels * bytesPerSample(Int(info.format)))
    guard !isHeld else { return declared }
    // Opened again: some kinds of files cannot be rewound.
    let file = try open(index, of: parts, bytes, path)
    guard file.info.channels == info.channels else { throw refused("it has just changed") }
    var samples = [Float](repeating: 0, count: block * channels)
    var there = 0
    while isNeeded || there == 0, case let frames = file.read(&samples, frames: block), frames > 0 {
      there += frames
      guard there <= longest else { throw refused("it is longer than \(mostHours) hours") }
    }
    // libsndfile's value for an unknown length.
    let isUnknown = declared == .max
    guard there > 0 || !isGuessed && !isUnknown else { throw refused("it holds no samples that can be decoded") }
    guard isNeeded || there == 0 else { return isGuessed ? .max : declared }
    guard isUnknown || there >= declared else { throw refused(ends(after: there, of: declared)) }
    return isGuessed ? there : min(there, declared)
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

  /// What people are told about the file, beside errors, once it is read: about its length, and about its channels.
  func notes() -> [String] {
    var notes: [String] = []
    if parts.all.count > 1 {
      notes.append("\(path) consists of \(parts.all.count) files that were joined: they are used one after another")
    }
    if parts.all.contains(where: \.isUntold) {
      notes.append("\(path) does not tell its length: all that is there is used, and whether that is the whole of it cannot be seen")
    }
    let gaps = parts.all.flatMap(\.gaps)
    for gap in gaps.prefix(Self.mostGaps) { notes.append("\(path): \(gap.words) are no MPEG audio; sound may be missing there") }
    if gaps.count > Self.mostGaps { notes.append("\(path) has \(gaps.count - Self.mostGaps) more such places") }
    if let damage {
      notes.append("\(path) is damaged from \(fixed(Double(damage) / Double(rate), 2)) s on: not all of its sound can be decoded")
    }
    if parts.unused >= Self.notable {
      notes.append("\(path) goes on for \(parts.unused) bytes behind the end that it declares; they are not used")
    }
    if let loss = mix.loss { notes.append("\(path): \(loss)") }
    return notes
  }

  /// More bytes than a tag at the end of a file usually has.
  private static let notable = 1_024
  private static let mostGaps = 3

  /// Returns the next frames, at most 8192: each channel, if the file has `sides`, otherwise their mean; empty at the end.
  /// - Throws: `OfflineError.input` if a sample is NaN or far beyond full scale, or the file ends too soon.
  func read(sides: Int) throws(OfflineError) -> [[Float]] {
    while part < lengths.count {
      let wanted = min(Self.block, lengths[part] - partPosition)
      let frames = wanted > 0 ? file.read(&interleaved, frames: wanted) : 0
      if damage == nil, file.isDamaged { damage = position }
      if frames > 0 {
        try check(frames: frames)
        position += frames
        partPosition += frames
        return mix.mixed(interleaved, frames: frames, sides: sides)
      }
      guard wanted <= 0 || lengths[part] == .max else {
        throw .input(file: path, reason: Self.ends(after: position, of: length == .max ? position + wanted : length))
      }
      part += 1
      partPosition = 0
      if part < lengths.count { file = try Self.open(part, of: parts, bytes, path) }
    }
    return []
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
