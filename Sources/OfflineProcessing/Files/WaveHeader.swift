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
    guard let file = fopen(path, "rbe") else { return nil }
    defer { fclose(file) }
    guard fseek(file, 0, SEEK_END) == 0, case let size = ftell(file), size >= 0 else { return nil }
    func bytes(_ count: Int, at offset: Int) -> [UInt8] {
      guard fseek(file, offset, SEEK_SET) == 0 else { return [] }
      return Array(unsafeUninitializedCapacity: count) { $1 = fread($0.baseAddress, 1, count, file) }
    }
    let start = bytes(12, at: 0)
    guard start.count == 12, start[0..<4] == Self.name("RIFF")[...], start[8..<12] == Self.name("WAVE")[...] else { return nil }
    var offset = 12
    while offset + 8 <= size {
      let head = bytes(8, at: offset)
      guard head.count == 8 else { break }
      let length = Self.number(head[4..<8])
      offset += 8
      if Array(head[0..<4]) == Self.name("fmt ") {
        let format = bytes(16, at: offset)
        guard format.count == 16 else { break }
        channels = Self.number(format[2..<4])
        rate = Self.number(format[4..<8])
      }
      if Array(head[0..<4]) == Self.name("data") {
        // A program that wrote to a pipe could not know the length, and left the largest value or 0.
        let there = size - offset
        data = (length == 0xFFFF_FFFF || length == 0 ? there : length, there)
        break
      }
      offset += length + length % 2
    }
  }

  private static func name(_ text: String) -> [UInt8] { Array(text.utf8) }
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
}
