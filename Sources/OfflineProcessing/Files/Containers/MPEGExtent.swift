/// MPEG audio, layers I to III, of which the last is MP3: frames one after another, and perhaps tags. In its first frame an encoder may
/// declare the number of frames and bytes, which is checked here. Without that, libsndfile guesses the length by the first frame's size.
struct MPEGExtent {
  private let file: FileBytes
  private let start: Int
  /// The first byte behind those that may be its.
  private let limit: Int
  /// Whether a container holds it, which tells where it ends.
  private let isHeld: Bool
  /// The first place behind the last frame that is whole.
  private var end = 0
  private var frames = 0
  private var first: Frame?
  private var info: Info?
  private var isCut = false
  /// Bytes between frames that are none.
  private var gaps: [SoundExtent.Gap] = []

  /// The head of a frame, of 32 bits.
  private struct Frame {
    let head: Int
    let size: Int
    /// Per channel.
    let samples: Int
    /// In Hz.
    let rate: Int
    /// Bytes behind the head up to where the encoder's declaration may stand, in layer III.
    let side: Int?

    init?(_ file: FileBytes, _ place: Int) {
      guard file.byte(place) == 0xFF, let head = file.number(place, 4, .big), head >> 21 & 0x7FF == 0x7FF else { return nil }
      let (version, layer, index, rateIndex) = (head >> 19 & 3, 4 - (head >> 17 & 3), head >> 12 & 15, head >> 10 & 3)
      guard version != 1, layer != 4, index != 0, index != 15, rateIndex != 3 else { return nil }
      let isFirstVersion = version == 3
      let kilobits = isFirstVersion ? Self.rates[layer - 1][index - 1] : Self.lowRates[min(layer, 2) - 1][index - 1]
      rate = [44_100, 48_000, 32_000][rateIndex] >> (isFirstVersion ? 0 : version == 2 ? 1 : 2)
      samples = layer == 1 ? 384 : layer == 3 && !isFirstVersion ? 576 : 1_152
      let padding = head >> 9 & 1
      size = layer == 1 ? (12_000 * kilobits / rate + padding) * 4 : samples * 125 * kilobits / rate + padding
      let isMono = head >> 6 & 3 == 3
      side = layer == 3 ? (isFirstVersion ? (isMono ? 17 : 32) : (isMono ? 9 : 17)) : nil
      self.head = head
    }

    /// Whether version, layer and rate agree, as they do within one stream.
    func resembles(_ other: Frame) -> Bool { head & 0xFFFE_0C00 == other.head & 0xFFFE_0C00 }

