import Foundation
import Platform
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

  @Test("X1: an MP3 that ends within its tag, its first or its second frame is refused as truncated, whether processed or played")
  func beginnings() throws {
    let data = try encode(isVariable: true)
    let places = places(data)
    let tag = Data("ID3\u{4}\0\0\0\0\u{1}\0".utf8) + Data(count: 128)
    for (bytes, words) in [
      (data.prefix(4), "within its first frame of MPEG audio"), (data.prefix(100), "within its first frame of MPEG audio"),
      (tag + data[places[1]..<places[1] + 50], "within its first frame of MPEG audio"), (tag.prefix(100), "within the tag"),
      (data[places[1]..<places[2] + 50], "within its second frame of MPEG audio"),
    ] {
      expectRefusal(Data(bytes), "case.mp3: it is truncated: it ends \(words)")
      #expect(throws: OfflineError.self) { try samplesPlayed(folder.file("case.mp3")) }
    }
    // libsndfile says of these that there is no file.
    for bytes in [Data("hello".utf8), data.prefix(1)] { expectRefusal(Data(bytes), "can read (Format not recognised.)") }
  }

  @Test("X1: an MP3 that declares more of its sound to be its encoder's than there is of it is refused, whether processed or played")
  func declaresNoSound() throws {
    var data = try encode(isVariable: true)
    data = Data(data[..<places(data)[4]])
    let declared = try #require(data.firstRange(of: Data("Xing".utf8)) ?? data.firstRange(of: Data("Info".utf8))).upperBound + 4
    data.replaceSubrange(declared..<declared + 4, with: [0, 0, 0, 3])
    // Twelve bits each: the delay at the beginning, and the padding at the end.
    let delay = try #require(data.firstRange(of: Data("LAME".utf8))).lowerBound + 21
    data.replaceSubrange(delay..<delay + 3, with: [0x7F, 0xF7, 0xFF])
    expectRefusal(data, "it holds no samples that can be decoded")
    do {
      let count = try samplesPlayed(folder.file("case.mp3"))
      Issue.record("\(count) samples are played")
    } catch { #expect("\(error)".contains("it holds no samples that can be decoded"), "\(error)") }
  }

  /// A WAV file that holds MPEG audio, as ffmpeg writes it.
  /// - Parameter delay: samples by which the fact chunk's number exceeds the sound's, or falls short of it.
  private func held(_ stream: Data, delay: Int = 0, size: Int? = nil) -> Data {
    func number(_ value: Int, _ width: Int) -> Data { Data((0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }) }
    let format = number(0x55, 2) + number(1, 2) + number(48_000, 4) + number(8_000, 4) + number(1, 2) + number(0, 2) + number(12, 2)
    let extra = number(1, 2) + number(2, 4) + number(1_152, 2) + number(1, 2) + number(1_393, 2)
    let fact = Data("fact".utf8) + number(4, 4) + number(2 * Self.seconds * 48_000 + delay, 4)
    let list = Data("LIST".utf8) + number(4, 4) + Data("INFO".utf8)
    let chunks =
      Data("fmt ".utf8) + number(30, 4) + format + extra + fact + Data("data".utf8) + number(size ?? stream.count, 4) + stream
      + Data(count: stream.count % 2) + list
    return Data("RIFF".utf8) + number(chunks.count + 4, 4) + Data("WAVE".utf8) + chunks
  }

  @Test("X1: MPEG audio in a WAV container is used whole, whatever a guess or another number says", arguments: [true, false])
  func held(isVariable: Bool) throws {
    let data = try encode(isVariable: isVariable)
    let places = places(data)
    let stream = Data(data[places[1]...])
    for delay in [-1_105, 0, 1_105, 100_000] {
      let wave = held(stream, delay: delay)
      #expect(try frames(wave) == (places.count - 1) * Self.block)
      #expect(try input(wave).notes() == [])
    }
    // With the encoder's declaration.
    #expect(try frames(held(data)) == 2 * Self.seconds * 48_000)
    // Joined within it, and the container joined.
    #expect(try frames(held(data + data)) >= 4 * Self.seconds * 48_000)
    #expect(try frames(held(stream) + held(stream)) == 2 * (places.count - 1) * Self.block)
    // Written into a pipe.
    let piped = held(stream, size: 0xFFFF_FFFF).dropLast(12)
    #expect(try frames(Data(piped)) == (places.count - 1) * Self.block)
    expectRefusal(Data(piped.dropLast(10)), "its last frame of MPEG audio is cut off")
    for count in [20, 1_000, stream.count / 2] { expectRefusal(held(stream).dropLast(count), "bytes of samples, and") }
    expectRefusal(held(Data(data[..<places[places.count / 2]])), "its header declares \(places.count - 1) frames of MPEG audio")
  }

  @Test("X1: an MP3 with a hole is refused where sound is missing for certain, and the place told in any case")
  func holes() throws {
    let data = try encode(isVariable: false)
    let places = places(data)
    let middle = places[places.count / 2]
    var damaged = data
    damaged.replaceSubrange(middle..<middle + 500, with: Data(count: 500))
    let next = try #require(places.first { $0 >= middle + 500 })
    let lost = places.filter { middle..<next ~= $0 }.count
    let place = "\(next - middle) bytes at byte \(middle) (\(fixed(Double(places.count / 2 - 1) * 0.024, 2)) s)"
    expectRefusal(
      damaged,
      "it is damaged: \(place) are no MPEG audio, and \(lost) of the \(places.count - 1) frames that its header declares are missing")
    expectRefusal(held(damaged), "it is damaged")
    // Without a declaration nobody knows what was there.
    let piped = Data(damaged[places[1]...])
    #expect(try frames(piped) >= (places.count - 2 - lost) * Self.block)
    #expect(try input(piped).notes().contains { $0.contains("are no MPEG audio; sound may be missing there") })
    #expect(try input(held(piped)).notes().contains { $0.contains("are no MPEG audio; sound may be missing there") })
    // Something that is no sound, between whole frames.
    let more = Data(data[..<middle] + Data(count: 300) + data[middle...])
    #expect(try frames(more) == 2 * Self.seconds * 48_000)
    #expect(try input(more).notes().contains { $0.contains("300 bytes at byte \(middle)") })
  }

  @Test("X1: damage within the frames of MPEG audio is told, and not in the decoder's words on standard error")
  func words() throws {
    let data = try encode(isVariable: true)
    let places = places(data)
    var damaged = Data(data[places[1]...])
    for place in places.dropFirst(3) where place % 3 == 0 {
      for byte in stride(from: place + 4, to: min(place + 90, data.count), by: 2) { damaged[byte - places[1]] = UInt8(byte * 37 % 256) }
    }
    let copy = dup(STDERR_FILENO)
    let seen = open(folder.file("errors"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    dup2(seen, STDERR_FILENO)
    defer { close(copy) }
    let told = Result {
      let input = try input(damaged)
      do { while try input.read(sides: 1).first != nil {} } catch {
        // What is decoded of it may be far too loud, too.
        return [String(describing: error)]
      }
      return input.notes()
    }
    fflush(nil)
    dup2(copy, STDERR_FILENO)
    close(seen)
    let text = try String(contentsOfFile: folder.file("errors"), encoding: .utf8)
    #expect(!text.contains("Note:") && !text.contains("error:") && !text.contains("mpg123"), "\(text)")
    let words = try told.get()
    #expect(words.contains { $0.contains("s on: not all of its sound can be decoded") || $0.contains("full scale") }, "\(words)")
  }
}
