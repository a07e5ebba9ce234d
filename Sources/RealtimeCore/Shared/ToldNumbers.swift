internal import CRealtime

/// Converts a linear level to dBFS; −120 if silent. [any]
package func decibels(_ level: Float) -> Double { level > 1e-6 ? 20 * rt_log10(Double(level)) : SinkStatus.silence }

extension Float {
  /// The number with the fewest digits that is this one as a `Float`: 0.3, where the conversion alone would say 0.30000001192092896. [any]
  package var shortestDouble: Double { Double("\(self)") ?? Double(self) }
}