    private static let rates = [
      [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
      [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
      [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    ]
    private static let lowRates = [
      [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256], [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]
  }

  /// What an encoder declares in a frame without sound (Xing, LAME, VBRI).
  private struct Info {
    var frames: Int?
    var bytes: Int?
    /// The first byte behind its frame.
    var end: Int

    init?(_ file: FileBytes, _ place: Int, _ frame: Frame) {
      guard let side = frame.side else { return nil }
      end = place + frame.size
      let tag = place + 4 + side
      if file.has("Xing", at: tag) || file.has("Info", at: tag), let flags = file.number(tag + 4, 4, .big) {
        var next = tag + 8
        if flags & 1 != 0 {
          frames = file.number(next, 4, .big)
          next += 4
        }
        if flags & 2 != 0 { bytes = file.number(next, 4, .big) }
      } else if file.has("VBRI", at: place + 36) {
        (bytes, frames) = (file.number(place + 46, 4, .big), file.number(place + 50, 4, .big))
      } else {
        return nil
      }
    }
  }

  /// Recognizes a stream that begins at `start`, behind tags; nil if there are not two frames.
  static func find(in file: FileBytes, at start: Int) -> SoundExtent? {
    var walk = MPEGExtent(file: file, start: start, limit: file.count, isHeld: false)
    return walk.extent()
  }

  /// Recognizes a stream that a container holds in all of `range`; nil if there are not two frames. Its length is what decoding gives:
  /// libsndfile guesses it, and other numbers that containers have count an encoder's delay, or do not.
  static func find(in file: FileBytes, held range: Range<Int>) -> SoundExtent? {
    var walk = MPEGExtent(file: file, start: range.lowerBound, limit: range.upperBound, isHeld: true)
    return walk.extent()
  }

  /// In words, why a file that no reader knows is only the beginning of MPEG audio; nil if it is not.
  static func cut(_ file: FileBytes) -> String? {
    let start = file.has("ID3", at: 0) ? tag(file, 0) ?? 0 : 0
    if start > file.count { return "it ends within the tag at its beginning" }
    // Not layer I, whose head a text of UTF-16 may begin with.
    guard let first = Frame(file, start), first.head >> 17 & 3 != 3 else { return nil }
    let next = start + first.size
    if next > file.count { return "it ends within its first frame of MPEG audio" }
    guard let second = Frame(file, next), second.resembles(first), next + second.size > file.count else { return nil }
    return "it ends within its second frame of MPEG audio"
  }

  private init(file: FileBytes, start: Int, limit: Int, isHeld: Bool) {
    (self.file, self.start, self.limit, self.isHeld) = (file, start, limit, isHeld)
  }

  private mutating func extent() -> SoundExtent? {
    let place = walk()
    guard let first, frames > 1 || info != nil else { return nil }
    // A container has its frames as it has them: some end within one.
    if isHeld { isCut = false }
    var result = SoundExtent(end: limit - start < place - start || isCut || isHeld ? limit : place, evidence: .whole)
    result.gaps = gaps
    let cut = SoundExtent.Evidence.truncated("its last frame of MPEG audio is cut off")
    guard let info, let declared = info.frames else {
      // The guess counts a declaration without a number as sound, and so does the decoder.
      let there = (frames + (info == nil ? 0 : 1)) * first.samples
      result.evidence = isCut ? cut : isHeld ? .held(there) : .counted(there)
      return result
    }
    if frames < declared, let gap = gaps.first {
      let missing = "\(declared - frames) of the \(declared) frames that its header declares are missing"
      result.evidence = .damaged("\(gap.words) are no MPEG audio, and \(missing)")
    } else if frames < declared, end - start < info.bytes ?? .max {
      result.evidence = .truncated("its header declares \(declared) frames of MPEG audio, and \(frames) are there")
    } else if frames != declared || isCut {
      // Some encoders count their declaration as a frame, and a stream may be appended: then the bytes are there, and the number is
      // wrong.
      result.evidence = isCut ? cut : isHeld ? .held(frames * first.samples) : .counted(frames * first.samples)
      result.lead = info.end - start
    }
    return result
  }

  /// Goes from frame to frame. Returns the first place that is no longer the stream's.
  private mutating func walk() -> Int {
    var place = start
    while place < limit {
      if let length = Self.tag(file, place) {
        place += length
      } else if let frame = Frame(file, place), first.map(frame.resembles) ?? true {
        let info = Info(file, place, frame)
        // An encoder's declaration within the sound: another file was appended.
        if info != nil, first != nil, !isHeld { break }
        if place + frame.size > limit {
          isCut = true
          break
        }
        if first == nil { self.info = info }
        if info == nil || first != nil { frames += 1 }
        first = first ?? frame
        place += frame.size
        end = place
      } else {
        guard let first, let next = resume(behind: place) else { break }
        let second = Double(frames * first.samples) / Double(first.rate)
        gaps.append(SoundExtent.Gap(bytes: place..<next, second: second))
        place = next
      }
    }
    // Less than a frame's head at the end.
    if end < limit, limit - end < 4, file.byte(end) == 0xFF { isCut = true }
    return place
  }

  /// The next place at which two frames follow one another.
  private func resume(behind place: Int) -> Int? {
    guard let first else { return nil }
    for candidate in (place + 1)..<max(place + 2, min(limit, place + 1 << 20)) {
      if let frame = Frame(file, candidate), frame.resembles(first), let next = Frame(file, candidate + frame.size), next.resembles(first) {
        return candidate
      }
    }
    return nil
  }

  /// The length of a tag that stands at `place`; nil if none does.
  static func tag(_ file: FileBytes, _ place: Int) -> Int? {
    if file.has("ID3", at: place) {
      // Seven bits a byte.
      let size = (0..<4).reduce(0) { $0 << 7 | Int((file.byte(place + 6 + $1) ?? 0) & 0x7F) }
      return 10 + size + ((file.byte(place + 5) ?? 0) & 0x10 != 0 ? 10 : 0)
    }
    if file.has("TAG", at: place) { return 128 }
    if file.has("APETAGEX", at: place), let size = file.number(place + 12, 4, .little), let flags = file.number(place + 20, 4, .little) {
      // The size includes the tag's foot; the head is told by a flag.
      return flags & 0x2000_0000 != 0 ? size + 32 : 32
    }
    return nil
  }
}
