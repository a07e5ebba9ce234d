internal import CRealtime

/// Converts a linear level to dBFS; −120 if silent. [any]
package func decibels(_ level: Float) -> Double { level > 1e-6 ? 20 * rt_log10(Double(level)) : SinkStatus.silence }
