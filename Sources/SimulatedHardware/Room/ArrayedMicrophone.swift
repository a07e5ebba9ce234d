/// A microphone of an array: what it hears of the loudspeaker and of the talker, who sits 0.6 m away, and its own noise.
///
/// `@unchecked Sendable`: `talker` is constant, `path` orders its two ends, and the noise belongs to the microphone's callback.
final class ArrayedMicrophone: @unchecked Sendable {
  let path: AcousticPath
  private let talker: UnsafeMutablePointer<Float>
  private let talkerCount: Int
  private let gain: Float
  private var noise: SeededGenerator

  /// - Parameters:
  ///   - response: of the loudspeaker.
  ///   - talker: as it arrives, over and over.
  ///   - gain: a ratio of amplitudes.
  private init(response: RoomResponse, talker: [Float], gain: Float, seed: UInt64) {
    path = AcousticPath(response: response)
    talkerCount = talker.count
    self.talker = .allocate(capacity: talkerCount)
    self.talker.initialize(repeating: 0, count: talkerCount)
    self.talker.update(from: talker, count: talkerCount)
    self.gain = gain
    noise = SeededGenerator(seed: seed)
  }

  deinit { talker.deallocate() }

  /// All of an array. `echo`: the ratio of amplitudes by which the loudspeaker's response of the first is scaled, and so those of all.
  static func all(_ array: MicrophoneArray, _ options: RoomOptions, _ speech: Speech, echo factor: Float) -> [ArrayedMicrophone] {
    let seat = options.seed &+ 7, first = RoomResponse(rate: options.rate, distance: 0.6, seed: seat)
    let voice = first.factor(toGain: 0, for: Array(speech.samples.prefix(5 * options.rate)))
    return zip(array.places, array.gains).enumerated().map { number, microphone in
      let (place, gain) = microphone
      let loudspeaker = RoomResponse(rate: options.rate, seed: options.seed, place: place, number: number)
      let air = RoomResponse(rate: options.rate, distance: 0.6, seed: seat, place: place, number: number).scaled(by: voice)
      let talker = air.heard(speech.samples)
      return ArrayedMicrophone(
        response: loudspeaker.scaled(by: factor), talker: talker.isEmpty ? [0] : talker, gain: Float(decibels: gain),
        seed: options.seed &+ UInt64(number))
    }
  }

  /// Writes what it hears. `fades`: how far the talker talks, by frame, from the talker's frame `first` on; nil if not at all. [realtime]
  func hear(
    _ buffer: UnsafeMutablePointer<Float>, at position: UInt64, frames: Int, noise level: Float, talkerFrom first: Int,
    fades: UnsafePointer<Float>?
  ) {
    path.read(buffer, at: position, frames: frames)
    if let fades { for k in 0..<frames { buffer[k] += talker[(first + k) % talkerCount] * fades[k] } }
    for k in 0..<frames { buffer[k] = gain * buffer[k] + level * noise.sample() }
  }
}
