/// Formats a number with a fixed count of decimals; "-" for NaN and infinity. [any]
func decimal(_ value: Double, _ decimals: Int) -> String {
  guard value.isFinite else { return "-" }
  var scale = 1
  for _ in 0..<decimals { scale *= 10 }
  let scaled = Int((min(abs(value), 1e12) * Double(scale)).rounded())
  let sign = scaled != 0 && value < 0 ? "-" : ""
  guard decimals > 0 else { return sign + String(scaled) }
  let fraction = String(scaled % scale)
  return sign + String(scaled / scale) + "." + String(repeating: "0", count: decimals - fraction.count) + fraction
}
