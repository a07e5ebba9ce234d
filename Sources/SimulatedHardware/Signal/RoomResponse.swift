internal import Glibc

/// The impulse response from a loudspeaker to a microphone in a small office: direct sound and early reflections by image sources (Allen
/// and Berkley 1979), followed by a noise tail that decays by 60 dB in `reverberation` seconds.
package struct RoomResponse: Sendable {
  /// Metres from a reference, on a table.
  typealias Place = (x: Double, y: Double)

  /// Frames per second.
  package let rate: Int
  /// One sample per frame, starting at the loudspeaker's sample.
  package let taps: [Float]

  private static let speedOfSound = 343.0
  /// In metres.
  private static let size = (4.2, 5.1, 2.6)
  private static let reflection = 0.8
  /// The time in seconds at which the tail replaces the image sources.
  private static let mixing = 0.03

  /// - Parameters:
  ///   - seconds: length of the response.
  ///   - distance: from loudspeaker to microphone, in metres. Not every canceller cancels an echo path under 2 ms; 0.75 m take 2.2 ms.
  ///   - seed: determines the room.
  package init(rate: Int = 48_000, seconds: Double = 0.25, distance: Double = 0.75, reverberation: Double = 0.28, seed: UInt64 = 1) {
    self.init(rate: rate, seconds: seconds, distance: distance, reverberation: reverberation, seed: seed, place: (0, 0))
  }

  /// The response at another place than the first microphone's, whose reverberation is another.
  init(
    rate: Int, seconds: Double = 0.25, distance: Double = 0.75, reverberation: Double = 0.28, seed: UInt64, place: Place, number: Int = 0
  ) {
    self.rate = rate
    var generator = SeededGenerator(seed: seed)
    let count = Int(seconds * Double(rate))
    var taps = [Double](repeating: 0, count: count)
    let microphone = (generator.uniform(1.2...2.2), generator.uniform(1.5...3.0), generator.uniform(0.8...1.2))
    let angle = generator.uniform(0...(2 * .pi))
    let loudspeaker = (microphone.0 + distance * cos(angle), microphone.1 + distance * sin(angle), microphone.2)
    if number > 0 { generator = SeededGenerator(seed: seed &+ UInt64(number) << 32) }

    let order = -3...3
    for (x, y, z) in order.flatMap({ x in order.flatMap { y in order.map { (x, y, $0) } } }) {
      let dx = Self.image(of: loudspeaker.0, in: Self.size.0, x) - microphone.0 - place.x
      let dy = Self.image(of: loudspeaker.1, in: Self.size.1, y) - microphone.1 - place.y
      let dz = Self.image(of: loudspeaker.2, in: Self.size.2, z) - microphone.2
      let path = (dx * dx + dy * dy + dz * dz).squareRoot()
      let time = path / Self.speedOfSound
      let tap = Int((time * Double(rate)).rounded(.up))
      guard time < Self.mixing, tap < count else { continue }
      taps[tap] += pow(Self.reflection, Double(abs(x) + abs(y) + abs(z))) * distance / path
    }

    let start = Int(Self.mixing * Double(rate) / 2)
    for k in start..<max(start, count) {
      let time = Double(k) / Double(rate)
      let fadeIn = min(1, Double(k - start) / Double(start))
      taps[k] += fadeIn * 0.05 * generator.gaussian() * pow(10, -3 * time / reverberation)
    }
    self.taps = taps.map { Float($0) }
  }

  private init(rate: Int, taps: [Float]) {
    self.rate = rate
    self.taps = taps
  }

  /// Returns the position of image `index` of a source on an axis between two walls `length` apart.
  private static func image(of position: Double, in length: Double, _ index: Int) -> Double {
    index.isMultiple(of: 2) ? Double(index) * length + position : Double(index + 1) * length - position
  }

  /// Returns the same room, scaled so that `speech` arrives `gain` dB above its level at the loudspeaker.
  package func scaled(toGain gain: Double, for speech: [Float]) -> RoomResponse { scaled(by: factor(toGain: gain, for: speech)) }

  /// Returns the same room, scaled by a ratio of amplitudes.
  func scaled(by factor: Float) -> RoomResponse { RoomResponse(rate: rate, taps: taps.map { $0 * factor }) }

  /// Returns the ratio by which `scaled(toGain:for:)` scales.
  func factor(toGain gain: Double, for speech: [Float]) -> Float {
    guard let before = Measures.activeLevel(speech, rate: rate), let after = Measures.activeLevel(heard(speech), rate: rate) else {
      return 1
    }
    return Float(pow(10, (gain - (after - before)) / 20))
  }

  /// Returns a sound as it is heard in the room, as long as it is.
  func heard(_ sound: [Float]) -> [Float] {
    let convolver = Convolver(response: taps)
    var arriving = sound
    arriving.withUnsafeMutableBufferPointer { buffer in
      guard let samples = buffer.baseAddress else { return }
      convolver.process(samples, samples, frames: buffer.count)
    }
    return arriving
  }
}
