import Foundation
import Testing

@testable import OfflineProcessing

internal import SoundFileLibrary

@Suite("Bad input to process")
struct BadInputTests {
  private let folder: TestFolder
  private let good: String

  init() throws {
    folder = try TestFolder()
    good = try folder.wave("good.wav", TestSignals.noise(frames: 20_000))
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    var name: String
    var words: String
    var make: @Sendable (TestFolder) throws -> Void
    var testDescription: String { name }
  }

  private static let noise = TestSignals.noise(frames: 20_000)
  private static let withNaN: [Float] = noise.enumerated().map { $0 == 15_000 ? .nan : $1 }
  static let all = [
    Bad(name: "missing.wav", words: "No such file") { _ in },
    Bad(name: "truncated.wav", words: "declares 40000 bytes of samples, and 39000 are there") {
      try $0.wave("truncated.wav", noise, cut: 1_000)
    },
    Bad(name: "head.wav", words: "not a sound file") { try $0.wave("head.wav", noise, cut: 40_020) },
    Bad(name: "empty.wav", words: "holds no samples") { try $0.wave("empty.wav", []) },
    Bad(name: "nothing.wav", words: "it is empty") { try Data().write(to: URL(fileURLWithPath: $0.file("nothing.wav"))) },
    Bad(name: "text.wav", words: "not a sound file") { try Data("hello".utf8).write(to: URL(fileURLWithPath: $0.file("text.wav"))) },
    Bad(name: "zero.wav", words: "rate is 0 Hz") { try $0.wave("zero.wav", noise, rate: 0) },
    Bad(name: "many.wav", words: "33 channels") { try $0.wave("many.wav", Array(noise.prefix(9_900)), channels: 33) },
    Bad(name: "none.wav", words: "0 channels") { try $0.wave("none.wav", noise, channels: 0) },
    Bad(name: "nan.wav", words: "sample 15000 (0.312 s) of channel 1 is not a number") { try $0.wave("nan.wav", withNaN, isFloat: true) },
    Bad(name: "inf.wav", words: "is infinite") { try $0.wave("inf.wav", noise + [.infinity], isFloat: true) },
    Bad(name: "loud.wav", words: "full scale is 1") { try $0.wave("loud.wav", noise + [20_000], isFloat: true) },
    Bad(name: "cut.flac", words: "frames; to use what is there, convert it to WAV with another program first") {
      let bytes = try $0.sound("cut.flac", Int(SF_FORMAT_FLAC) | Int(SF_FORMAT_PCM_16), frames: 20_000)
      try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: $0.file("cut.flac")))
    },
    Bad(name: "head.flac", words: "none of its 20000 frames can be decoded; use another copy of it") {
      let bytes = try $0.sound("head.flac", Int(SF_FORMAT_FLAC) | Int(SF_FORMAT_PCM_16), frames: 20_000)
      try bytes.prefix(100).write(to: URL(fileURLWithPath: $0.file("head.flac")))
    },
    Bad(name: "folder.wav", words: "regular file") {
      try FileManager.default.createDirectory(atPath: $0.file("folder.wav"), withIntermediateDirectories: false)
    },
  ]

  @Test("S9: an input that cannot be processed is named, with the reason, and no output is left", arguments: all)
  func input(_ bad: Bad) throws {
    try bad.make(folder)
    let before = try folder.names()
    for isMicrophone in [true, false] {
      let path = folder.file(bad.name)
      let options = OfflineOptions(
        microphone: isMicrophone ? path : good, farEnd: isMicrophone ? good : path, output: folder.file("out.wav"))
      do {
        _ = try OfflineProcessor(options).run()
        Issue.record("it was processed")
      } catch {
        guard case .input(let file, let reason) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(file == path)
        #expect(reason.contains(bad.words), "\(reason)")
      }
      #expect(try folder.names() == before)
    }
    do {
      let count = try samplesPlayed(folder.file(bad.name))
      Issue.record("\(count) samples of it were played")
    } catch { #expect("\(error)".contains(bad.words), "\(error)") }
  }

  @Test("S9: an output that cannot be written is named, with the reason, and nothing is changed")
  func output() throws {
    try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: folder.file("link.wav"), withDestinationPath: good)
    let content = try Data(contentsOf: URL(fileURLWithPath: good))
    let before = try folder.names()
    for (output, words) in [
      ("folder", "it is a folder"), ("no/such/out.wav", "No such file"), ("good.wav", "it is the input"), ("link.wav", "it is the input"),
    ] {
      for isPlot in [false, true] {
        var options = OfflineOptions(microphone: good, output: folder.file(isPlot ? "out.wav" : output))
        options.plot = isPlot ? folder.file(output) : nil
        do {
          _ = try OfflineProcessor(options).run()
          Issue.record("\(output) was written")
        } catch {
          guard case .output(let file, let reason) = error else {
            Issue.record("\(error)")
            continue
          }
          #expect(file == folder.file(output))
          #expect(reason.contains(words), "\(reason)")
        }
        #expect(try folder.names() == before)
      }
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: good)) == content)
    var options = OfflineOptions(microphone: good, output: "/dev/full")
    #expect(throws: OfflineError.output(file: "/dev/full", reason: "it is not a regular file")) { try OfflineProcessor(options).run() }
    options.output = folder.file("out.wav")
    options.plot = options.output
    #expect(throws: OfflineError.output(file: options.output, reason: "it is the output; give another name")) {
      try OfflineProcessor(options)
    }
  }

  @Test("S9: a header that could not know the length, as of a file written into a pipe, is read to the file's end")
  func unknownLength() throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: good))
    for offset in [4, 40] { data.replaceSubrange(offset..<offset + 4, with: [255, 255, 255, 255]) }
    try data.write(to: URL(fileURLWithPath: folder.file("pipe.wav")))
    _ = try OfflineProcessor(OfflineOptions(microphone: folder.file("pipe.wav"), output: folder.file("out.wav"))).run()
    #expect(try SoundInput(path: folder.file("out.wav")).length == 20_000)
  }

  @Test("S9: the output replaces a file whole, keeps its permissions, and is written through a link")
  func replaces() throws {
    try Data("old".utf8).write(to: URL(fileURLWithPath: folder.file("real.wav")))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.file("real.wav"))
    try FileManager.default.createSymbolicLink(atPath: folder.file("link.wav"), withDestinationPath: folder.file("real.wav"))
    _ = try OfflineProcessor(OfflineOptions(microphone: good, output: folder.file("link.wav"))).run()
    #expect(try SoundInput(path: folder.file("real.wav")).length == 20_000)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("real.wav"))
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file("link.wav")) == folder.file("real.wav"))
    #expect(try folder.names() == ["good.wav", "link.wav", "real.wav"])
  }
}
