import Foundation
import Testing

@testable import OfflineProcessing

internal import SoundFileLibrary

/// Ogg files of whose pages one is missing, doubled or damaged: decoders leave out what it held, and say nothing.
@Suite("Pages of Ogg")
struct OggPageTests {
  private static let frames = 200_000
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// libsndfile need not be able to read FLAC in Ogg.
  enum Codec: CaseIterable { case vorbis, opus, flac }

  private func pages(_ codec: Codec, frames: Int = Self.frames) throws -> [Data] {
    let vorbis = Int(SF_FORMAT_OGG) | Int(SF_FORMAT_VORBIS)
    let opus = Int(SF_FORMAT_OGG) | Int(SF_FORMAT_OPUS)
    switch codec {
    case .vorbis: return Ogg.pages(try folder.sound("new.ogg", vorbis, frames: frames))
    case .opus: return Ogg.pages(try folder.sound("new.ogg", opus, frames: frames))
    case .flac: return Ogg.pages(flac: try folder.sound("new.flac", Int(SF_FORMAT_FLAC) | Int(SF_FORMAT_PCM_16), frames: frames))
    }
  }

  /// The frames that are played of a file, which is also processed.
  private func frames(_ pages: [Data]) throws -> Int {
    let path = folder.file("case.ogg")
    try Data(pages.joined()).write(to: URL(fileURLWithPath: path))
    let played = try samplesPlayed(path)
    #expect(try SoundInput(path: path).length == played)
    return played
  }

  private func expectWhole(_ pages: [Data], _ codec: Codec, _ location: SourceLocation = #_sourceLocation) throws {
    let path = folder.file("case.ogg")
    try Data(pages.joined()).write(to: URL(fileURLWithPath: path))
    #expect(SoundParts(try FileBytes(path: path)).all.map(\.evidence) == [.whole], sourceLocation: location)
    if codec != .flac { #expect(try frames(pages) == Self.frames, sourceLocation: location) }
  }

  private func expectRefusal(_ pages: [Data], _ words: String, _ location: SourceLocation = #_sourceLocation) {
    let path = folder.file("case.ogg")
    #expect(throws: Never.self) { try Data(pages.joined()).write(to: URL(fileURLWithPath: path)) }
    for needsLength in [true, false] {
      do {
        let input = try SoundInput(path: path, needsLength: needsLength)
        Issue.record("it is taken with \(input.length) frames", sourceLocation: location)
      } catch {
        #expect("\(error)".contains("case.ogg: it is damaged: \(words)"), "\(error)", sourceLocation: location)
        #expect("\(error)".contains("convert it to WAV with another program first"), "\(error)", sourceLocation: location)
      }
    }
  }

  /// The second at which the sound of a page begins, as errors tell it, and its place.
  private func place(_ index: Int, of pages: [Data], at byte: Int? = nil) -> String {
    let before = pages[..<index].last { Ogg.position($0) != nil }.flatMap(Ogg.position) ?? 0
    let there = byte ?? pages[..<index].map(\.count).reduce(0, +)
    return "at byte \(there) (\(String(format: "%.2f", Double(before) / 48_000)) s)"
  }

  @Test("X1 S9: a whole Ogg is used to its end", arguments: Codec.allCases)
  func whole(_ codec: Codec) throws {
    let pages = try pages(codec)
    #expect(pages.count > 6)
    try expectWhole(pages, codec)
  }

  @Test("X1 S9: an Ogg without a page of its middle is refused as damaged, with the second", arguments: Codec.allCases)
  func missing(_ codec: Codec) throws {
    let pages = try pages(codec)
    for index in [2, pages.count / 2, pages.count - 2] {
      expectRefusal(Array(pages[..<index] + pages[(index + 1)...]), "a page is missing \(place(index, of: pages))")
    }
    expectRefusal(Array(pages[..<3] + pages[5...]), "2 pages are missing \(place(3, of: pages))")
  }

  @Test("X1 S9: an Ogg with a page twice, or with two in each other's place, is refused as damaged", arguments: Codec.allCases)
  func doubled(_ codec: Codec) throws {
    let pages = try pages(codec)
    for index in [1, pages.count / 2, pages.count - 1] {
      expectRefusal(Array(pages[...index] + pages[index...]), "a page is there again \(place(index + 1, of: pages + [Data()]))")
    }
    expectRefusal(Array(pages[...0] + pages), "a page is there again")
    var swapped = pages
    swapped.swapAt(3, 4)
    expectRefusal(swapped, "a page is missing \(place(3, of: pages))")
  }

  @Test("X1 S9: an Ogg with a page that is not as it was written is refused as damaged", arguments: Codec.allCases)
  func changed(_ codec: Codec) throws {
    let pages = try pages(codec)
    for index in [0, pages.count / 2, pages.count - 1] {
      var changed = pages
      changed[index][changed[index].count - 5] ^= 0x10
      let words = index == 0 ? "its first page" : "the page \(place(index, of: pages))"
      expectRefusal(changed, "\(words) does not agree with its checksum")
    }
  }

  @Test("X1 S9: an Ogg whose pages other bytes stand between, or a stream of something else, is used whole", arguments: Codec.allCases)
  func mixed(_ codec: Codec) throws {
    let pages = try pages(codec)
    var between = pages
    between.insert(Data("a tag of another program".utf8), at: 3)
    try expectWhole(between, codec)
    // A film's stream, whose own pages need not be whole.
    let film = [(0, 2), (7, 4)].map { Ogg.page(Data("a film".utf8), number: $0, flags: $1, serial: 78) }
    let multiplexed = [pages[0], film[0]] + pages[1...3] + [film[1]] + pages[4...]
    let path = folder.file("case.ogg")
    try Data(multiplexed.joined()).write(to: URL(fileURLWithPath: path))
    #expect(SoundParts(try FileBytes(path: path)).all.map(\.evidence) == [.whole])
    expectRefusal(Array(multiplexed[..<3] + multiplexed[4...]), "a page is missing")
  }

  @Test("X1 S9: chained Ogg is used whole, though each link counts its pages anew, and refused if one link has a hole")
  func chained() throws {
    let (first, second) = (try pages(.vorbis), try pages(.vorbis, frames: 90_000))
    #expect(try frames(first + second + first) == 2 * Self.frames + 90_000)
    let path = folder.file("case.ogg")
    let rest = Array(second[..<3]) + Array(second[4...])
    try Data((first + rest + first).joined()).write(to: URL(fileURLWithPath: path))
    do {
      _ = try SoundInput(path: path)
      Issue.record("it is taken")
    } catch {
      let begin = first.map(\.count).reduce(0, +)
      #expect("\(error)".contains("that at byte \(begin) is damaged: a page is missing"), "\(error)")
    }
  }
}

/// Ogg's pages, one by one.
enum Ogg {
  static func pages(_ data: Data) -> [Data] {
    var (pages, place) = ([Data](), 0)
    while place + 27 <= data.count {
      let count = Int(data[place + 26])
      let size = data[place + 27..<place + 27 + count].reduce(27 + count) { $0 + Int($1) }
      pages.append(Data(data[place..<place + size]))
      place += size
    }
    return pages
  }

