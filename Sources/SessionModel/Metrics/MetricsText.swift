/// Writes Prometheus' text exposition format 0.0.4: families of samples, each with help and type. [any]
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/
struct MetricsText {
  enum Kind: String { case counter, gauge }
  /// One sample of a family, with the labels that distinguish it.
  struct Sample {
    let labels: KeyValuePairs<String, String>
    let value: Double

    init(_ labels: KeyValuePairs<String, String>, _ value: Double) {
      self.labels = labels
      self.value = value
    }
  }

  private(set) var text = ""

  /// Adds a family with one unlabelled sample.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) { add(name, kind, help, [Sample([:], value)]) }

  /// Adds a family; nothing if it has no samples.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    if samples.isEmpty { return }
    text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }.joined(separator: ",")
      text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(Self.number(sample.value))\n"
    }
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    // Iterates by scalars, because "\r\n" is one Character.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : "\(value)"
  }
}
