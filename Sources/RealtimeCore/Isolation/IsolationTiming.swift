/// The delay that the worker adds to the voice: constant for a rate and a quantum, so that it can be reported to the graph (V8).
///
///     isolator's own delay │ until its block is whole │ time for the worker │ a fade ahead, in case the next block is late
struct IsolationTiming: Sendable, Equatable {
  /// The isolator's rate in Hz.
  static let isolatorRate = 48_000
  /// Frames of the isolator's block: 10 ms.
  static let block = 480

  /// Frames per second of the graph.
  let rate: Int
  /// The isolator's delay in frames of the graph.
  let isolator: Int
  /// Frames of the fade between the isolated voice and the standard one: 2.5 ms.
  let fade: Int
  /// Frames of 10 ms.
  let tenMilliseconds: Int
  /// Samples per frame; interleaved audio is counted in samples, quantum and delays alike.
  let channels: Int
  /// Whether the graph has the isolator's rate.
  private let isSameRate: Bool
  private let block: Int
  /// Frames that both resamplers hold back.
  private let held: Int

  /// - Parameters:
  ///   - isolatorDelay: in frames at its own rate.
  ///   - isolatorRate: the rate that the worker converts to; the graph's if there is more than one channel.
  init(rate: Int, isolatorDelay: Int, isolatorRate: Int = Self.isolatorRate, channels: Int = 1) {
    self.rate = rate
    self.channels = channels
    block = Self.block * channels
    isolator = (isolatorDelay * rate + isolatorRate / 2) / isolatorRate * channels
    fade = max(rate / 400, 1) * channels
    tenMilliseconds = (rate + 99) / 100 * channels
    isSameRate = rate == isolatorRate
    // 22 frames of the lower rate each.
    held = isSameRate ? 0 : 44 * max(rate, isolatorRate) / isolatorRate + 4
  }

  /// Returns the delay of the isolated voice in samples, in cycles of `quantum` samples. [any]
  @_noLocks @_noAllocation
  func delay(quantum: Int) -> Int {
    // Enough cycles to last 10 ms.
    let cycles = (tenMilliseconds + quantum - 1) / max(quantum, 1)
    return isolator + blocking(quantum: quantum) + held + cycles * quantum + fade
  }

  @_noLocks @_noAllocation
  private func blocking(quantum: Int) -> Int {
    if !isSameRate { return tenMilliseconds }
    var a = block, b = max(quantum, 1)
    while b != 0 { (a, b) = (b, a % b) }
    return block - a
  }
}
