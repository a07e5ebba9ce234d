import Foundation
import RealtimeCore
import SimulatedHardware
import Synchronization

/// A remote participant without pauses, so that every gap is the product's: noise as loud as speech, written so that the ring holds 200 ms.
/// [any]
final class FarEnd: Sendable {
  /// Frames per second.
  static let rate = 48_000
  /// The ring's fill in bytes.
  static let fill = 19_200
  private let isStopping = Atomic<Bool>(false)
  private let hasStopped = DispatchSemaphore(value: 0)

  init(into sink: RingSink) {
    let thread = Thread { [self] in
      var generator = SeededGenerator(seed: 1)
      var last: Float = 0
      var (loudness, wanted): (Float, Float) = (1, 1)
      var frames = 0
      while !isStopping.load(ordering: .relaxed) {
        while sink.status().fillBytes < Self.fill {
          let packet = (0..<480).map { _ -> Int16 in
            // Like speech: louder below 1 kHz, with a new syllable every 100 ms.
            frames += 1
            if frames % 4_800 == 0 { wanted = [0.15, 0.4, 1].randomElement(using: &generator)! }
            loudness += 0.002 * (wanted - loudness)
            last += 0.3 * (generator.sample() - last)
            return Int16(last * loudness * 16_000)
          }
          guard packet.withUnsafeBytes({ sink.write($0) }) else { break }
        }
        usleep(5_000)
      }
      hasStopped.signal()
    }
    thread.name = "far end"
    thread.start()
  }

  func stop() {
    isStopping.store(true, ordering: .relaxed)
    hasStopped.wait()
  }
}
