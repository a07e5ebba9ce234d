/// WAV, WAVEX and RF64: chunks of a name and a size.
enum RIFFExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    let is64 = file.has("RF64", at: start) || file.has("BW64", at: start)
    let order: FileBytes.Order = file.has("RIFX", at: start) ? .big : .little
    guard is64 || order == .big || file.has("RIFF", at: start), file.has("WAVE", at: start + 8) else { return nil }
    var (rate, channels, isMPEG): (Int?, Int?, Bool) = (nil, nil, false)
    var (total, samples) = (file.number(start + 4, 4, order) ?? 0, Int?.none)
    var place = start + 12
    var extent: SoundExtent?
    while extent == nil, let size = file.number(place + 4, 4, order) {
      let body = place + 8
      if file.has("ds64", at: place), is64 {
        (total, samples) = (file.number(body, 8, order) ?? 0, file.number(body + 8, 8, order))
      } else if file.has("fmt ", at: place), file.number(body + 12, 4, order) != nil {
        (channels, rate) = (file.number(body + 2, 2, order), file.number(body + 4, 4, order))
        isMPEG = file.number(body, 2, order).map([0x50, 0x55].contains) ?? false
      } else if file.has("data", at: place) {
        let declared = is64 && size == 0xFFFF_FFFF ? samples ?? size : size
        if SoundExtent.isUnknown(declared, there: file.count - body) {
          extent = .untold(file, from: start)
          if isMPEG, var stream = MPEGExtent.find(in: file, at: body) {
            stream.lead += body - start
            extent = stream
          }
        } else {
          // Chunks may follow the samples; some programs count them wrongly, and such a file ends with its samples.
          let end = body + declared + declared % 2
          extent = .ofSamples(file, from: body, declared: declared, until: max(end, start + 8 + total))
          if isMPEG, extent?.evidence == .whole, let stream = MPEGExtent.find(in: file, held: body..<body + declared) {
            extent?.hold(stream, body..<body + declared, from: start)
          }
        }
      }
      place = body + size + size % 2
    }
    // Without samples there is nothing to compare, and libsndfile refuses it.
    var result = extent ?? SoundExtent(end: file.count, evidence: .whole)
    (result.rate, result.channels) = (rate, channels)
    return result
  }
}

/// Sony's Wave64: chunks of a GUID and a size that includes the chunk's head.
enum Wave64Extent {
  private static let riff: [UInt8] = [0x72, 0x69, 0x66, 0x66, 0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0, 0]

  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("riff", at: start), file.bytes(start, 16) == riff else { return nil }
    let total = file.number(start + 16, 8, .little) ?? 0
    var place = start + 40
    while let size = file.number(place + 16, 8, .little) {
      if file.has("data", at: place) {
        let isUnknown = size == 1 << 60 || size <= 24 && file.count > place + 24
        if isUnknown { return .untold(file, from: start) }
        var extent = SoundExtent.ofSamples(file, from: place + 24, declared: size - 24, until: start + total)
        // libsndfile takes all that follows for samples.
        extent.tail = max(0, extent.end - (place + size))
        return extent
      }
      guard size >= 24 else { break }
      place += (size + 7) & ~7
    }
    return SoundExtent(end: file.count, evidence: .whole)
  }
}

/// AIFF, AIFF-C and Amiga's 8SVX and 16SV.
enum IFFExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("FORM", at: start), let total = file.number(start + 4, 4, .big) else { return nil }
    guard let samples = ["AIFF": "SSND", "AIFC": "SSND", "8SVX": "BODY", "16SV": "BODY"].first(where: { file.has($0.key, at: start + 8) })
    else { return nil }
    var place = start + 12
    while let size = file.number(place + 4, 4, .big) {
      let body = place + 8
      if file.has(samples.value, at: place) {
        if SoundExtent.isUnknown(size, there: file.count - body) { return .untold(file, from: start, header: 12) }
        return .ofSamples(file, from: body, declared: size, until: max(body + size + size % 2, start + 8 + total))
      }
      place = body + size + size % 2
    }
    return SoundExtent(end: file.count, evidence: .whole)
  }
}

/// Apple's Core Audio Format, whose packets' sizes may follow the samples.
enum CAFExtent {
  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("caff", at: start) else { return nil }
    var place = start + 8
    var hasSamples = false
    while !file.has("caff", at: place), let size = file.number(place + 4, 8, .big) {
      let body = place + 12
      if file.has("data", at: place) {
        // −1, cut to the largest number here.
        if size == 1 << 60 { return .untold(file, from: start) }
        if size > file.count - body { return .ofSamples(file, from: body, declared: size) }
        hasSamples = true
      } else if size > file.count - body {
        // Behind the samples only the packets' sizes belong to the sound.
        if hasSamples, !file.has("pakt", at: place) { break }
        return SoundExtent(end: file.count, evidence: .truncated("a chunk of its header ends after the file"))
      }
      place = body + size
      // libsndfile fills up to an even size.
      if file.has("caff", at: place + 1) { place += 1 }
    }
    return SoundExtent(end: min(place, file.count), evidence: .whole)
  }
}
