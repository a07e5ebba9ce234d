/// Bounds numbers from outside: the results are finite and in range.
extension Double {
  /// Clamps to `range`; returns `fallback` for NaN. [any]
  package func bounded(to range: ClosedRange<Double>, else fallback: Double) -> Double {
    isNaN ? fallback : min(max(self, range.lowerBound), range.upperBound)
  }
}

extension Float {
  /// Clamps to `range`; returns `fallback` for NaN. [any]
  package func bounded(to range: ClosedRange<Float>, else fallback: Float) -> Float {
    isNaN ? fallback : min(max(self, range.lowerBound), range.upperBound)
  }
}

extension Int {
  /// Rounds to the nearest integer, clamped to ±10¹⁵; 0 for NaN. [any]
  package init(bounded value: Double) { self = Int(value.bounded(to: -1e15...1e15, else: 0).rounded()) }
}
