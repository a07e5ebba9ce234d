import Foundation
import SessionModel
import Testing

@testable import OfflineProcessing

@Suite("Channels of a file")
struct ChannelTests {
  private let folder: TestFolder
  private static let noise = TestSignals.noise(frames: 20_000)

  init() throws { folder = try TestFolder() }

  private func run(
    _ samples: [Float], channels: Int, using choice: String = "auto", far: [Float]? = nil
  ) throws -> (notes: [String], voice: [Float]) {
    var options = OfflineOptions(
      microphone: try folder.wave("mic.wav", samples, channels: channels),
      farEnd: try far.map { try folder.wave("far.wav", $0, channels: 4) }, output: folder.file("out.wav"))
    options.settings = [.useVoiceProcessingIO: .bool(false), .microphoneChannels: .string(choice)]
    return (try OfflineProcessor(options).run().notes, try folder.samples("out.wav"))
  }

  @Test("S9, V15: channels that would cancel each other do not, which is told; their mean is heard where it is asked for")
  func opposite() throws {
    let stereo = Self.noise.flatMap { [$0, -$0] }
    let auto = try run(stereo, channels: 2)
    #expect(auto.voice[4_800...].elementsEqual(Self.noise[4_800...]))
    #expect(auto.notes.count == 1)
    let note = try #require(auto.notes.first)
    #expect(note.hasSuffix("mic.wav: channels left out at its end: 2 (in opposite phase)"), "\(note)")
    let mean = try run(stereo, channels: 2, using: "mean")
    #expect(mean.notes.isEmpty && mean.voice.allSatisfy { $0 == 0 })
  }

  @Test("S9, V15: a microphone on one of eight channels is as loud as on that one alone, and the silent ones are told")
  func silent() throws {
    let samples = Self.noise.flatMap { sample in (0..<8).map { $0 == 4 ? sample : 0 } }
    let auto = try run(samples, channels: 8)
    #expect(auto.voice[4_800...].elementsEqual(Self.noise[4_800...]))
    #expect(auto.notes.first?.hasSuffix("channels left out at its end: 1, 2, 3, 4, 6, 7, 8 (silent)") == true, "\(auto.notes)")
    #expect(try run(samples, channels: 8, using: "5").voice == Self.noise)
    #expect(try run(samples, channels: 8, using: "5").notes.isEmpty)
  }

  /// Processes a file of two channels and a silent one between them, of which each is wanted apart; returns the voice's channels.
  private func apart(_ settings: [Setting: EventValue], rate: Int = 48_000) throws -> [[Float]] {
    let samples = Self.noise.indices.flatMap { frame -> [Float] in [Self.noise[frame], 0, Self.noise[max(0, frame - 5)]] }
    var options = OfflineOptions(
      microphone: try folder.wave("mic.wav", samples, rate: rate, channels: 3), output: folder.file("out.wav"))
    options.settings = settings.merging([.microphoneChannels: .string("each")]) { $1 }
    _ = try OfflineProcessor(options).run()
    let input = try SoundInput(path: folder.file("out.wav"))
    var sides = [[Float]](repeating: [], count: input.channelCount)
    while case let part = try input.read(sides: input.channelCount), !part.isEmpty {
      for side in sides.indices { sides[side] += part[side] }
    }
    return sides
  }

  @Test("S9, V16: each of a file's channels that work becomes a side of a stereo file, with voice processing off and in wide spectrum")
  func stereo() throws {
    let raw = try apart([.useVoiceProcessingIO: .bool(false)])
    let second = Self.noise.indices.map { Self.noise[max(0, $0 - 5)] }
    #expect(raw.count == 2 && raw.allSatisfy { $0.count == Self.noise.count })
    let isSame = raw[0][4_800...] == Self.noise[4_800...] && raw[1][4_800...] == second[4_800...]
    #expect(isSame)
    let wide = try apart([.micMode: .string("wideSpectrum"), .bypassVoiceProcessing: .bool(true)])
    let isSameWide = wide.count == 2 && wide[0][4_800...] == Self.noise[4_800...] && wide[1][4_800...] == second[4_800...]
    #expect(isSameWide)
    let converted = try apart([.useVoiceProcessingIO: .bool(false)], rate: 8_000)
    #expect(converted.count == 2 && converted.allSatisfy { $0.count == Self.noise.count } && converted[0] != converted[1])
    #expect(try apart([:]).count == 1, "the mode standard is mono")
  }

  @Test("S9, V16: a voice of two channels is asked for by number, and refused where microphone or mode has but one")
  func counted() throws {
    let both = Self.noise.indices.flatMap { [Self.noise[$0], Self.noise[max(0, $0 - 5)]] }
    var options = OfflineOptions(microphone: try folder.wave("both.wav", both, channels: 2), output: folder.file("out.wav"))
    options.channelCount = 2
    options.settings = [.useVoiceProcessingIO: .bool(false)]
    _ = try OfflineProcessor(options).run()
    #expect(try SoundInput(path: folder.file("out.wav")).channelCount == 2)
    options.settings = [.micMode: .string("wideSpectrum")]
    _ = try OfflineProcessor(options).run()
    #expect(try SoundInput(path: folder.file("out.wav")).channelCount == 2)
    options.settings = [:]
    #expect(throws: OfflineError.self) { try OfflineProcessor(options) }
    options.settings = [.useVoiceProcessingIO: .bool(false)]
    options.microphone = try folder.wave("one.wav", Self.noise, channels: 1)
    #expect(throws: OfflineError.self) { try OfflineProcessor(options) }
    options.channelCount = 3
    #expect(throws: OfflineError.self) { try OfflineProcessor(options) }
  }

  @Test("S9: nothing is told of two alike channels, or of silence")
  func ordinary() throws {
    #expect(try run(Self.noise.flatMap { [$0, $0] }, channels: 2) == ([], Self.noise))
    #expect(try run(Array(repeating: 0, count: 40_000), channels: 2).notes.isEmpty)
  }

  @Test("S9: a far end of four channels is mixed; where they cancel each other, that is told")
  func farEnd() throws {
    let far = Self.noise.flatMap { [$0, -$0, $0, -$0] }
    let notes = try run(Self.noise, channels: 1, far: far).notes
    let note = try #require(notes.first { $0.contains("far.wav") })
    #expect(note.contains("mixed to one, its 4 channels are more than 100 dB lower than channel 1 alone"), "\(note)")
    #expect(note.contains("they cancel each other"), "\(note)")
  }

  @Test("S9: a channel that is not in the file is refused, with the number there is")
  func missing() throws {
    do {
      _ = try run(Self.noise, channels: 2, using: "1,3")
      Issue.record("it was processed")
    } catch { #expect("\(error)".contains("there is no channel 3 in it: it has 2"), "\(error)") }
  }
}
