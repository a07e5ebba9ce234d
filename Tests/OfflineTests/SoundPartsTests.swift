import Foundation
import Testing

@testable import OfflineProcessing

internal import SoundFileLibrary

/// Files whose end is missing, and files that were joined, in every container that libsndfile writes.
@Suite("Parts of sound files")
struct SoundPartsTests {
  private static let frames = 20_000
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  struct Kind: Sendable, CustomTestStringConvertible {
    var name: String
    var format: Int
    var testDescription: String { name }
    /// Whether the container declares how long it is.
    var tells: Bool { !["paf", "pvf", "ircam", "xi"].contains(name) }
  }

  static let kinds: [Kind] = {
    typealias Names = (String, UInt32, UInt32)
    let pcm = UInt32(SF_FORMAT_PCM_16)
    let all: [Names] = [
      ("wav", UInt32(SF_FORMAT_WAV), pcm), ("adpcm", UInt32(SF_FORMAT_WAV), UInt32(SF_FORMAT_IMA_ADPCM)),
      ("wavex", UInt32(SF_FORMAT_WAVEX), pcm), ("rf64", UInt32(SF_FORMAT_RF64), pcm), ("w64", UInt32(SF_FORMAT_W64), pcm),
      ("aiff", UInt32(SF_FORMAT_AIFF), pcm), ("aifc", UInt32(SF_FORMAT_AIFF), UInt32(SF_FORMAT_FLOAT)),
      ("svx", UInt32(SF_FORMAT_SVX), pcm), ("au", UInt32(SF_FORMAT_AU), pcm), ("caf", UInt32(SF_FORMAT_CAF), pcm),
      ("alac", UInt32(SF_FORMAT_CAF), UInt32(SF_FORMAT_ALAC_16)), ("flac", UInt32(SF_FORMAT_FLAC), pcm),
      ("vorbis", UInt32(SF_FORMAT_OGG), UInt32(SF_FORMAT_VORBIS)), ("opus", UInt32(SF_FORMAT_OGG), UInt32(SF_FORMAT_OPUS)),
      ("mp3", UInt32(SF_FORMAT_MPEG), UInt32(SF_FORMAT_MPEG_LAYER_III)), ("nist", UInt32(SF_FORMAT_NIST), pcm),
      ("voc", UInt32(SF_FORMAT_VOC), pcm), ("avr", UInt32(SF_FORMAT_AVR), pcm), ("mat4", UInt32(SF_FORMAT_MAT4), pcm),
      ("mat5", UInt32(SF_FORMAT_MAT5), pcm), ("mpc2k", UInt32(SF_FORMAT_MPC2K), pcm), ("sds", UInt32(SF_FORMAT_SDS), pcm),
      ("xi", UInt32(SF_FORMAT_XI), UInt32(SF_FORMAT_DPCM_16)), ("htk", UInt32(SF_FORMAT_HTK), pcm),
      ("paf", UInt32(SF_FORMAT_PAF), pcm), ("pvf", UInt32(SF_FORMAT_PVF), pcm), ("ircam", UInt32(SF_FORMAT_IRCAM), pcm),
    ]
    return all.map { Kind(name: $0.0, format: Int($0.1 | $0.2)) }
  }()

  private func write(_ kind: Kind, frames: Int = Self.frames) throws -> Data {
    try folder.sound("new.\(kind.name)", kind.format, frames: frames)
  }

  private func processed(_ data: Data) throws -> (frames: Int, notes: [String]) {
    let path = folder.file("case")
    try data.write(to: URL(fileURLWithPath: path))
    var options = OfflineOptions(microphone: path, output: folder.file("out.wav"))
    options.settings = [.useVoiceProcessingIO: .bool(false)]
    let notes = try OfflineProcessor(options).run().notes
    return (try SoundInput(path: options.output).length, notes)
  }

  private func played(_ data: Data) throws -> Int {
    let path = folder.file("case")
    try data.write(to: URL(fileURLWithPath: path))
    return try samplesPlayed(path)
  }

