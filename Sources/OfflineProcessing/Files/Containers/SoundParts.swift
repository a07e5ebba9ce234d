/// The sound files that a file consists of: one, or several that were appended to each other, of which libsndfile reads the first.
struct SoundParts: Equatable {
  struct Part: Equatable {
    var bytes: Range<Int>
    var evidence: SoundExtent.Evidence
    var rate: Int?
    var channels: Int?
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
      let begin = min(start + extent.lead, extent.end)
      parts.append(Part(bytes: begin..<extent.end, evidence: extent.evidence, rate: extent.rate, channels: extent.channels))
      place = extent.end
    }
    all = parts.isEmpty ? [Part(bytes: 0..<file.count, evidence: .untold)] : parts
    unused = parts.isEmpty ? 0 : file.count - place
  }
}
