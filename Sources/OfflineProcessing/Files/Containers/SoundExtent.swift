import Platform

/// How far a sound file reaches within the bytes of a file, and what its container declares of its samples beside what is there:
/// libsndfile reads a truncated file as far as it goes, which would pass for a whole recording.
struct SoundExtent: Equatable {
  /// What the container tells of its end.
  enum Evidence: Equatable {
    /// All that it declares is there, or libsndfile itself notices what is missing.
    case whole
    /// Less than it declares is there; in words.
    case truncated(String)
    /// Sound is missing in the middle; in words.
    case damaged(String)
    /// It declares nothing, as a program that writes into a pipe cannot.
    case untold
    /// MPEG audio that declares no length, or a wrong one: libsndfile's number is a guess. The frames that decoding all of it gives;
    /// nil if that is unknown.
    case counted(Int?)
    /// MPEG audio in a container that tells its bytes, all of which are there: the frames that decoding gives.
    case held(Int)
  }

  /// Bytes in the middle that are no sound, which decoders leave out.
  struct Gap: Equatable {
    let bytes: Range<Int>
    /// The sound before it, in seconds.
    let second: Double

    /// For people: how many, and where.
    var words: String { "\(bytes.count) bytes at byte \(bytes.lowerBound) (\(fixed(second, 2)) s)" }
  }

  /// The first byte that is no longer its.
  var end: Int
  var evidence: Evidence
  /// Bytes at the beginning to leave out, such as of a header with a wrong length.
  var lead = 0
  /// Bytes at the end to leave out, such as of what a container holds behind the sound.
  var tail = 0
  /// In the file's order, of what is left then.
  var gaps: [Gap] = []
  /// In Hz, where the header is simple enough to tell.
  var rate: Int?
  var channels: Int?

  /// Recognizes the sound file that begins at `start`; nil if no reader here knows it.
  static func find(in file: FileBytes, at start: Int) -> SoundExtent? {
    for find in readers { if let extent = find(file, start) { return extent } }
    return nil
  }

  private static var readers: [(FileBytes, Int) -> SoundExtent?] {
    [
      RIFFExtent.find, Wave64Extent.find, IFFExtent.find, CAFExtent.find, FLACExtent.find, OggExtent.find, AUExtent.find,
      NISTExtent.find, VOCExtent.find, AVRExtent.find, PsionExtent.find, AkaiExtent.find, SampleDumpExtent.find, Matlab4Extent.find,
      Matlab5Extent.find, InstrumentExtent.find, HTKExtent.find, UntoldExtent.find,
    ]
  }

  /// The extent of samples of a declared size that begin at `samples`.
  static func ofSamples(_ file: FileBytes, from samples: Int, declared: Int, until end: Int? = nil) -> SoundExtent {
    let there = max(0, file.count - samples)
    guard declared > there else { return SoundExtent(end: min(file.count, max(end ?? 0, samples + declared)), evidence: .whole) }
    return SoundExtent(end: file.count, evidence: .truncated(shortage(declared, there)))
  }

  /// Makes it that of a container which begins at `start` and holds a stream in `range`.
  mutating func hold(_ stream: SoundExtent, _ range: Range<Int>, from start: Int) {
    evidence = stream.evidence
    lead = range.lowerBound - start + stream.lead
    tail = max(0, end - range.upperBound)
    gaps = stream.gaps
  }

  static func shortage(_ declared: Int, _ there: Int) -> String {
    "its header declares \(declared) bytes of samples, and \(there) are there"
  }

  /// An extent to the file's end, or to where the same header stands again: a file of the same kind was appended.
  static func untold(_ file: FileBytes, from start: Int, header: Int = 16) -> SoundExtent {
    let pattern = file.bytes(start, header)
    let next = pattern.count == header ? file.first(pattern, from: start + header) : nil
    return SoundExtent(end: next ?? file.count, evidence: .untold)
  }

  /// Whether a size of 32 bits is what programs write that do not know it: 0, the largest number, or one near 2 GiB.
  static func isUnknown(_ size: Int, there: Int) -> Bool {
    if size == 0 { return there > 0 }
    return size > there && (0x7F00_0000...0x8000_0000 ~= size || size >= 0xFFFF_FF00)
  }
}
