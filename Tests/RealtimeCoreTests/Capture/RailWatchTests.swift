import Foundation
import Testing

@testable import RealtimeCore

@Suite("Capture path: rails of a clipping microphone")
struct RailWatchTests {
  private static let block = 256

  /// Marks all whole blocks of `samples`.
  private func marks(_ samples: [Float], _ watch: inout RailWatch) -> [Float] {
    var all: [Float] = []
    for start in stride(from: 0, to: samples.count / Self.block * Self.block, by: Self.block) {
      var marks = [Float](repeating: 9, count: Self.block)
      let isAny = samples.withUnsafeBufferPointer { watch.mark($0.baseAddress! + start, into: &marks) }
      // Without a mark, they may be left as they are.
      #expect(isAny ? marks.contains { $0 != 0 } : Set(marks).count == 1 && abs(marks[0]) != 1)
      all += isAny ? marks : [Float](repeating: 0, count: Self.block)
    }
    return all
  }

  private func tone(_ frequency: Double, level: Float, rate: Int = 48_000, seconds: Double = 0.5) -> [Float] {
    (0..<Int(seconds * Double(rate))).map { level * Float(sin(2 * .pi * frequency * Double($0) / Double(rate))) }
  }

  @Test(
    "V10: clipped samples are found, and no others, at any rail, and apart for each sign", arguments: [(1, -1), (0.5, -0.4), (0.9, -3)])
  func clipped(high: Float, low: Float) {
    let sound = tone(300, level: 2), heard = sound.map { max(low, min(high, $0)) }
    var watch = RailWatch(BlockTime(frames: Self.block, rate: 48_000))
    let marks = marks(heard, &watch)
    // The first clipped half waves tell where the rails are.
    for i in 960..<marks.count where abs(sound[i] - heard[i]) > 0.01 || sound[i] == heard[i] {
      let isNear = heard[i] > high * 0.999 || heard[i] < low * 0.999
      if sound[i] != heard[i] { #expect(marks[i] == (sound[i] > 0 ? 1 : -1), "sample \(i)") }
      if !isNear { #expect(marks[i] == 0, "sample \(i)") }
    }
  }

  @Test(
    "V10: a loud sound that is not clipped has no rails, not even a low tone in 16 bits", arguments: [50.0, 100, 440, 3_000],
    [16_000, 48_000, 96_000, 192_000])
  func unclipped(frequency: Double, rate: Int) {
    var watch = RailWatch(BlockTime(frames: Self.block, rate: rate))
    let sound = tone(frequency, level: 0.99, rate: rate).map { ($0 * 32_768).rounded() / 32_768 }
    #expect(!marks(sound, &watch).contains { $0 != 0 })
  }

  @Test("V10: the rail is forgotten where the microphone turns out to be louder, because its gain was changed")
  func gain() {
    var watch = RailWatch(BlockTime(frames: Self.block, rate: 48_000))
    _ = marks(tone(300, level: 1).map { max(-0.5, min(0.5, $0)) }, &watch)
    let louder = marks(tone(300, level: 0.8), &watch)
    #expect(!louder[Self.block...].contains { $0 != 0 })
  }

  @Test("V10: samples that are not finite are not marked")
  func notFinite() {
    var watch = RailWatch(BlockTime(frames: Self.block, rate: 48_000))
    var sound = tone(300, level: 0.9)
    for i in stride(from: 0, to: sound.count, by: 100) { sound[i] = [.nan, .infinity, -.infinity][i / 100 % 3] }
    let marks = marks(sound, &watch)
    #expect(!marks.enumerated().contains { $1 != 0 && sound[$0].isFinite })
  }
}
