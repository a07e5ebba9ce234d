/// Carries windows of microphone and outgoing voice to a thread that computes their spectra.
///
///     microphone ─▶ window ─▶ queue ─┐
///     voice ──────▶ window ─▶ queue ─┴─▶ spectra, on the thread that takes them
///
/// The audio thread gathers one window each tenth of a second and never waits; what is not read in time is dropped.
package final class SpectrumTap: Sendable {
  /// Windows of one signal, each the beginning of a tenth of a second. [any]
  package struct Windows: Sendable, Equatable {
    /// One window of `SpectrumWindow.length` samples after the other, at `rate`; full scale is ±1.
    package var samples: [Float] = []
    /// In Hz; 0 without samples.
    package var rate = 0
  }

  /// What has arrived between two calls of `drain`. [any]
  package struct Heard: Sendable, Equatable {
    package var microphone = Windows()
    package var voice = Windows()

    package init() {}
  }

  private let queues = (microphone: SourceQueue(capacity: capacity), voice: SourceQueue(capacity: capacity))

  /// In words: three windows of the largest size, 0.3 s at 192 kHz; 1.1 s at 48 kHz.
  private static let capacity = 3 * (CoreState.maximumQuantum + SourceQueueWriter.headerWords)

  init() {}

  /// Makes the audio thread's half; call it once. [control]
  func makeDelivery() -> SpectrumDelivery { SpectrumDelivery(microphone: queues.microphone.writer, voice: queues.voice.writer) }

  /// Replaces `heard` by the windows that have been completed since the last call; its memory is reused. [one thread at a time]
  package func drain(into heard: inout Heard) {
    Self.drain(queues.microphone, into: &heard.microphone)
    Self.drain(queues.voice, into: &heard.voice)
  }

  private static func drain(_ queue: SourceQueue, into windows: inout Windows) {
    windows.samples.removeAll(keepingCapacity: true)
    windows.rate = 0
    while true {
      let before = windows.samples.count
      guard let window = queue.read(into: &windows.samples) else { return }
      if windows.rate != window.rate {
        windows.samples.removeFirst(before)
        windows.rate = window.rate
      }
    }
  }
}

/// The audio thread's half of a `SpectrumTap`. [realtime] except `init` and `deinit`.
struct SpectrumDelivery: ~Copyable {
  private var microphone, voice: SpectrumWindow

  init(microphone: SourceQueueWriter, voice: SourceQueueWriter) {
    self.microphone = SpectrumWindow(writer: microphone)
    self.voice = SpectrumWindow(writer: voice)
  }

  @_noLocks @_noAllocation
  mutating func deliver(microphone input: UnsafePointer<Float>?, voice output: UnsafePointer<Float>, frames: Int, rate: Int) {
    if let input { microphone.add(input, frames: frames, rate: rate) } else { microphone.restart() }
    voice.add(output, frames: frames, rate: rate)
  }

  /// Begins new windows, because the signals have a gap here.
  @_noLocks @_noAllocation
  mutating func restart() {
    microphone.restart()
    voice.restart()
  }
}

/// Gathers the first window of a signal in each tenth of a second, and delivers it whole. [realtime] except `init` and `deinit`.
struct SpectrumWindow: ~Copyable {
  /// Samples in a window at `rate`: the power of two nearest to 43 ms, from 128 to 8192, that of 192 kHz. [any]
  @_noLocks @_noAllocation
  static func length(rate: Int) -> Int {
    let wanted = rate * 43 / 1_000
    var length = 128
    // Nearest on a logarithmic scale, so that the limit to the next power of two is √2 times this one.
    while length < 8_192, 2 * length * length < wanted * wanted { length *= 2 }
    return length
  }

  private let writer: SourceQueueWriter
  private let samples: Samples
  private var rate = 0
  private var length = 0
  /// Frames since the tenth of a second began.
  private var position = 0

  init(writer: SourceQueueWriter) {
    precondition(Self.length(rate: 192_000) <= CoreState.maximumQuantum)
    self.writer = writer
    samples = Samples(CoreState.maximumQuantum)
  }

  @_noLocks @_noAllocation
  mutating func restart() { position = 0 }

  @_noLocks @_noAllocation
  mutating func add(_ signal: UnsafePointer<Float>, frames: Int, rate: Int) {
    if rate != self.rate {
      self.rate = rate
      length = Self.length(rate: rate)
      position = 0
    }
    let period = max(rate / 10, length)
    var done = 0
    while done < frames {
      let end = position < length ? length : period, count = min(end - position, frames - done)
      if position < length { copy(signal + done, to: samples + position, frames: count) }
      position += count
      done += count
      if position == length { writer.write(samples.start, frames: length, rate: rate) }
      if position == period { position = 0 }
    }
  }
}
