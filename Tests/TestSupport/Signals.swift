@_exported import SeededSignals
@_exported import enum SimulatedHardware.Measures

/// Returns the samples rounded to values that are exact in 16 bits.
package func roundedTo16Bits(_ samples: [Float]) -> [Float] { samples.map { ($0 * 32_768).rounded() / 32_768 } }

package func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : greatestCommonDivisor(b, a % b) }
