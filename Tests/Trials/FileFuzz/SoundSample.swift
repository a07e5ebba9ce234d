import Foundation
internal import SoundFileLibrary
import SimulatedHardware

/// A small sound file of one kind, and nearly valid mutations of it.
struct SoundSample {
  /// "wav-1-2": container, sample type, channels.
  let name: String
  /// libsndfile's number of the container.
  let container: Int32
  let channels: Int32
  let bytes: [UInt8]
  /// False if `nearend process` does not accept the kind, such as one with a fixed rate.
  let isTaken: Bool

  static let frames = 3_000

  /// One of each container and sample type that libsndfile writes, mono and stereo.
  static func all(in folder: String) throws -> [SoundSample] {
    var samples: [SoundSample] = []
    var (majors, minors) = (Int32(0), Int32(0))
    sf_command(nil, Int32(SFC_GET_FORMAT_MAJOR_COUNT), &majors, Int32(MemoryLayout<Int32>.size))
    sf_command(nil, Int32(SFC_GET_FORMAT_SUBTYPE_COUNT), &minors, Int32(MemoryLayout<Int32>.size))
    for major in 0..<majors {
      var container = SF_FORMAT_INFO()
      container.format = major
      sf_command(nil, Int32(SFC_GET_FORMAT_MAJOR), &container, Int32(MemoryLayout<SF_FORMAT_INFO>.size))
      for minor in 0..<minors {
        var kind = SF_FORMAT_INFO()
        kind.format = minor
        sf_command(nil, Int32(SFC_GET_FORMAT_SUBTYPE), &kind, Int32(MemoryLayout<SF_FORMAT_INFO>.size))
        for channels in [Int32(1), 2] {
          let name = container.extension.map { String(cString: $0) } ?? "raw"
          let sample = write("\(name)-\(major)-\(minor)-\(channels)", container.format | kind.format, channels, in: folder)
          if let sample { samples.append(sample) }
        }
      }
    }
    return samples
  }

  private static func write(_ name: String, _ format: Int32, _ channels: Int32, in folder: String) -> SoundSample? {
    var info = SF_INFO()
    (info.samplerate, info.channels, info.format) = (16_000, channels, format)
    guard sf_format_check(&info) != 0 else { return nil }
    let path = "\(folder)/\(name)"
    defer { unlink(path) }
    guard let file = sf_open(path, Int32(SFM_WRITE), &info) else { return nil }
    for (key, text) in [(SF_STR_TITLE, "A title"), (SF_STR_ARTIST, "An artist"), (SF_STR_COMMENT, "\u{1B}[2J")] {
      sf_set_string(file, Int32(key), text)
    }
    let signal = (0..<frames * Int(channels)).map { Float(sin(Double($0) * 0.05) * 0.3) }
    let written = sf_writef_float(file, signal, sf_count_t(frames))
    guard sf_close(file) == 0, written == frames, let data = FileManager.default.contents(atPath: path) else { return nil }
    // A file without a header does not contain its format; SD2 keeps it in another file.
    var read = SF_INFO()
    let again = sf_open(path, Int32(SFM_READ), &read)
    defer { if let again { sf_close(again) } }
    let isTaken = again != nil && !name.hasPrefix("sd2") && (4_000...768_000).contains(read.samplerate)
    return SoundSample(
      name: name, container: format & Int32(SF_FORMAT_TYPEMASK), channels: channels, bytes: [UInt8](data), isTaken: isTaken)
  }

  /// Returns a mutation, mostly of the first bytes, where the headers are.
  func mutated(_ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...12, using: &generator) where !bytes.isEmpty {
      let end = Int.random(in: 0..<4, using: &generator) == 0 ? bytes.count : min(bytes.count, 128)
      let place = Int.random(in: 0..<end, using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      // Sizes, rates and counts of four or eight bytes.
      case 2, 3, 4:
        let value = [0x00, 0x01, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        for index in place..<min(bytes.count, place + [2, 4, 8].randomElement(using: &generator)!) { bytes[index] = UInt8(value) }
      case 5: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...64, using: &generator)))
      case 6: bytes.insert(contentsOf: bytes[place...].prefix(Int.random(in: 1...64, using: &generator)), at: place)
      default: if Int.random(in: 0..<4, using: &generator) == 0 { bytes.removeSubrange(place...) }
      }
    }
    return bytes
  }
}
