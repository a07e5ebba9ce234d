import Foundation

/// A file's bytes at any place, read in pieces. One thread.
final class FileBytes {
  let count: Int
  private let descriptor: Int32
  private var piece: [UInt8] = []
  private var pieceStart = 0
  private static let pieceSize = 65_536

  /// - Throws: `OfflineError.input` if the file cannot be opened.
  init(path: String) throws(OfflineError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .input(file: path, reason: systemReason()) }
    var status = stat()
    count = fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  deinit { close(descriptor) }

  /// Copies bytes from `place` on; returns how many there were, 0 at the end or if they cannot be read.
  func copy(to target: UnsafeMutableRawBufferPointer, from place: Int) -> Int {
    guard place >= 0, let base = target.baseAddress else { return 0 }
    while true {
      let got = pread(descriptor, base, target.count, place)
      if got < 0, errno == EINTR { continue }
      return max(0, got)
    }
  }

  /// The byte at `place`; nil beyond the file.
  func byte(_ place: Int) -> UInt8? {
    guard place >= 0, place < count else { return nil }
    if !piece.indices.contains(place - pieceStart) {
      pieceStart = place
      piece = Array(unsafeUninitializedCapacity: Self.pieceSize) { $1 = copy(to: UnsafeMutableRawBufferPointer($0), from: place) }
    }
    let index = place - pieceStart
    return piece.indices.contains(index) ? piece[index] : nil
  }

  /// Fewer than `length` at the file's end.
  func bytes(_ place: Int, _ length: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < length, let byte = byte(place + bytes.count) { bytes.append(byte) }
    return bytes
  }

  func has(_ text: String, at place: Int) -> Bool {
    var place = place
    for byte in text.utf8 {
      guard self.byte(place) == byte else { return false }
      place += 1
    }
    return true
  }

  enum Order { case little, big }

  /// An unsigned number of `width` bytes, at most 2⁶⁰, so that sums of some do not overflow; nil if it is not there as a whole.
  func number(_ place: Int, _ width: Int, _ order: Order) -> Int? {
    var value: UInt64 = 0
    for index in 0..<width {
      guard let byte = byte(order == .big ? place + index : place + width - 1 - index) else { return nil }
      value = value << 8 | UInt64(byte)
    }
    return Int(min(value, 1 << 60))
  }

  /// The first place from `start` on at which `pattern` stands; nil if it does not.
  func first(_ pattern: [UInt8], from start: Int) -> Int? {
    guard !pattern.isEmpty else { return nil }
    var place = start
    var window = [UInt8](repeating: 0, count: 1 << 20)
    while place + pattern.count <= count {
      let got = window.withUnsafeMutableBytes { copy(to: $0, from: place) }
      guard got >= pattern.count else { return nil }
      let found = window.withUnsafeBytes { Self.place(of: pattern, in: UnsafeRawBufferPointer(rebasing: $0.prefix(got))) }
      if let found { return place + found }
      place += got - pattern.count + 1
    }
    return nil
  }

  private static func place(of pattern: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var place = 0
    while place + pattern.count <= bytes.count,
      let found = memchr(base + place, Int32(pattern[0]), bytes.count - pattern.count + 1 - place)
    {
      place = UnsafeRawPointer(found) - base
      if memcmp(base + place, pattern, pattern.count) == 0 { return place }
      place += 1
    }
    return nil
  }
}
