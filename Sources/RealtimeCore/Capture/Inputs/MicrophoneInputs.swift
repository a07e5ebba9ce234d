/// Which channels of the microphone are heard, and what each of them holds (V15). [any]
///
///     channels ─▶ InputMix: watch each, leave out what harms ─┬▶ mean of the rest ─▶ microphone
///                                     where stereo is asked for └▶ the first two ─▶ left, right (V16)
package final class MicrophoneInputs: Sendable {
  let cells: InputCells
  let readings = SequenceLocked(InputReadings())
  private let memory: CellBlock

  init() {
    var memory = CellBlock()
    cells = InputCells(&memory)
    self.memory = memory
    channels = .auto
  }

  /// The channels that are heard. A change takes effect in the next cycle, over 20 ms. [any]
  package var channels: MicrophoneChannels {
    get { InputCells.channels(cells.choice.load()) }
    set { cells.choice.store(InputCells.code(newValue)) }
  }

  /// Returns how many of `count` channels are heard as an array; 1 for their mean. [any]
  package func arrayCount(of count: Int) -> Int {
    let code = cells.choice.load(), there = UInt32(truncatingIfNeeded: (1 as UInt64) << UInt64(min(count, MicrophoneChannels.most)) - 1)
    return InputCells.arrayCount(code, of: InputCells.candidates(code, among: there).nonzeroBitCount)
  }

  /// A Boolean value indicating whether two of them are wanted apart. [any]
  var wantsTwo: Bool { InputCells.wantsTwo(cells.choice.load()) }

  /// Reports another microphone: what was known of its channels holds no more. [any]
  package func restart() { cells.restarts.add(1) }

  /// The channels of the last cycle that had several; empty if the microphone has one. [any]
  package var inputs: [MicrophoneInput] {
    let readings = readings.snapshot()
    return (0..<Int(readings.count)).compactMap { index in
      MicrophoneInput.Use(code: readings.uses[index]).map {
        MicrophoneInput(channel: index + 1, level: Double(readings.levels[index]), use: $0)
      }
    }
  }
}

/// What crosses to the audio thread.
struct InputCells: Sendable {
  /// The most channels that are heard as an array: of more, such as those of an interface, the mean is heard.
  static var mostOfArray: Int {
    @_noLocks @_noAllocation get { 8 }
  }

  /// Bits 0 to 31: the channels chosen; above them: 0 for those, 1 for all, 2 for those that work, 3 for those, two apart.
  let choice: CounterCell
  let restarts: CounterCell

  init(_ block: inout CellBlock) {
    choice = CounterCell(block.next())
    restarts = CounterCell(block.next())
  }

  static func code(_ channels: MicrophoneChannels) -> UInt64 {
    switch channels {
    case .auto: 2 << 32
    case .mean: 1 << 32
    case .each: 3 << 32
    case .only(let numbers): numbers.reduce(0) { $0 | 1 << UInt64($1 - 1) }
    }
  }

  /// Returns those of the linked channels that a code names.
  @_noLocks @_noAllocation
  static func named(_ code: UInt64, among linked: UInt32) -> UInt32 { code >> 32 == 0 ? linked & UInt32(truncatingIfNeeded: code) : 0 }

  /// The same, or all of them where it names none that is there.
  @_noLocks @_noAllocation
  static func candidates(_ code: UInt64, among linked: UInt32) -> UInt32 {
    let named = named(code, among: linked)
    return named == 0 ? linked : named
  }

  /// Returns how many of `count` candidates are heard as an array; 1 for their mean.
  @_noLocks @_noAllocation
  static func arrayCount(_ code: UInt64, of count: Int) -> Int { code >> 32 == 1 || count > mostOfArray ? 1 : max(1, count) }

  @_noLocks @_noAllocation
  static func wantsTwo(_ code: UInt64) -> Bool { code >> 32 == 3 }

  static func channels(_ code: UInt64) -> MicrophoneChannels {
    switch code >> 32 {
    case 3: .each
    case 2: .auto
    case 1: .mean
    default: .only((0..<MicrophoneChannels.most).filter { code & 1 << UInt64($0) != 0 }.map { $0 + 1 })
    }
  }
}

/// What the audio thread tells of the channels.
struct InputReadings: BitwiseCopyable, Sendable {
  /// One past the last linked channel; 0 while the microphone has one.
  var count: UInt8 = 0
  /// Peaks, linear.
  var levels = SIMD32<Float>(repeating: 0)
  /// Codes of `InputUse`; 0 where nothing is linked.
  var uses = SIMD32<UInt8>(repeating: 0)
}

/// What becomes of a channel, as the audio thread has it: `MicrophoneInput.Use`, whose texts take metadata to compare. [any]
enum InputUse: BitwiseCopyable {
  case heard, silent, weak, noisy, clipped, opposite, unchosen

  /// What `InputReadings` hold of it; never 0.
  var code: UInt8 {
    @_noLocks @_noAllocation get {
      switch self {
      case .heard: 1
      case .silent: 2
      case .weak: 3
      case .noisy: 4
      case .clipped: 5
      case .opposite: 6
      case .unchosen: 7
      }
    }
  }

  /// Compares without the type's metadata.
  @_noLocks @_noAllocation
  func isSame(as other: InputUse) -> Bool { code == other.code }
}

extension MicrophoneInput.Use {
  fileprivate init?(code: UInt8) {
    switch code {
    case InputUse.heard.code: self = .heard
    case InputUse.silent.code: self = .silent
    case InputUse.weak.code: self = .weak
    case InputUse.noisy.code: self = .noisy
    case InputUse.clipped.code: self = .clipped
    case InputUse.opposite.code: self = .opposite
    case InputUse.unchosen.code: self = .unchosen
    default: return nil
    }
  }
}
