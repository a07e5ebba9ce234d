import Foundation
import Testing

@testable import OfflineProcessing

@Suite("Channels of a file")
struct ChannelMixTests {
  private let folder: TestFolder
  private static let noise = TestSignals.noise(frames: 20_000)

  init() throws { folder = try TestFolder() }

  private func run(_ samples: [Float], channels: Int, channel: Int? = nil) throws -> (notes: [String], voice: [Float]) {
    var options = OfflineOptions(microphone: try folder.wave("mic.wav", samples, channels: channels), output: folder.file("out.wav"))
    options.settings = [.useVoiceProcessingIO: .bool(false)]
    options.channel = channel
    return (try OfflineProcessor(options).run().notes, try folder.samples("out.wav"))
  }

  @Test("S9: channels that cancel each other in the mix are told, with the option that helps; with it the voice is whole")
  func opposite() throws {
    let stereo = Self.noise.flatMap { [$0, -$0] }
    let mixed = try run(stereo, channels: 2)
    #expect(TestSignals.rms(mixed.voice) < 1e-3)
    #expect(mixed.notes.count == 1)
    let note = try #require(mixed.notes.first)
    #expect(note.contains("mic.wav: mixed to one, its 2 channels are more than 100 dB lower than channel 1 alone"), "\(note)")
    #expect(note.contains("they cancel each other; use that alone with --channel 1"), "\(note)")
    let second = try run(stereo, channels: 2, channel: 2)
    #expect(second.notes.isEmpty)
    #expect(second.voice == Self.noise.map { -$0 })
  }

  @Test("S9: a microphone on one of eight channels is told to be lowered by the silent ones")
  func silent() throws {
    let samples = Self.noise.flatMap { sample in (0..<8).map { $0 == 4 ? sample : 0 } }
    let mixed = try run(samples, channels: 8)
    let note = try #require(mixed.notes.first)
    #expect(note.contains("its 8 channels are 18.1 dB lower than channel 5 alone, because the others are nearly silent"), "\(note)")
    #expect(note.contains("--channel 5"), "\(note)")
    #expect(try run(samples, channels: 8, channel: 5).voice == Self.noise)
  }

  @Test("S9: nothing is told of two alike channels, of one silent one of two, or of silence")
  func ordinary() throws {
    #expect(try run(Self.noise.flatMap { [$0, $0] }, channels: 2).notes.isEmpty)
    #expect(try run(Self.noise.flatMap { [$0, 0] }, channels: 2).notes.isEmpty)
    #expect(try run(Array(repeating: 0, count: 40_000), channels: 2).notes.isEmpty)
  }

  @Test("S9: a channel that is not in the file is refused, with the number there is")
  func missing() throws {
    do {
      _ = try run(Self.noise, channels: 2, channel: 3)
      Issue.record("it was processed")
    } catch { #expect("\(error)".contains("there is no channel 3 in it: it has 2"), "\(error)") }
  }
}
