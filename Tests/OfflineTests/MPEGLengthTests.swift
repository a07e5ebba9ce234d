import Foundation
import Testing

@testable import OfflineProcessing

internal import SoundFileLibrary

/// MP3 with and without its encoder's declaration of the length (Xing, Info).
@Suite("Length of MPEG audio")
struct MPEGLengthTests {
  private let folder: TestFolder
  /// Frames of sound in a frame of MPEG-1, layer III.
  private static let block = 1_152
  /// Seconds of noise after as many of near silence: at a variable bit rate, the first frames are small.
  private static let seconds = 3

  init() throws { folder = try TestFolder() }

  /// - Parameter isVariable: whether the bit rate varies.
  private func encode(isVariable: Bool) throws -> Data {
    let path = folder.file("new.mp3")
    var info = SF_INFO()
    (info.samplerate, info.channels, info.format) = (48_000, 1, Int32(SF_FORMAT_MPEG) | Int32(SF_FORMAT_MPEG_LAYER_III))
    let file = try #require(sf_open(path, Int32(SFM_WRITE), &info))
    var mode = Int32(isVariable ? SF_BITRATE_MODE_VARIABLE : SF_BITRATE_MODE_CONSTANT)
    sf_command(file, Int32(SFC_SET_BITRATE_MODE), &mode, Int32(MemoryLayout<Int32>.size))
    let noise = TestSignals.noise(frames: 48_000 * Self.seconds)
    for samples in [noise, noise.map { $0 * 0.001 }] { sf_writef_float(file, samples, sf_count_t(samples.count)) }
    sf_close(file)
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// The places of the frames of 48 kHz.
  private func places(_ data: Data) -> [Int] {
    let rates = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    var (places, place) = ([Int](), 0)
    while place + 4 <= data.count, data[place] == 0xFF {
      places.append(place)
      place += 3 * rates[Int(data[place + 2] >> 4)] + Int(data[place + 2] >> 1 & 1)
    }
    return places
  }

  private func input(_ data: Data) throws -> SoundInput {
    let path = folder.file("case.mp3")
    try data.write(to: URL(fileURLWithPath: path))
    return try SoundInput(path: path)
  }

  private func frames(_ data: Data) throws -> Int {
    let input = try input(data)
    var count = 0
    while let part = try input.read(sides: 1).first { count += part.count }
    #expect(count == input.length)
    return count
  }

  private func expectRefusal(_ data: Data, _ words: String) {
    do {
      let frames = try frames(data)
      Issue.record("\(frames) frames were taken")
    } catch { #expect("\(error)".contains(words), "\(error)") }
  }

  @Test("X1: an MP3 without a declared length is used to its last frame, whatever its first one lets guess", arguments: [true, false])
  func undeclared(isVariable: Bool) throws {
    let data = try encode(isVariable: isVariable)
    let places = places(data)
    #expect((Set(zip(places.dropFirst(), places).map { $0 - $1 }).count > 3) == isVariable)
    // Without the encoder's declaration, as of an encoder that wrote into a pipe.
    let piped = data[places[1]...]
    #expect(try frames(Data(piped)) == (places.count - 1) * Self.block)
    #expect(try input(Data(piped)).notes().contains { $0.contains("does not tell its length") })
    // With tags around.
    let tag = Data("ID3\u{4}\0\0\0\0\0\u{A}".utf8) + Data(count: 10)
    let tagged = tag + piped + Data("TAG".utf8) + Data(count: 125)
    #expect(try frames(tagged) == (places.count - 1) * Self.block)
    #expect(try frames(tagged + tagged) == 2 * (places.count - 1) * Self.block)
    expectRefusal(Data(piped.dropLast(10)), "its last frame of MPEG audio is cut off")
  }

  @Test("X1: an MP3 that declares its length is used whole without its encoder's padding, and refused if frames are missing")
  func declared() throws {
    let data = try encode(isVariable: true)
    let places = places(data)
    #expect(try frames(data) == 2 * Self.seconds * 48_000)
    #expect(try input(data).notes() == [])
    for count in [1, 10, places.count / 2] {
      expectRefusal(Data(data[..<places[places.count - count]]), "its header declares \(places.count - 1) frames of MPEG audio")
    }
    // An encoder that counts its declaration, too, and one that has counted too few.
    let count = try #require(data.firstRange(of: Data("Xing".utf8)) ?? data.firstRange(of: Data("Info".utf8))).upperBound + 4
    for error in [1, -5] {
      var wrong = data
      let number = UInt32(places.count - 1 + error)
      wrong.replaceSubrange(count..<count + 4, with: withUnsafeBytes(of: number.bigEndian) { Data($0) })
      #expect(try frames(wrong) == (places.count - 1) * Self.block)
    }
    // Appended without a declaration of its own: the first one's is wrong then.
    let more = Data(data + data[places[1]...])
    #expect(try frames(more) == 2 * (places.count - 1) * Self.block)
    #expect(try frames(data + data) == 4 * Self.seconds * 48_000)
  }
}
