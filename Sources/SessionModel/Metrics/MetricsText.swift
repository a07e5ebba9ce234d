/// Samples of one name, with help and kind. [any]
package struct MetricFamily: Sendable {
  package enum Kind: String, Sendable { case counter, gauge }
  /// One sample, with the labels that distinguish it.
  package struct Sample: Sendable {
    package let labels: KeyValuePairs<String, String>
    package let value: Double

    init(_ labels: KeyValuePairs<String, String>, _ value: Double) {
      self.labels = labels
      self.value = value
    }
  }
  /// Prometheus' name; a counter's ends in "_total".
  package let name: String
  package let kind: Kind
  package let help: String
  package let samples: [Sample]
}

/// Collects families of samples, and writes them in Prometheus' text exposition format 0.0.4. [any]
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/
struct MetricsText {
  typealias Sample = MetricFamily.Sample

  private(set) var families: [MetricFamily] = []

  /// Adds a family with one unlabelled sample.
  mutating func add(_ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: Double) {
    add(name, kind, help, [Sample([:], value)])
  }

  /// Adds a family; nothing if it has no samples.
  mutating func add(_ name: String, _ kind: MetricFamily.Kind, _ help: String, _ samples: [Sample]) {
    if !samples.isEmpty { families.append(MetricFamily(name: name, kind: kind, help: help, samples: samples)) }
  }

  static func text(of families: [MetricFamily]) -> String {
    var text = ""
    for family in families {
      let name = family.name
      text += "# HELP \(name) \(escaped(family.help, quotes: false))\n# TYPE \(name) \(family.kind.rawValue)\n"
      for sample in family.samples {
        let labels = sample.labels.map { "\($0.key)=\"\(escaped($0.value, quotes: true))\"" }.joined(separator: ",")
        text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(number(sample.value))\n"
      }
    }
    return text
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    // Iterate by scalars, because "\r
    // " is one Character.
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
