import Foundation
import SimulatedHardware

/// How a side heard itself and the other side in one recording.
struct Figures {
  /// dB by which its own voice comes back below what it sent, while it alone talks.
  var echo: Double
  /// The median of `echo` over seconds: one lost cycle spoils a single second, a diverged canceller many.
  var typical: Double
  /// `echo` in the second in which it was loudest, and the time of that in seconds since the epoch.
  var loudest: (echo: Double, time: Double)
  /// dBFS of the other's voice at its speaker while the other alone talks, and of that voice as it was sent.
  var heard: Double
  var sent: Double
  /// dBFS at its speaker while nobody talks.
  var silence: Double
  /// Milliseconds from the other's microphone path to its speaker, and the correlation of the two, −1…1: medians over seconds.
  var delay: Double
  var likeness: Double

  /// Seconds left out around a change of talkers: for the round trip, and for the canceller's convergence.
  private static let guardTime = 1.0

  init(of name: String, _ own: Side.Recording, other: Side.Recording) throws {
    let peer = name == "a" ? "b" : "a"
    let (speaker, voice) = (Track(own.speaker, own.begin), Track(own.voice, own.begin))
    let far = Track(other.voice, other.begin)
    let span = max(own.begin, other.begin) + 1..<min(speaker.end, far.end) - 1
    func talks(_ name: String, _ time: Double) -> Bool {
      let times = stride(from: time - Self.guardTime, through: time + 0.2, by: 0.1)
      return times.contains { Side.talk(of: name, at: $0) != nil }
    }
    // Also before it, so that the piece contains speech, not the pause that precedes it.
    func isSteady(_ name: String, _ time: Double) -> Bool {
      Side.talk(of: name, at: time - Self.guardTime) != nil && Side.talk(of: name, at: time + 0.2) != nil
    }
    let pieces = stride(from: span.lowerBound, to: span.upperBound - 0.1, by: 0.1)
    let alone = pieces.filter { isSteady(name, $0) && !talks(peer, $0) }
    let listening = pieces.filter { isSteady(peer, $0) && !talks(name, $0) }
    let quiet = pieces.filter { !talks(name, $0) && !talks(peer, $0) }
    guard alone.count >= 20, listening.count >= 20 else {
      throw Failure("side \(name): \(alone.count) and \(listening.count) tenths of a second in which one alone talks are too few")
    }
    echo = voice.level(at: alone) - speaker.level(at: alone)
    let sentLevel = voice.level(at: alone)
    let seconds = Dictionary(grouping: alone) { Int($0) }.mapValues { sentLevel - speaker.level(at: $0) }
    loudest = seconds.min { $0.value < $1.value }.map { ($0.value, Double($0.key)) } ?? (echo, 0)
    typical = seconds.values.sorted()[seconds.count / 2]
    heard = speaker.level(at: listening)
    sent = far.level(at: listening)
    silence = quiet.isEmpty ? -.infinity : speaker.level(at: quiet)
    // Second by second, each with its own delay: steering shifts it by some samples a second.
    let lags = stride(from: 0, to: listening.count, by: 10).compactMap { index -> Measures.Lag? in
      let begin = listening[index]
      let reference = far.samples(from: begin, seconds: 1)
      guard Measures.level(reference) > -40 else { return nil }
      return Measures.lag(of: speaker.samples(from: begin, seconds: 1.6), after: reference, most: 28_800)
    }
    let middle = lags.sorted { $0.frames < $1.frames }.dropFirst(lags.count / 2).first
    delay = Double(middle?.frames ?? 0) / 48
    likeness = lags.map(\.correlation).sorted().dropFirst(lags.count / 2).first ?? 0
  }

  /// A recording with its time of beginning.
  private struct Track {
    let begin: Double
    private let all: [Float]

    init(_ path: String, _ begin: Double) {
      let data = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
      all = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
      self.begin = begin
    }

    var end: Double { begin + Double(all.count) / 48_000 }

    func samples(from time: Double, seconds: Double) -> [Float] {
      let first = max(0, min(all.count, Int((time - begin) * 48_000)))
      return Array(all[first..<min(all.count, first + Int(seconds * 48_000))])
    }

    /// Returns the level of the pieces of 0.1 s at these times, together.
    func level(at times: [Double]) -> Double {
      let powers = times.map { Measures.power(samples(from: $0, seconds: 0.1)) }
      return 10 * log10(max(1e-13, powers.reduce(0, +) / Double(max(1, powers.count))))
    }
  }
}
