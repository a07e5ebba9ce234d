/// Sun's and NeXT's AU.
enum AUExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    let order: FileBytes.Order = file.has("dns.", at: start) ? .little : .big
    guard order == .little || file.has(".snd", at: start) else { return nil }
    guard let offset = file.number(start + 4, 4, order), let size = file.number(start + 8, 4, order) else { return nil }
    if size == 0xFFFF_FFFF || size == 0 && file.count > start + offset { return .untold(file, from: start) }
    return .ofSamples(file, from: start + offset, declared: size)
  }
}

/// NIST's SPHERE: lines of text in the first 1024 bytes.
enum NISTExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("NIST_1A", at: start) else { return nil }
    let text = String(decoding: file.bytes(start, 1_024), as: UTF8.self)
    var numbers: [String: Int] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split(separator: " ")
      if words.count == 3, words[1] == "-i", let number = Int(words[2]), 0...1 << 40 ~= number { numbers[String(words[0])] = number }
    }
    guard let count = numbers["sample_count"], let width = numbers["sample_n_bytes"], width <= 8 else { return .untold(file, from: start) }
    let channels = min(numbers["channel_count"] ?? 1, 1_024)
    return .ofSamples(file, from: start + 1_024, declared: count * width * channels)
  }
}

/// Creative's VOC: blocks of a kind and a size.
enum VOCExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("Creative Voice File\u{1A}", at: start), let offset = file.number(start + 20, 2, .little) else { return nil }
    var place = start + offset
    while let kind = file.byte(place), kind != 0 {
      guard let size = file.number(place + 1, 3, .little) else {
        return SoundExtent(end: file.count, evidence: .truncated("it ends within the head of a block"))
      }
      if size > file.count - place - 4 {
        return SoundExtent(end: file.count, evidence: .truncated(SoundExtent.shortage(size, file.count - place - 4)))
      }
      place += 4 + size
    }
    // A block of kind 0 ends it.
    return SoundExtent(end: min(place + 1, file.count), evidence: .whole)
  }
}

/// Audio Visual Research.
enum AVRExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("2BIT", at: start), let stereo = file.number(start + 12, 2, .big), let bits = file.number(start + 14, 2, .big),
      let frames = file.number(start + 26, 4, .big)
    else { return nil }
    return .ofSamples(file, from: start + 128, declared: frames * (stereo == 0 ? 1 : 2) * ((bits + 7) / 8))
  }
}

/// Psion's WVE.
enum PsionExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("ALawSoundFile**\0", at: start), let size = file.number(start + 18, 4, .big) else { return nil }
    return .ofSamples(file, from: start + 32, declared: size)
  }
}

/// Akai's MPC 2000.
enum AkaiExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.byte(start) == 1, file.byte(start + 1) == 4, let isStereo = file.byte(start + 21),
      let frames = file.number(start + 30, 4, .little)
    else { return nil }
    return .ofSamples(file, from: start + 42, declared: frames * (isStereo == 0 ? 1 : 2) * 2)
  }
}

/// MIDI's sample dump: messages of 127 bytes.
enum SampleDumpExtent {
  private static let (head, message, payload) = (21, 127, 120)

  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.byte(start) == 0xF0, file.byte(start + 1) == 0x7E, file.byte(start + 3) == 1, let bits = file.byte(start + 6),
      1...28 ~= bits
    else { return nil }
    // Seven bits a byte.
    let frames = (0..<3).reduce(0) { $0 | Int((file.byte(start + 10 + $1) ?? 0) & 0x7F) << (7 * $1) }
    let perMessage = payload / ((Int(bits) + 6) / 7)
    let messages = (frames + perMessage - 1) / perMessage
    return .ofSamples(file, from: start + head, declared: messages * message)
  }
}

/// MATLAB 4: matrices one after another, of which libsndfile reads a rate and the samples.
enum Matlab4Extent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    let order: FileBytes.Order
    switch file.bytes(start, 4) {
    case [0, 0, 0, 0]: order = .little
    case [0, 0, 0x03, 0xE8]: order = .big
    default: return nil
    }
    guard file.has("samplerate\0", at: start + 20) else { return nil }
    var place = start
    for _ in 0..<2 {
      guard let kind = file.number(place, 4, order), let rows = file.number(place + 4, 4, order),
        let columns = file.number(place + 8, 4, order), let name = file.number(place + 16, 4, order)
      else { break }
      let widths = [8, 4, 4, 2, 2, 1]
      let width = widths[min(kind % 100 / 10, widths.count - 1)]
      let size = min(rows, 1 << 24) * columns * width
      let body = place + 20 + name
      if body + size > file.count {
        return SoundExtent(end: file.count, evidence: .truncated(SoundExtent.shortage(size, max(0, file.count - body))))
      }
      place = body + size
    }
    return SoundExtent(end: place, evidence: .whole)
  }
}

/// MATLAB 5: the same behind 128 bytes, as elements of a kind and a size, of which each matrix has four.
enum Matlab5Extent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("MATLAB 5", at: start) else { return nil }
    let order: FileBytes.Order = file.has("IM", at: start + 126) ? .little : .big
    var place = start + 128
    for _ in 0..<2 {
      guard file.number(place, 4, order) == 14 else { break }
      // The matrix's own size is not asked: libsndfile writes a wrong one.
      place += 8
      for _ in 0..<4 {
        guard let kind = file.number(place, 4, order), let size = file.number(place + 4, 4, order) else {
          return SoundExtent(end: file.count, evidence: .truncated("it ends within a matrix"))
        }
        // A small element has kind, size and value in 8 bytes.
        let isSmall = kind >> 16 != 0
        guard isSmall || size <= file.count - place - 8 else {
          return SoundExtent(end: file.count, evidence: .truncated(SoundExtent.shortage(size, file.count - place - 8)))
        }
        let end = place + 8 + (isSmall ? 0 : size)
        place = file.has("MATLAB 5", at: end) ? end : start + (end - start + 7) / 8 * 8
      }
    }
    return SoundExtent(end: min(place, file.count), evidence: .whole)
  }
}

/// FastTracker 2's instruments.
enum InstrumentExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("Extended Instrument: ", at: start), let size = file.number(start + 298, 4, .little) else { return nil }
    // libsndfile writes no size.
    return size == 0 ? .untold(file, from: start, header: 21) : .ofSamples(file, from: start + 338, declared: size)
  }
}

/// HTK, of which libsndfile itself compares the size with the file's.
enum HTKExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard start == 0, let count = file.number(0, 4, .big), count > 0, 2 * count + 12 == file.count, file.number(8, 2, .big) == 2
    else { return nil }
    return SoundExtent(end: file.count, evidence: .whole)
  }
}

/// What declares no length: PARIS, Portable Voice Format, IRCAM.
enum UntoldExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("PVF1\n", at: start) || file.has(" paf", at: start) || file.has("fap ", at: start) || isIRCAM(file, start)
    else { return nil }
    // Up to the sample type, which may be another.
    return .untold(file, from: start, header: 12)
  }

  /// 0x0001A364 to 0x0004A364, in either order.
  private static func isIRCAM(_ file: FileBytes, _ start: Int) -> Bool {
    [FileBytes.Order.little, .big].contains { order in
      file.number(start, 4, order).map { $0 & 0xFFFF == 0xA364 && 1...4 ~= $0 >> 16 } == true
    }
  }
}
