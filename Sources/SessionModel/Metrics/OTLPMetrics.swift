/// One reading of the metrics in the JSON encoding of OpenTelemetry's protocol: a `ResourceMetrics` of OTLP 1.x. [any]
///
/// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding: names in lowerCamelCase, integers of 64 bits as strings.
package struct OTLPMetrics: Encodable, Sendable {
  /// A key with a text or an integer.
  package struct Attribute: Encodable, Sendable {
    struct Value: Encodable, Sendable {
      var stringValue: String?
      var intValue: String?
    }
    let key: String
    let value: Value

    package init(_ key: String, _ text: String) { (self.key, value) = (key, Value(stringValue: text)) }
    package init(_ key: String, _ number: Int) { (self.key, value) = (key, Value(intValue: String(number))) }
  }

  struct Point: Encodable, Sendable {
    var attributes: [Attribute]
    /// Present for sums only, in ns since 1970.
    var startTimeUnixNano: String?
    var timeUnixNano: String
    var asDouble: Double
  }
  struct Gauge: Encodable, Sendable { var dataPoints: [Point] }
  struct Sum: Encodable, Sendable {
    var dataPoints: [Point]
    /// AGGREGATION_TEMPORALITY_CUMULATIVE
    var aggregationTemporality = 2
    var isMonotonic = true
  }
  struct Metric: Encodable, Sendable {
    var name: String
    var description: String
    var unit: String
    var gauge: Gauge?
    var sum: Sum?
  }
  struct Scope: Encodable, Sendable { var name, version: String }
  struct ScopeMetrics: Encodable, Sendable {
    var scope: Scope
    var metrics: [Metric]
  }
  struct Resource: Encodable, Sendable { var attributes: [Attribute] }

  var resource: Resource
  var scopeMetrics: [ScopeMetrics]
}

/// Makes successive readings of the metrics, and remembers the start time of each counter. [any]
///
/// A counter present at the first reading starts with the process; one that appears later, or is reset, starts at the previous reading.
package struct OTLPReader: Sendable {
  private struct Series: Hashable {
    let name: String
    /// Alternating names and values.
    let labels: [String]
  }

  private let resource: [OTLPMetrics.Attribute]
  private let scope: OTLPMetrics.Scope
  private var counters: [Series: (start: UInt64, value: Double)] = [:]
  private var last: UInt64?

  package init(resource: [OTLPMetrics.Attribute], version: String) {
    self.resource = resource
    scope = OTLPMetrics.Scope(name: "nearend", version: version)
  }

  /// - Parameters:
  ///   - metrics: the current metrics.
  ///   - time: now, in ns since 1970.
  ///   - begin: when the process began, in ns since 1970.
  package mutating func read(_ metrics: ServiceMetrics, at time: UInt64, begin: UInt64) -> OTLPMetrics {
    let since = min(last ?? begin, time)
    var seen: [Series: (start: UInt64, value: Double)] = [:]
    let all = metrics.families.map { family in
      let points = family.samples.map { sample in
        var point = OTLPMetrics.Point(
          attributes: sample.labels.map { OTLPMetrics.Attribute($0.key, $0.value) }, timeUnixNano: String(time), asDouble: sample.value)
        if family.kind == .counter {
          let series = Series(name: family.name, labels: sample.labels.flatMap { [$0.key, $0.value] })
          // A start after `time` means that the clock was set back.
          let known = counters[series].flatMap { $0.value <= sample.value && $0.start <= time ? $0.start : nil }
          seen[series] = (known ?? since, sample.value)
          point.startTimeUnixNano = String(known ?? since)
        }
        return point
      }
      return OTLPMetrics.Metric(
        name: family.otlpName, description: family.help, unit: family.unit,
        gauge: family.kind == .gauge ? .init(dataPoints: points) : nil, sum: family.kind == .counter ? .init(dataPoints: points) : nil)
    }
    (counters, last) = (seen, time)
    return OTLPMetrics(resource: .init(attributes: resource), scopeMetrics: [.init(scope: scope, metrics: all)])
  }
}

extension MetricFamily {
  /// Prometheus' name without the counters' suffix, which a collector that exports to Prometheus adds again.
  var otlpName: String { kind == .counter && name.hasSuffix("_total") ? String(name.dropLast(6)) : name }

  /// The unit in UCUM; empty for a state or a dimensionless number.
  var unit: String {
    let units = [
      "_seconds": "s", "_bytes": "By", "_ratio": "1", "_decibels": "dB", "_hertz": "Hz", "_frames": "{frame}", "_blocks": "{block}",
      "_samples": "{sample}",
    ]
    return units.first { otlpName.hasSuffix($0.key) }?.value ?? ""
  }
}
