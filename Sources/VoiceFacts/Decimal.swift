/// Formats a number with a fixed count of decimals; `sign` adds "+" to positive numbers; "-" for NaN and infinity. Cheap, because the
/// dashboard formats ten times a second. [any]
package func decimal(_ value: Double, _ decimals: Int, sign: Bool = false) -> String {
  guard value.isFinite else { return "-" }
  var scale = 1
  for _ in 0..<decimals { scale *= 10 }
  let scaled = Int((min(abs(value), 1e12) * Double(scale)).rounded())
  let prefix = scaled == 0 ? "" : value < 0 ? "-" : sign ? "+" : ""
  guard decimals > 0 else { return prefix + String(scaled) }
  let fraction = String(scaled % scale)
  return prefix + String(scaled / scale) + "." + String(repeating: "0", count: decimals - fraction.count) + fraction
}

/// Formats a share in percent, "90 %", as `decimal` does. [any]
package func percent(_ share: Double, _ decimals: Int = 0) -> String { decimal(share * 100, decimals) + " %" }
