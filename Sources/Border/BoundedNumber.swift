/// Numbers from outside, as finite ones that fit.
extension Double {
  /// Within `range`; `fallback` where it is no number. [any]
  public func bounded(to range: ClosedRange<Double>, else fallback: Double) -> Double {
    isNaN ? fallback : min(max(self, range.lowerBound), range.upperBound)
  }
}

extension Float {
  /// Within `range`; `fallback` where it is no number. [any]
  public func bounded(to range: ClosedRange<Float>, else fallback: Float) -> Float {
    isNaN ? fallback : min(max(self, range.lowerBound), range.upperBound)
  }
}

extension Int {
  /// The nearest whole number of any number, of infinite ones ±10¹⁵; 0 where it is none. [any]
  public init(bounded value: Double) { self = Int(value.bounded(to: -1e15...1e15, else: 0).rounded()) }
}
