internal import CRealtime

/// The ballistics of every meter: those of a peak programme meter, with instant attack and a decay of 20 dB/s. Reading changes nothing.
enum MeterBallistics {
  /// The decay factor for a number of frames. [realtime]
  @_noLocks @_noAllocation
  static func fall(frames: Int, rate: Double) -> Float { rt_expf(-2.302585 * Float(frames) / Float(rate)) }

  /// −140 dBFS: anything less is silence.
  static let silence: Float = 1e-7
}

/// Measures peak and RMS of a signal on the audio thread, for readers on any thread.
struct LevelMeter {
  /// Time constant of the RMS in seconds.
  static let integrationTime = 0.3

  private let peakCell: DoubleCell
  private let rmsCell: DoubleCell
  private var peak: Float = 0
  private var meanSquare = 0.0

  init(_ cells: inout CellBlock) {
    peakCell = DoubleCell(cells.next())
    rmsCell = DoubleCell(cells.next())
  }

  /// The reading side, for other threads.
  var reading: LevelReading { LevelReading(peakCell: peakCell, rmsCell: rmsCell) }

  /// Measures one block; two pointers for stereo. [realtime]
  @_noLocks @_noAllocation
  mutating func measure(_ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>?, frames: Int, rate: Double) {
    var (largest, sum) = level(left, frames: frames)
    var channels = 1.0
    if let right {
      let other = level(right, frames: frames)
      largest = max(largest, other.peak)
      sum += other.sumOfSquares
      channels = 2
    }
    settle(towards: Double(sum) / (channels * Double(frames)), peak: largest, frames: frames, rate: rate)
  }

  /// Whether another block of silence would change nothing. [realtime]
  var isSilent: Bool {
    @_noLocks @_noAllocation get { meanSquare == 0 && peak == 0 }
  }

  /// Measures one block of silence. [realtime]
  @_noLocks @_noAllocation
  mutating func silence(frames: Int, rate: Double) {
    if !isSilent { settle(towards: 0, peak: 0, frames: frames, rate: rate) }
  }

  @_noLocks @_noAllocation
  private mutating func settle(towards value: Double, peak largest: Float, frames: Int, rate: Double) {
    peak = max(largest, peak * MeterBallistics.fall(frames: frames, rate: rate))
    if !(peak > MeterBallistics.silence) { peak = 0 }
    peakCell.store(Double(peak))
    let share = Double(frames) / (Double(frames) + Self.integrationTime * rate)
    meanSquare += share * (value - meanSquare)
    // Ends a decay in silence, and a NaN from a broken application.
    if !(meanSquare > 1e-14 && meanSquare < 1e14) { meanSquare = 0 }
    rmsCell.store(meanSquare)
  }
}

/// The reading side of a `LevelMeter`. [any]
struct LevelReading: Sendable {
  fileprivate let peakCell: DoubleCell
  fileprivate let rmsCell: DoubleCell

  fileprivate init(peakCell: DoubleCell, rmsCell: DoubleCell) {
    self.peakCell = peakCell
    self.rmsCell = rmsCell
  }

  /// Linear.
  var peak: Float { Float(peakCell.load()) }
  /// Linear, over the last `LevelMeter.integrationTime`.
  var rms: Float { Float(rmsCell.load().squareRoot()) }
}
