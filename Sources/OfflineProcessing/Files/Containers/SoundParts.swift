/// The sound files that a file consists of: one, or several that were appended to each other, of which libsndfile reads the first.
struct SoundParts: Equatable {
  struct Part: Equatable {
    var bytes: Range<Int>
    /// Of these, in their order, what libsndfile is to read.
    var pieces: [Range<Int>]
    var gaps: [SoundExtent.Gap] = []
    var evidence: SoundExtent.Evidence
    var rate: Int?
    var channels: Int?

    /// Whether its end cannot be seen.
    var isUntold: Bool {
      switch evidence {
      case .untold, .counted: true
      case .whole, .truncated, .damaged, .held: false
      }
    }

    /// Whether libsndfile may read the file itself.
    let isPlain: Bool

    fileprivate init(_ extent: SoundExtent, from start: Int) {
      let begin = min(start + extent.lead, extent.end)
      bytes = begin..<max(begin, extent.end - extent.tail)
      (gaps, evidence, rate, channels) = (extent.gaps, extent.evidence, extent.rate, extent.channels)
      var place = begin
      pieces = []
      for gap in gaps where gap.bytes.lowerBound >= place {
        pieces.append(place..<gap.bytes.lowerBound)
        place = gap.bytes.upperBound
      }
      pieces.append(place..<max(place, bytes.upperBound))
      isPlain = gaps.isEmpty && extent.lead == 0 && extent.tail == 0
    }
  }

  /// At least one.
  let all: [Part]
  /// Bytes behind the last one that are part of none.
  let unused: Int
  /// Files of which nobody would have joined so many are made to cost time.
  private static let most = 10_000

  init(_ file: FileBytes) {
    var parts: [Part] = []
    var place = 0
    var isMPEG = true
    while place < file.count, parts.count < Self.most {
      // Tags may stand before any kind.
      let start = place + (file.has("ID3", at: place) ? MPEGExtent.tag(file, place) ?? 0 : 0)
      let known = SoundExtent.find(in: file, at: start)
      guard let extent = known ?? (isMPEG ? MPEGExtent.find(in: file, at: start) : nil), extent.end > place else { break }
      isMPEG = known == nil
      parts.append(Part(extent, from: start))
      place = extent.end
    }
    if parts.isEmpty {
      let evidence = MPEGExtent.cut(file).map(SoundExtent.Evidence.truncated) ?? .untold
      parts = [Part(SoundExtent(end: file.count, evidence: evidence), from: 0)]
      place = file.count
    }
    all = parts
    unused = file.count - place
  }
}