  @Test("X1 S9: a whole file is used to its end, without a remark if its container tells its length", arguments: kinds)
  func whole(_ kind: Kind) throws {
    let data = try write(kind)
    let result = try processed(data)
    // Some kinds pad to a whole block.
    #expect(Self.frames...Self.frames + 2_048 ~= result.frames)
    #expect(try played(data) == result.frames)
    #expect(result.notes.isEmpty == kind.tells, "\(result.notes)")
  }

  @Test("X1 S9: a file whose end is missing is refused as truncated, or told to tell no length", arguments: kinds)
  func truncated(_ kind: Kind) throws {
    let data = try write(kind)
    for share in [0.3, 0.5, 0.9, 0.98] {
      let cut = data.prefix(Int(Double(data.count) * share))
      for isPlayed in [false, true] {
        do {
          let result = isPlayed ? (try played(cut), []) : try processed(cut)
          #expect(!kind.tells, "\(result) of \(share)")
          #expect(isPlayed || result.1.contains { $0.contains("does not tell its length") }, "\(result)")
        } catch let error as OfflineError {
          guard case .input = error else {
            Issue.record("\(error)")
            continue
          }
          let words = ["truncated", "ends after", "not a sound file", "holds no samples"]
          #expect(words.contains { "\(error)".contains($0) }, "\(error)")
        }
      }
    }
  }

  @Test("X1 S9: files that were joined are used one after another, or refused", arguments: kinds)
  func joined(_ kind: Kind) throws {
    let (first, second) = (try write(kind), try write(kind, frames: 9_000))
    let parts = [try processed(first).frames, try processed(second).frames]
    if kind.name == "htk" {
      #expect(throws: OfflineError.self) { try processed(first + second) }
      return
    }
    let result = try processed(first + second + first)
    #expect(result.frames == parts[0] + parts[1] + parts[0])
    #expect(result.notes.contains { $0.contains("3 files that were joined") }, "\(result.notes)")
    #expect(try played(first + second + first) == result.frames)
  }

  static let openKinds = kinds.filter { $0.tells && $0.name != "htk" }

  @Test("X1 S9: what stands behind the end that a file declares is told, and not used", arguments: openKinds)
  func unused(_ kind: Kind) throws {
    let data = try write(kind)
    let rest = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 167) })
    let (plain, result) = (try processed(data), try processed(data + rest))
    #expect(result.frames == plain.frames)
    // FLAC declares samples, not bytes.
    let isTold = result.notes.contains { $0.contains("goes on for 5000 bytes behind the end that it declares") }
    #expect(isTold == (kind.name != "flac"), "\(result.notes)")
    #expect(try played(data + rest) == result.frames)
  }

  @Test("X1 S9: a chunk behind the samples of a Wave64 is none of them")
  func chunkBehindSamples() throws {
    var data = try write(try #require(Self.kinds.first { $0.name == "w64" }))
    let frames = try processed(data).frames
    let body = Data(repeating: 0x55, count: 4_096)
    data += Data("bext".utf8) + Data(count: 12) + withUnsafeBytes(of: UInt64(24 + body.count).littleEndian) { Data($0) } + body
    data.replaceSubrange(16..<24, with: withUnsafeBytes(of: UInt64(data.count).littleEndian) { Data($0) })
    let result = try processed(data)
    #expect(result.frames == frames && result.notes.isEmpty, "\(result)")
    #expect(try played(data) == frames)
  }

  @Test("X1 S9: joined files of different rates are refused, with the place")
  func joinedRates() throws {
    let data = try write(Self.kinds[0])
    let other = try Data(contentsOf: URL(fileURLWithPath: folder.wave("other.wav", TestSignals.noise(frames: 900), rate: 44_100)))
    do {
      _ = try processed(data + other)
      Issue.record("it was processed")
    } catch {
      #expect("\(error)".contains("at byte \(data.count) has 44100 Hz"), "\(error)")
    }
  }
}
