import Foundation

/// Compares what a WAV header declares with what is there. libsndfile silently reads a truncated file as far as it goes, which would pass
/// for a complete recording.
struct WaveHeader: Equatable {
  /// Bytes of samples that the header declares, and that follow it; nil without a data chunk.
  var data: (declared: Int, there: Int)?
  var rate: Int?
  var channels: Int?

  static func == (a: Self, b: Self) -> Bool {
    a.data?.declared == b.data?.declared && a.data?.there == b.data?.there && a.rate == b.rate && a.channels == b.channels
  }

  /// nil if the file is not RIFF WAVE.
  init?(path: String) {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let size = try? file.seekToEnd(), (try? file.seek(toOffset: 0)) != nil else { return nil }
    func bytes(_ count: Int) -> [UInt8] { Array((try? file.read(upToCount: count)) ?? Data()) }
    let start = bytes(12)
    guard start.count == 12, start[0..<4] == Self.name("RIFF")[...], start[8..<12] == Self.name("WAVE")[...] else { return nil }
    var offset = UInt64(12)
    while offset + 8 <= size, (try? file.seek(toOffset: offset)) != nil {
      let head = bytes(8)
      guard head.count == 8 else { break }
      let length = Self.number(head[4..<8])
      offset += 8
      if Array(head[0..<4]) == Self.name("fmt ") {
        let format = bytes(16)
        guard format.count == 16 else { break }
        channels = Self.number(format[2..<4])
        rate = Self.number(format[4..<8])
      }
      if Array(head[0..<4]) == Self.name("data") {
        // A program that wrote into a pipe could not know the length, and left the largest value or none.
        let there = Int(size - offset)
        data = (length == 0xFFFF_FFFF || length == 0 ? there : length, there)
        break
      }
      offset += UInt64(length + length % 2)
    }
  }

  private static func name(_ text: String) -> [UInt8] { Array(text.utf8) }
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
}
