import Foundation
internal import SoundFileLibrary

/// A sound file that libsndfile reads: a file, or a part of one. One thread.
final class SoundFile {
  let info: SF_INFO
  private let file: OpaquePointer
  /// What libsndfile reads; nil if it reads the file by its name.
  private let window: ByteWindow?

  /// - Parameter window: the bytes to read; nil for the whole file, of which libsndfile then may consider the name.
  /// - Throws: `OfflineError.input` if libsndfile cannot read it.
  init(path: String, window: ByteWindow?) throws(OfflineError) {
    var info = SF_INFO()
    let file: OpaquePointer?
    if let window {
      var calls = ByteWindow.calls
      file = sf_open_virtual(&calls, Int32(SFM_READ), &info, Unmanaged.passUnretained(window).toOpaque())
    } else {
      file = sf_open(path, Int32(SFM_READ), &info)
    }
    guard let file else {
      throw .input(file: path, reason: "it is not a sound file that libsndfile can read (\(String(cString: sf_strerror(nil))))")
    }
    (self.file, self.info, self.window) = (file, info, window)
  }

  deinit { sf_close(file) }

  var isMPEG: Bool { info.format & Int32(SF_FORMAT_TYPEMASK) == Int32(SF_FORMAT_MPEG) }

  /// Reads at most `frames` frames, interleaved; returns how many there were.
  func read(_ samples: inout [Float], frames: Int) -> Int { max(0, Int(sf_readf_float(file, &samples, sf_count_t(frames)))) }
}

/// A range of a file's bytes, as a file of its own for libsndfile. One thread.
final class ByteWindow {
  private let bytes: FileBytes
  private let range: Range<Int>
  fileprivate let claimed: Int
  fileprivate private(set) var position = 0
  /// Of the tag that libmpg123 looks for at a file's end.
  private static let tag = 128

  /// - Parameter isGuessed: whether libsndfile guesses the sound's length by that of the file. Then the file's is overstated by so much
  ///   that the guess exceeds all there can be, because libsndfile reads no more than it guessed; reading ends where the bytes do.
  init(_ bytes: FileBytes, _ range: Range<Int>, isGuessed: Bool) {
    (self.bytes, self.range) = (bytes, range)
    // The first frame may have the highest rate, the others the lowest: 448 kbit/s and 8.
    claimed = isGuessed ? range.count * 64 + (1 << 20) : range.count
  }

  fileprivate func read(_ target: UnsafeMutableRawPointer, _ count: Int) -> Int {
    let wanted = UnsafeMutableRawBufferPointer(start: target, count: max(0, min(count, claimed - position)))
    var got = 0
    if position < range.count {
      got = bytes.copy(
        to: UnsafeMutableRawBufferPointer(rebasing: wanted.prefix(range.count - position)), from: range.lowerBound + position)
    } else if position >= claimed - Self.tag {
      wanted.initializeMemory(as: UInt8.self, repeating: 0)
      got = wanted.count
    }
    position += got
    return got
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
