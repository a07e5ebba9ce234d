import Foundation
import Testing

@testable import RealtimeCore

@Suite("Array in the capture path")
struct ArrayCaptureTests {
  private static let rate = 48_000

  /// Feeds an array, cycle by cycle. Those of `missing` have no buffer.
  private static func voice(
    _ microphones: [[Float]], of count: Int, quantum: Int, engine: EchoCanceller = .nearend, missing: Set<Int> = [],
    configure: (CaptureControls) -> Void = { _ in }
  ) throws -> (voice: [Float], latency: Int) {
    let controls = CaptureControls(), meters = SequenceLocked(CaptureMeters())
    configure(controls)
    var path = try CapturePath(
      engine: engine, rate: rate, maximumQuantum: quantum, controls: controls, meters: meters, microphones: count)
    var voice = [Float](repeating: .nan, count: microphones[0].count / quantum * quantum)
    for start in stride(from: 0, to: voice.count, by: quantum) {
      withPointers(microphones.map { Array($0[start..<start + quantum]) }) { pointers in
        let others = pointers.indices.dropFirst().map { missing.contains($0) ? nil : UnsafePointer<Float>?(pointers[$0]) }
        others.withUnsafeBufferPointer { others in
          voice.withUnsafeMutableBufferPointer { voice in
            path.process(
              microphone: pointers[0], reference: nil, right: nil, voice: voice.baseAddress! + start, frames: quantum,
              others: others.baseAddress, otherCount: others.count)
          }
        }
      }
    }
    return (voice, path.latency(quantum: quantum))
  }

  private static let microphones = ArrayRoom.sum(
    [
      ArrayRoom.hear(
        CaptureSignals.speech(seconds: 3, rate: rate, level: -26), delays: [4, 6, 8, 10], gains: [1, 0.5, 2, 1], seed: 3),
      (0..<4).map { CaptureSignals.noise(seconds: 3, rate: rate, level: -55, seed: UInt64(20 + $0)) },
    ], signs: [1, 1])

  @Test("V15: an array is no later than one microphone, at any quantum, and sounds alike", arguments: [64, 256, 480])
  func latency(quantum: Int) throws {
    let one = try Self.voice([Self.microphones[0]], of: 1, quantum: quantum),
      all = try Self.voice(Self.microphones, of: 4, quantum: quantum)
    #expect(all.latency == one.latency)
    let lag = CaptureSignals.lag(of: all.voice, behind: one.voice, in: -8...8, at: Self.rate, count: Self.rate)
    #expect(abs(lag) <= 1)
  }

  @Test("V15: a path of one microphone, WebRTC's engine, and one whose array is switched off hear the first one alone")
  func first() throws {
    let one = try Self.voice([Self.microphones[0]], of: 1, quantum: 256).voice
    let ignored = try Self.voice(Self.microphones, of: 1, quantum: 256).voice == one
    let off = try Self.voice(Self.microphones, of: 4, quantum: 256) { $0.isBeamformingEnabled = false }.voice == one
    #expect(ignored && off)
    let library = try Self.voice([Self.microphones[0]], of: 1, quantum: 480, engine: .webrtc).voice
    let alone = try Self.voice(Self.microphones, of: 4, quantum: 480, engine: .webrtc).voice == library
    #expect(alone)
  }

  @Test("V15: a microphone without a buffer, or of which nothing is given, is one that is dead")
  func missing() throws {
    let whole = try Self.voice(Self.microphones, of: 4, quantum: 256).voice
    for voice in [
      try Self.voice(Self.microphones, of: 4, quantum: 256, missing: [1, 3]).voice,
      try Self.voice(Array(Self.microphones[..<2]), of: 4, quantum: 256).voice,
    ] {
      let level = ArrayRoom.level(voice, 1..<2.9) - ArrayRoom.level(whole, 1..<2.9)
      #expect(abs(level) < 1.5)
    }
  }

  @Test("D1: all microphones are muted before processing")
  func mute() throws {
    let voice = try Self.voice(Self.microphones, of: 4, quantum: 256) { ($0.isMicrophoneMuted, $0.mutesInput) = (true, true) }.voice
    #expect(voice.allSatisfy { $0 == 0 })
  }
}
