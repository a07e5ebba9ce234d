/// Ogg: pages, of which the last one of each stream says so. Where streams begin again behind the end of all, another file was appended
/// (a chained stream), of which libsndfile reads only the first.
enum OggExtent {
  private struct Page {
    var size: Int
    var serial: Int
    var begins, ends: Bool

    init?(_ file: FileBytes, _ place: Int) {
      guard file.has("OggS", at: place), let flags = file.byte(place + 5), let serial = file.number(place + 14, 4, .little),
        let count = file.byte(place + 26)
      else { return nil }
      let lengths = file.bytes(place + 27, Int(count))
      guard lengths.count == Int(count) else { return nil }
      size = lengths.reduce(27 + Int(count)) { $0 + Int($1) }
      (self.serial, begins, ends) = (serial, flags & 2 != 0, flags & 4 != 0)
    }
  }

  static func find(_ file: FileBytes, at start: Int) -> SoundExtent? {
    guard file.has("OggS", at: start) else { return nil }
    var place = start
    var open: Set<Int> = []
    var isInside = false
    while place < file.count {
      guard let page = Page(file, place) else {
        // Other bytes may stand between pages, or behind the last one, such as a tag of another program.
        if open.isEmpty, isInside { break }
        guard let next = file.first(Array("OggS".utf8), from: place + 1) else { return truncated(file, "it ends within a page") }
        place = next
        continue
      }
      if page.begins, isInside { break }
      if !page.begins { isInside = true }
      guard place + page.size <= file.count else { return truncated(file, "it ends within a page") }
      if page.begins { open.insert(page.serial) }
      if page.ends { open.remove(page.serial) }
      place += page.size
    }
    if !open.isEmpty {
      return SoundExtent(end: min(place, file.count), evidence: .truncated("no page of it is marked as the stream's last one"))
    }
    return SoundExtent(end: min(place, file.count), evidence: .whole)
  }

  private static func truncated(_ file: FileBytes, _ reason: String) -> SoundExtent {
    SoundExtent(end: file.count, evidence: .truncated(reason))
  }
}
