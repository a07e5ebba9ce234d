/// Peak and RMS of a signal, measured on the audio thread and read anywhere.
struct LevelMeter {
  /// Seconds in which the RMS forgets all but 1/e of a level.
  static let integrationTime = 0.3

  private let peakCell: PeakCell
  private let rmsCell: DoubleCell
  private var meanSquare = 0.0

  init(_ cells: inout CellBlock) {
    peakCell = PeakCell(cells.next())
    rmsCell = DoubleCell(cells.next())
  }

  /// What other threads read.
  var reading: LevelReading { LevelReading(peakCell: peakCell, rmsCell: rmsCell) }

  /// Measures one block; two pointers for stereo. [realtime]
  @_noLocks @_noAllocation
  mutating func measure(_ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>?, frames: Int, rate: Double) {
    var (peak, sum) = Kernel.level(left, frames: frames)
    var channels = 1.0
    if let right {
      let other = Kernel.level(right, frames: frames)
      peak = max(peak, other.peak)
      sum += other.sumOfSquares
      channels = 2
    }
    peakCell.raise(to: peak)
    settle(towards: Double(sum) / (channels * Double(frames)), frames: frames, rate: rate)
  }

  /// Whether another block of silence would change nothing. [realtime]
  var isSilent: Bool {
    @_noLocks @_noAllocation get { meanSquare == 0 }
  }

  /// One block of silence. [realtime]
  @_noLocks @_noAllocation
  mutating func silence(frames: Int, rate: Double) {
    if meanSquare != 0 { settle(towards: 0, frames: frames, rate: rate) }
  }

  @_noLocks @_noAllocation
  private mutating func settle(towards value: Double, frames: Int, rate: Double) {
    let share = Double(frames) / (Double(frames) + Self.integrationTime * rate)
    meanSquare += share * (value - meanSquare)
    // Silence ends; a NaN from a broken application does too.
    if !(meanSquare > 1e-14 && meanSquare < 1e14) { meanSquare = 0 }
    rmsCell.store(meanSquare)
  }
}

/// The reading side of a `LevelMeter`. [any]
struct LevelReading: Sendable {
  fileprivate let peakCell: PeakCell
  fileprivate let rmsCell: DoubleCell

  fileprivate init(peakCell: PeakCell, rmsCell: DoubleCell) {
    self.peakCell = peakCell
    self.rmsCell = rmsCell
  }

  /// Linear; the largest sample since the last call, whoever made it.
  func takePeak() -> Float { peakCell.take() }
  /// Linear; as `takePeak`, for who must not take it from somebody else.
  var peak: Float { peakCell.peek() }
  /// Linear, over the last `LevelMeter.integrationTime`.
  var rms: Float { Float(rmsCell.load().squareRoot()) }
}