  /// How far the stream reaches with this page; nil if no packet ends in it.
  static func position(_ page: Data) -> Int? {
    let position = page[6..<14].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return position == .max ? nil : Int(position)
  }

  /// - Parameters:
  ///   - packet: less than 64 KiB.
  ///   - flags: 2 for a stream's first page, 4 for its last.
  static func page(_ packet: Data, number: Int, flags: UInt8, position: Int = 0, serial: Int = 77) -> Data {
    func little(_ value: Int, _ width: Int) -> Data { Data((0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }) }
    var sizes = Data(repeating: 255, count: packet.count / 255)
    sizes.append(UInt8(packet.count % 255))
    var page = Data("OggS\0".utf8)
    page.append(flags)
    for field in [little(position, 8), little(serial, 4), little(number, 4), little(0, 4), little(sizes.count, 1), sizes, packet] {
      page.append(field)
    }
    var sum: UInt32 = 0
    for byte in page {
      sum ^= UInt32(byte) << 24
      for _ in 0..<8 { sum = sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
    }
    page.replaceSubrange(22..<26, with: little(Int(sum), 4))
    return page
  }

  /// A FLAC file in Ogg, a frame a page, which libsndfile does not write.
  static func pages(flac data: Data) -> [Data] {
    // The blocks of the header, of which the first is STREAMINFO.
    var (blocks, place, isLast) = ([Data](), 4, false)
    while !isLast {
      let size = data[place + 1..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      blocks.append(Data(data[place..<place + 4 + size]))
      isLast = data[place] & 0x80 != 0
      place += 4 + size
    }
    let first = Data("\u{7F}FLAC".utf8) + [1, 0, 0, UInt8(blocks.count - 1)] + Data("fLaC".utf8) + blocks[0]
    var pages = [page(first, number: 0, flags: 2)]
    for block in blocks.dropFirst() { pages.append(page(block, number: pages.count, flags: 0)) }
    // Frames begin with a sync code, fixed codes and their number, here below 128.
    var starts: [Int] = []
    let length = Int(data[8]) << 8 | Int(data[9])
    for at in place..<data.count - 5 where data[at] == 0xFF && data[at + 1] == 0xF8 && data[at + 4] == UInt8(starts.count) {
      if starts.isEmpty || data[at + 3] == data[starts[0] + 3] { starts.append(at) }
    }
    let total = data[22..<26].reduce(0) { $0 << 8 | Int($1) }
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1] : data.count
      let flags: UInt8 = index + 1 < starts.count ? 0 : 4
      pages.append(
        page(Data(data[start..<end]), number: pages.count, flags: flags, position: min(total, (index + 1) * length)))
    }
    return pages
  }
}
