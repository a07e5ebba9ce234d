/// Carries microphone and outgoing voice to a thread that computes their spectra.
///
///     microphone ─▶ queue ─┐
///     voice ──────▶ queue ─┴─▶ spectra, on the thread that takes them
///
/// The audio thread copies each cycle and never waits; what is not read in time is dropped.
package final class SpectrumTap: Sendable {
  /// A stretch of one signal. [any]
  package struct Stretch: Sendable, Equatable {
    /// At `rate`; full scale is ±1.
    package var samples: [Float] = []
    /// In Hz; 0 without samples.
    package var rate = 0
  }

  /// What has arrived between two calls of `drain`. [any]
  package struct Heard: Sendable, Equatable {
    package var microphone = Stretch()
    package var voice = Stretch()

    package init() {}
  }

  private let queues = (microphone: SourceQueue(), voice: SourceQueue())

  init() {}

  /// The audio thread's half.
  var delivery: SpectrumDelivery { SpectrumDelivery(microphone: queues.microphone.writer, voice: queues.voice.writer) }

  /// Replaces `heard` by what has arrived since the last call, at most 1.3 s of it at 48 kHz; its memory is reused. [one thread at a time]
  package func drain(into heard: inout Heard) {
    Self.drain(queues.microphone, into: &heard.microphone)
    Self.drain(queues.voice, into: &heard.voice)
  }

  private static func drain(_ queue: SourceQueue, into stretch: inout Stretch) {
    stretch.samples.removeAll(keepingCapacity: true)
    stretch.rate = 0
    while true {
      let before = stretch.samples.count
      guard let cycle = queue.read(into: &stretch.samples) else { return }
      if stretch.rate != cycle.rate {
        stretch.samples.removeFirst(before)
        stretch.rate = cycle.rate
      }
    }
  }
}

/// The audio thread's half of a `SpectrumTap`. [realtime]
struct SpectrumDelivery: Sendable {
  let microphone: SourceQueueWriter
  let voice: SourceQueueWriter

  @_noLocks @_noAllocation
  func deliver(microphone input: UnsafePointer<Float>?, voice output: UnsafePointer<Float>, frames: Int, rate: Int) {
    if let input { microphone.write(input, frames: frames, rate: rate) }
    voice.write(output, frames: frames, rate: rate)
  }
}
