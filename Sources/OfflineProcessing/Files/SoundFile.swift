import Foundation
internal import SoundFileLibrary

/// A sound file that libsndfile reads: a file, or a part of one. One thread.
final class SoundFile {
  let info: SF_INFO
  private let file: OpaquePointer
  /// Whether the decoder has found what it cannot decode in what was read.
  private(set) var isDamaged = false
  /// What libsndfile reads; nil if it reads the file by its name.
  private let window: ByteWindow?

  /// - Parameter window: the bytes to read; nil for the whole file, of which libsndfile then may consider the name.
  /// - Throws: `OfflineError.input` if libsndfile cannot read it.
  init(path: String, window: ByteWindow?) throws(OfflineError) {
    var info = SF_INFO()
    let file: OpaquePointer?
    if let window {
      var calls = ByteWindow.calls
      let own = Unmanaged.passUnretained(window).toOpaque()
      file = LibraryNotes.withheld { sf_open_virtual(&calls, Int32(SFM_READ), &info, own) }.result
    } else {
      file = LibraryNotes.withheld { sf_open(path, Int32(SFM_READ), &info) }.result
    }
    guard let file else {
      // libsndfile says "File does not exist" of what it does not recognize and whose name promises MPEG audio.
      let words = String(cString: sf_strerror(nil))
      guard Int(sf_error(nil)) != Int(SF_ERR_SYSTEM) else { throw .input(file: path, reason: "it cannot be read (\(words))") }
      let reason = words.hasPrefix("File does not exist") ? "Format not recognised." : words
      let remedy = "if another program plays it, convert it to WAV with that first"
      throw .input(file: path, reason: "it is not a sound file that libsndfile can read (\(reason)); \(remedy)")
    }
    (self.file, self.info, self.window) = (file, info, window)
  }

  deinit { _ = LibraryNotes.withheld { sf_close(file) } }

  var isMPEG: Bool { info.format & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_MPEG) }

  /// Reads at most `frames` frames, interleaved; returns how many there were.
  func read(_ samples: inout [Float], frames: Int) -> Int {
    guard isMPEG else { return max(0, Int(sf_readf_float(file, &samples, sf_count_t(frames)))) }
    let (count, tellsError) = LibraryNotes.withheld { max(0, Int(sf_readf_float(file, &samples, sf_count_t(frames)))) }
    isDamaged = isDamaged || tellsError
    return count
  }
}

/// Ranges of a file's bytes, one after another, as a file of its own for libsndfile. One thread.
final class ByteWindow {
  private let bytes: FileBytes
  /// Of the file's bytes, and where each begins here.
  private let pieces: [(bytes: Range<Int>, place: Int)]
  private let count: Int
  fileprivate let claimed: Int
  fileprivate private(set) var position = 0
  /// Of the tag that libmpg123 looks for at a file's end.
  private static let tag = 128

  /// - Parameter isGuessed: whether libsndfile guesses the sound's length by that of the file. Then the file's is overstated by so much
  ///   that the guess exceeds all there can be, because libsndfile reads no more than it guessed; reading ends where the bytes do.
  init(_ bytes: FileBytes, _ ranges: [Range<Int>], isGuessed: Bool) {
    self.bytes = bytes
    var (pieces, count) = ([(bytes: Range<Int>, place: Int)](), 0)
    for range in ranges where !range.isEmpty {
      pieces.append((range, count))
      count += range.count
    }
    (self.pieces, self.count) = (pieces, count)
    // The first frame may have the highest rate, the others the lowest: 448 kbit/s and 8.
    claimed = isGuessed ? count * 64 + (1 << 20) : count
  }

  fileprivate func read(_ target: UnsafeMutableRawPointer, _ wanted: Int) -> Int {
    let target = UnsafeMutableRawBufferPointer(start: target, count: max(0, min(wanted, claimed - position)))
    var got = 0
    while got < target.count, let piece = piece(at: position) {
      let from = position - piece.place
      let rest = UnsafeMutableRawBufferPointer(rebasing: target[got..<min(target.count, got + piece.bytes.count - from)])
      let more = bytes.copy(to: rest, from: piece.bytes.lowerBound + from)
      got += more
      position += more
      guard more > 0 else { return got }
    }
    if got == 0, position >= max(count, claimed - Self.tag) {
      target.initializeMemory(as: UInt8.self, repeating: 0)
      got = target.count
      position += got
    }
    return got
  }

  /// Half by half: a damaged file may have many.
  private func piece(at position: Int) -> (bytes: Range<Int>, place: Int)? {
    guard position < count else { return nil }
    var (low, high) = (0, pieces.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if pieces[middle].place <= position { low = middle } else { high = middle }
    }
    return pieces[low]
  }

  fileprivate func seek(_ offset: Int, _ origin: Int32) -> Int {
    let base = origin == SEEK_CUR ? position : origin == SEEK_END ? claimed : 0
    let (target, overflows) = base.addingReportingOverflow(offset)
    guard !overflows, 0...claimed ~= target else { return -1 }
    position = target
    return target
  }

  static var calls: SF_VIRTUAL_IO {
    SF_VIRTUAL_IO(
      get_filelen: { sf_count_t(window($0).claimed) }, seek: { sf_count_t(window($2).seek(Int($0), $1)) },
      read: { target, count, own in target.map { sf_count_t(window(own).read($0, Int(count))) } ?? 0 },
      write: { _, _, _ in 0 }, tell: { sf_count_t(window($0).position) })
  }
}

/// The window that libsndfile gives back to its calls.
private func window(_ pointer: UnsafeMutableRawPointer?) -> ByteWindow {
  Unmanaged<ByteWindow>.fromOpaque(pointer!).takeUnretainedValue()
}
