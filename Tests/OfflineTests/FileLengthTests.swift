import Foundation
import Testing

@testable import OfflineProcessing

internal import SoundFileLibrary

/// Files whose header lacks their length, or states a wrong one.
@Suite("Length of sound files")
struct FileLengthTests {
  private static let frames = 20_000
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// A FLAC file whose STREAMINFO claims `total` samples, a number of 36 bits.
  private func flac(_ name: String, claims total: UInt64) throws -> String {
    var data = try folder.sound(name, Int(SF_FORMAT_FLAC) | Int(SF_FORMAT_PCM_16), frames: Self.frames)
    data[21] = data[21] & 0xF0 | UInt8(truncatingIfNeeded: total >> 32 & 0x0F)
    for byte in 0..<4 { data[22 + byte] = UInt8(truncatingIfNeeded: total >> UInt64(8 * (3 - byte))) }
    try data.write(to: URL(fileURLWithPath: folder.file(name)))
    return folder.file(name)
  }

  /// An Ogg Vorbis file whose last page claims to end at sample `end`; the page's checksum is right.
  private func ogg(_ name: String, claims end: UInt64) throws -> String {
    var data = [UInt8](try folder.sound(name, Int(SF_FORMAT_OGG) | Int(SF_FORMAT_VORBIS), frames: Self.frames))
    let page = try #require(data.indices.last { $0 + 27 <= data.count && Array(data[$0..<$0 + 4]) == Array("OggS".utf8) })
    for byte in 0..<8 { data[page + 6 + byte] = UInt8(truncatingIfNeeded: end >> UInt64(8 * byte)) }
    for byte in 22..<26 { data[page + byte] = 0 }
    var sum: UInt32 = 0
    for byte in data[page...] {
      sum ^= UInt32(byte) << 24
      for _ in 0..<8 { sum = sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
    }
    for byte in 0..<4 { data[page + 22 + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * byte)) }
    try Data(data).write(to: URL(fileURLWithPath: folder.file(name)))
    return folder.file(name)
  }

  private func process(_ path: String) throws -> Int {
    _ = try OfflineProcessor(OfflineOptions(microphone: path, output: folder.file("out.wav"))).run()
    return try SoundInput(path: folder.file("out.wav")).length
  }

  private func expectRefusal(_ words: String, _ body: () throws -> Int) {
    do {
      let frames = try body()
      Issue.record("\(frames) frames were taken")
    } catch {
      #expect("\(error)".contains(words), "\(error)")
    }
  }

  @Test("X1: a FLAC without a length in its header is processed and played to its end")
  func unknown() throws {
    let path = try flac("unknown.flac", claims: 0)
    #expect(try process(path) == Self.frames)
    #expect(try samplesPlayed(path) == Self.frames)
  }

  @Test(
    "X1: a FLAC that claims more than it holds is refused, and takes no memory for it",
    arguments: [20_001, 0x8_0000_0000, 0xF_FFFF_FFFF] as [UInt64])
  func lies(_ total: UInt64) throws {
    let path = try flac("lies.flac", claims: total)
    expectRefusal("frames") { try process(path) }
    expectRefusal("frames") { try samplesPlayed(path) }
  }

  @Test(
    "X1: an Ogg that claims a wrong end ends only itself",
    arguments: [0, 1, 0x8000_0000, 0x4000_0000_0000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF] as [UInt64])
  func oggLies(_ end: UInt64) throws {
    let path = try ogg("lies.ogg", claims: end)
    // It is read to the end of its last block, or refused.
    do { #expect(try process(path) <= Self.frames + 8_192) } catch { #expect(error is OfflineError) }
    do { #expect(try samplesPlayed(path) <= 2 * Self.frames) } catch { #expect(error is OfflineError) }
  }

  @Test("X1: a file of more than a day is refused before any of it is kept")
  func tooLong() throws {
    // 25 hours at 4 kHz, as a sparse file.
    let path = try folder.wave("long.wav", TestSignals.noise(frames: 100), rate: 4_000)
    let bytes = 25 * 3_600 * 4_000 * 2
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    for (offset, size) in [(UInt64(4), UInt32(36 + bytes)), (40, UInt32(bytes))] {
      try handle.seek(toOffset: offset)
      try handle.write(contentsOf: withUnsafeBytes(of: size.littleEndian) { Data($0) })
    }
    try handle.truncate(atOffset: UInt64(44 + bytes))
    try handle.close()
    expectRefusal("longer than 24 hours") { try process(path) }
  }

  @Test("X1: a pipe is refused, and not waited for") func pipe() throws {
    mkfifo(folder.file("pipe.wav"), 0o600)
    expectRefusal("regular file") { try process(folder.file("pipe.wav")) }
  }

  @Test(
    "X1: a header with a length that programs write into pipes is read to the file's end, with a remark",
    arguments: [0x7FFF_F000, 0x7FFF_FF00, 0x8000_0000, 0xFFFF_FFFF] as [UInt32])
  func placeholder(_ size: UInt32) throws {
    let path = try folder.wave("pipe.wav", TestSignals.noise(frames: Self.frames))
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    for offset in [4, 40] { data.replaceSubrange(offset..<offset + 4, with: withUnsafeBytes(of: size.littleEndian) { Data($0) }) }
    try data.write(to: URL(fileURLWithPath: path))
    #expect(try process(path) == Self.frames)
    #expect(try samplesPlayed(path) == Self.frames)
    #expect(try SoundInput(path: path).notes().contains { $0.contains("does not tell its length") })
  }

  @Test("X1: a header that declares no samples before some is refused as such")
  func declaresNothing() throws {
    let path = try folder.wave("pipe.wav", TestSignals.noise(frames: Self.frames))
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    for offset in [4, 40] { data.replaceSubrange(offset..<offset + 4, with: Data(count: 4)) }
    try data.write(to: URL(fileURLWithPath: path))
    expectRefusal("declares no samples, as if it was written into a pipe") { try process(path) }
    expectRefusal("declares no samples, as if it was written into a pipe") { try samplesPlayed(path) }
  }

  @Test("X1: bytes behind the declared end, as of a recorder that crashed, are told")
  func unused() throws {
    let path = try folder.wave("crashed.wav", TestSignals.noise(frames: Self.frames))
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    data.replaceSubrange(4..<8, with: [36, 0x40, 0, 0])
    data.replaceSubrange(40..<44, with: [0, 0x40, 0, 0])
    try data.write(to: URL(fileURLWithPath: path))
    #expect(try process(path) == 0x2000)
    let notes = try SoundInput(path: path).notes()
    #expect(notes.contains { $0.contains("goes on for \(2 * Self.frames - 0x4000) bytes behind the end that it declares") }, "\(notes)")
  }
}
