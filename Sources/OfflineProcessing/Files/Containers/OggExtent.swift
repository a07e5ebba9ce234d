import Platform

/// Ogg: pages that each stream counts, of which the last one of each stream says so. Where streams begin again behind the end of all,
/// another file was appended (a chained stream), of which libsndfile reads only the first. Decoders leave out without a word what a missing
/// page held.
struct OggExtent {
  private let file: FileBytes
  /// The streams that have begun and not ended, by serial.
  private var open: Set<Int> = []
  /// Those of sound, by serial.
  private var sounds: [Int: Sound] = [:]

  /// Where a stream of sound is.
  private struct Sound {
    /// Of positions a second.
    let rate: Int
    var number: Int
    var position = 0

    /// - Parameter page: the stream's first one; nil if it is none of sound, such as of a film.
    init?(_ file: FileBytes, _ page: OggPage) {
      let body = page.body
      if file.has("\u{1}vorbis", at: body), let rate = file.number(body + 12, 4, .little) {
        self.rate = rate
      } else if file.has("OpusHead", at: body) {
        rate = 48_000
      } else if file.has("\u{7F}FLAC", at: body), let bits = file.number(body + 27, 3, .big) {
        rate = bits >> 4
      } else {
        return nil
      }
      number = page.number
    }

    /// Goes on to the next page; returns in words what is wrong with it, or nil.
    mutating func advance(to page: OggPage, isIntact: Bool) -> String? {
      guard isIntact else { return "the page \(place(of: page)) does not agree with its checksum" }
      let missing = (page.number - number - 1) & 0xFFFF_FFFF
      if missing > 0x7FFF_FFFF { return again(page) }
      if missing > 0 { return (missing == 1 ? "a page is missing " : "\(missing) pages are missing ") + place(of: page) }
      number = page.number
      position = page.position ?? position
      return nil
    }

    func again(_ page: OggPage) -> String { "a page is there again \(place(of: page))" }

    private func place(of page: OggPage) -> String {
      "at byte \(page.place)" + (rate > 0 ? " (\(fixed(Double(position) / Double(rate), 2)) s)" : "")
    }
  }

  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("OggS", at: start) else { return nil }
    var walk = OggExtent(file: file)
    return walk.extent(from: start)
  }

  private init(file: FileBytes) { self.file = file }

  private mutating func extent(from start: Int) -> SoundExtent {
    var place = start
    var isInside = false
    while place < file.count {
      guard let page = OggPage(file, place) else {
        // Other bytes may stand between pages, or behind the last one, such as a tag of another program.
        if open.isEmpty, isInside { break }
        guard let next = file.first(Array("OggS".utf8), from: place + 1) else { return ended("it ends within a page") }
        place = next
        continue
      }
      if page.begins, isInside { break }
      if !page.begins { isInside = true }
      guard place + page.size <= file.count else { return ended("it ends within a page") }
      if let reason = damage(page) { return SoundExtent(end: file.count, evidence: .damaged(reason)) }
      if page.ends { open.remove(page.serial) }
      place += page.size
    }
    guard open.isEmpty else {
      return SoundExtent(end: min(place, file.count), evidence: .truncated("no page of it is marked as the stream's last one"))
    }
    return SoundExtent(end: min(place, file.count), evidence: .whole)
  }

  /// Goes on to the next page, of any stream; returns in words what is wrong with its sound, or nil.
  private mutating func damage(_ page: OggPage) -> String? {
    guard page.begins else { return sounds[page.serial]?.advance(to: page, isIntact: page.isIntact(file)) }
    if !open.insert(page.serial).inserted { return sounds[page.serial]?.again(page) }
    sounds[page.serial] = Sound(file, page)
    let isDamaged = sounds[page.serial] != nil && !page.isIntact(file)
    return isDamaged ? "its first page does not agree with its checksum" : nil
  }

  private func ended(_ reason: String) -> SoundExtent { SoundExtent(end: file.count, evidence: .truncated(reason)) }
}
