import Foundation
import SessionModel
import TestSupport
import Testing

@testable import Nearend

/// The request as a strict collector reads it: every key is known, every 64-bit integer is a string.
private struct Received: Decodable {
  struct Value: Decodable { var stringValue, intValue: String? }
  struct Attribute: Decodable {
    var key: String
    var value: Value
  }
  struct Resource: Decodable { var attributes: [Attribute] }
  struct Point: Decodable {
    var attributes: [Attribute]
    var startTimeUnixNano: String?
    var timeUnixNano: String
    var asDouble: Double
  }
  struct Gauge: Decodable { var dataPoints: [Point] }
  struct Sum: Decodable {
    var dataPoints: [Point]
    var aggregationTemporality: Int
    var isMonotonic: Bool
  }
  struct Metric: Decodable {
    var name, description, unit: String
    var gauge: Gauge?
    var sum: Sum?
  }
  struct Scope: Decodable { var name, version: String }
  struct ScopeMetrics: Decodable {
    var scope: Scope
    var metrics: [Metric]
  }
  struct ResourceMetrics: Decodable {
    var resource: Resource
    var scopeMetrics: [ScopeMetrics]
  }
  var resourceMetrics: [ResourceMetrics]

  init(_ body: Data) throws {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    self = try decoder.decode(Received.self, from: body)
    try Self.check(JSONSerialization.jsonObject(with: body), Self.shape, "")
  }

  /// The fields of a message, recursively.
  private indirect enum Shape { case leaf, message([String: Shape]) }
  private static let shape: Shape = {
    let attribute = Shape.message(["key": .leaf, "value": .message(["stringValue": .leaf, "intValue": .leaf])])
    let point = Shape.message(["attributes": attribute, "startTimeUnixNano": .leaf, "timeUnixNano": .leaf, "asDouble": .leaf])
    let metric = Shape.message([
      "name": .leaf, "description": .leaf, "unit": .leaf, "gauge": .message(["dataPoints": point]),
      "sum": .message(["dataPoints": point, "aggregationTemporality": .leaf, "isMonotonic": .leaf]),
    ])
    let scope = Shape.message(["scope": .message(["name": .leaf, "version": .leaf]), "metrics": metric])
    return .message(["resourceMetrics": .message(["resource": .message(["attributes": attribute]), "scopeMetrics": scope])])
  }()
  private struct Unknown: Error { let path: String }
  private static func check(_ value: Any, _ shape: Shape, _ path: String) throws {
    switch (value, shape) {
    case (let list as [Any], .message): for element in list { try check(element, shape, path) }
    case (let object as [String: Any], .message(let fields)):
      for (key, value) in object {
        guard let field = fields[key] else { throw Unknown(path: "\(path).\(key)") }
        try check(value, field, "\(path).\(key)")
      }
    case (_, .leaf) where !(value is [Any] || value is [String: Any]): break
    default: throw Unknown(path: path)
    }
  }

  var metrics: [Metric] { resourceMetrics.flatMap { $0.scopeMetrics.flatMap(\.metrics) } }
  func metric(_ name: String) throws -> Metric { try #require(metrics.first { $0.name == name }, "\(name)") }
  /// The point with this attribute; without an attribute, the only point.
  func point(_ name: String, _ key: String? = nil, _ value: String? = nil) throws -> Point {
    let metric = try metric(name)
    let points = metric.sum?.dataPoints ?? metric.gauge?.dataPoints ?? []
    return try #require(points.first { key == nil || $0.attributes.contains { $0.key == key && $0.value.stringValue == value } }, "\(name)")
  }
  var resource: [String: Value] {
    Dictionary(uniqueKeysWithValues: resourceMetrics.flatMap { $0.resource.attributes.map { ($0.key, $0.value) } })
  }
}

@Suite("OpenTelemetry")
struct OTLPTests {
  private static func export(_ server: LoopbackServer, interval: Double = 60) throws -> OTLPExport {
    let options = try OTLPOptions(endpoint: server.base, headers: ["Authorization: Bearer abc"])
    return OTLPExport(options, interval: interval, limits: .init(capacity: 10, backOff: 0.01...0.05))
  }

  @Test("O9 T1: a collector gets each metric as gauge or monotonic sum, with unit, labels, times and resource; and nothing unknown to it")
  func reading() throws {
    let server = try LoopbackServer(.status(200))
    let export = try Self.export(server)
    let before = UInt64(Date().timeIntervalSince1970 * 1e9)
    export.add(Sample.call)
    #expect(eventually { export.outlet.status.delivered == 1 }, "the reading")
    let request = try #require(server.requests.first)
    #expect(request.headers.hasPrefix("POST /v1/metrics HTTP/1.1\r\n"))
    #expect(request.headers.contains("Content-Type: application/json\r\n") && request.headers.contains("Authorization: Bearer abc"))
    let received = try Received(request.body)

    // Every family, each with its kind.
    let families = ServiceMetrics(Sample.call).families
    #expect(received.metrics.count == families.count)
    for (metric, family) in zip(received.metrics, families) {
      #expect(metric.name == (family.kind == .counter ? String(family.name.dropLast("_total".count)) : family.name))
      #expect((metric.sum != nil) == (family.kind == .counter) && (metric.gauge != nil) == (family.kind == .gauge), "\(metric.name)")
      #expect(metric.description == family.help)
      if let sum = metric.sum { #expect(sum.aggregationTemporality == 2 && sum.isMonotonic) }
      let points = metric.sum?.dataPoints ?? metric.gauge?.dataPoints ?? []
      #expect(points.map(\.asDouble) == family.samples.map(\.value), "\(metric.name)")
      for (point, sample) in zip(points, family.samples) {
        #expect(point.attributes.map(\.key) == sample.labels.map(\.key))
        #expect(point.attributes.map(\.value.stringValue) == sample.labels.map { Optional($0.value) })
        #expect(try #require(UInt64(point.timeUnixNano)) + 1_000_000 >= before)
        #expect((point.startTimeUnixNano != nil) == (family.kind == .counter))
      }
    }
    let units = [
      "nearend_uptime_seconds": "s", "nearend_sink_buffered_bytes": "By", "nearend_busy_ratio": "1", "nearend_erle_decibels": "dB",
      "nearend_sink_written_frames": "{frame}", "nearend_session_active": "", "nearend_sample_rate_hertz": "Hz",
    ]
    for (name, unit) in units { #expect(try received.metric(name).unit == unit, "\(name)") }

    // A counter that had counted before the first reading starts when nearend did: 75 s ago.
    let cycles = try received.point("nearend_cycles")
    let counted = try #require(UInt64(cycles.timeUnixNano)) - UInt64(try #require(cycles.startTimeUnixNano))!
    #expect(abs(Double(counted) - 75e9) < 1e6)
    #expect(try received.point("nearend_sink_underruns", "sink", "sink-def456").asDouble == 4)

    #expect(received.resource["service.name"]?.stringValue == "nearend")
    #expect(received.resource["service.version"]?.stringValue == nearendVersion)
    #expect(
      received.resource["host.name"]?.stringValue == ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init)
        || received.resource["host.name"]?.stringValue == ProcessInfo.processInfo.hostName)
    #expect(received.resource["process.pid"]?.intValue == "\(getpid())")
    #expect(received.resource["service.instance.id"]?.stringValue.flatMap(UUID.init) != nil)
  }

  @Test("O9: the start time of a new or reset OTLP sum is the previous reading")
  func starts() throws {
    var reader = OTLPReader(resource: [], version: "1.2.3")
    func read(_ sinks: [(id: String, underruns: UInt64)], at time: UInt64) throws -> Received {
      var report = Sample.idle
      report.snapshot.sinks = sinks.map { SinkStatus(id: $0.id, totalUnderruns: $0.underruns) }
      let encoded = try JSONEncoder().encode(reader.read(ServiceMetrics(report), at: time, begin: 100))
      return try Received(Data(#"{"resourceMetrics":["#.utf8) + encoded + Data("]}".utf8))
    }
    func start(_ received: Received, _ id: String) throws -> String? {
      try received.point("nearend_sink_underruns", "sink", id).startTimeUnixNano
    }
    #expect(try start(read([("a", 5)], at: 1_000), "a") == "100")
    let second = try read([("a", 6), ("b", 1)], at: 2_000)
    #expect(try start(second, "a") == "100")
    #expect(try start(second, "b") == "1000")
    #expect(try start(read([("a", 2), ("b", 1)], at: 3_000), "a") == "2000")
    // The participant goes, and returns.
    _ = try read([("a", 2)], at: 4_000)
    #expect(try start(read([("a", 2), ("b", 1)], at: 5_000), "b") == "4000")
    // Even if the clock is set back, a sum never starts after its reading.
    #expect(try start(read([("a", 2), ("b", 1)], at: 50), "a") == "50")
  }

  @Test("O9: NaN and infinity are encoded as protobuf's JSON requires")
  func numbers() throws {
    let server = try LoopbackServer(.status(200))
    let export = try Self.export(server)
    var report = Sample.idle
    (report.snapshot.graph.busyRatio, report.snapshot.graph.busyRatioPeak) = (.nan, -.infinity)
    export.add(report)
    #expect(eventually { export.outlet.status.delivered == 1 }, "the reading")
    let received = try Received(try #require(server.requests.first).body)
    #expect(try received.point("nearend_busy_ratio").asDouble.isNaN)
    #expect(try received.point("nearend_busy_peak_ratio").asDouble == -.infinity)
  }

  @Test("O9: readings that a collector cannot take now arrive later, in their order; one that it will never take is lost alone")
  func retries() throws {
    let server = try LoopbackServer(.status(503))
    let export = try Self.export(server)
    for uptime in 1...3 {
      var report = Sample.idle
      report.snapshot.uptime = Double(uptime)
      export.add(report)
    }
    #expect(eventually { server.requests.count >= 2 }, "two attempts")
    #expect(export.outlet.status.failure == "HTTP status 503")
    server.answer(.each { (try? Received($0.body).point("nearend_uptime_seconds").asDouble) == 2 ? 400 : 200 })
    #expect(eventually { export.outlet.status.delivered == 2 && export.outlet.status.dropped == 1 }, "all to be settled")
    let settled = try server.requests.suffix(3).map { try Received($0.body).point("nearend_uptime_seconds").asDouble }
    #expect(settled == [1, 2, 3])
  }

  @Test("X1: a collector's refusal is made printable and bounded")
  func hostileRefusal() throws {
    let words = #"\u001b[2J\nnearend: all is well"# + String(repeating: "x", count: 100_000)
    let server = try LoopbackServer(.document(#"{"partialSuccess":{"rejectedDataPoints":1,"errorMessage":"\#(words)"}}"#))
    let export = try Self.export(server)
    export.add(Sample.idle)
    #expect(eventually { export.outlet.status.dropped == 1 }, "the refusal")
    let failure = try #require(export.outlet.status.failure)
    #expect(failure.contains("all is well") && failure.count < 3_000)
    #expect(!failure.unicodeScalars.contains { $0.value < 32 || $0.value == 127 })
  }

  @Test("O9: a reading that a collector accepts only in part is not sent again, and the reason is reported")
  func partly() throws {
    let server = try LoopbackServer(.document(#"{"partialSuccess":{"rejectedDataPoints":"3","errorMessage":"too old"}}"#))
    let export = try Self.export(server)
    export.add(Sample.idle)
    #expect(eventually { export.outlet.status.dropped == 1 }, "the refusal")
    #expect(export.outlet.status.failure == "the collector refuses 3 data points: too old")
    server.answer(.document("{\"partialSuccess\":{}}"))
    export.add(Sample.idle)
    #expect(eventually { export.outlet.status.delivered == 1 }, "the next reading")
    #expect(server.requests.count == 2)
  }

  @Test("O9 T3: metrics are read at intervals, and not while the gate holds snapshots back")
  func intervals() throws {
    let server = try LoopbackServer(.status(200))
    let export = try Self.export(server, interval: 0.01)
    var gate = TelemetryGate()
    gate.disabledTypes = [.asmSnapshot]
    let telemetry = Telemetry(outlets: [], export: export, gate: gate)
    defer { telemetry.stop() }
    #expect(telemetry.reading { Sample.idle } == nil)
    telemetry.set(TelemetryGate())
    telemetry.read { Sample.idle }
    #expect(eventually { export.outlet.status.delivered >= 2 }, "two readings")
    #expect(telemetry.status.map(\.name) == ["otlp"])
  }

  @Test(
    "O9: a collector's address is with or without the path",
    arguments: ["http://h:4318", "http://h:4318/", "http://h:4318/v1/metrics", "http://h:4318/v1/metrics/"])
  func addresses(text: String) throws {
    #expect(try OTLPOptions(endpoint: text).url.absoluteString == "http://h:4318/v1/metrics")
  }

  @Test("O9: a bad address, header or interval is refused, and a header's value is not told")
  func badOptions() throws {
    for text in ["h:4318", "ftp://h", "http://", "http://h/?a=b", ""] {
      #expect(throws: TelemetryConfigurationError.badEndpoint(text)) { try OTLPOptions(endpoint: text) }
    }
    for header in ["A", ": b", "A b: c", "A: ", "Content-Type: x", "A: b\r\nC: d"] {
      #expect(throws: TelemetryConfigurationError.badHeader(header)) { try OTLPOptions(endpoint: "http://h", headers: [header]) }
    }
    #expect(!"\(TelemetryConfigurationError.badHeader("Host: secret"))".contains("secret"))
    let told = "\(TelemetryConfigurationError.badEndpoint("https://user:secret@h/v1?key=secret"))"
    #expect(told.hasPrefix("'https://h/v1' is no collector's address") && told.contains("without a query"), "\(told)")
    #expect(!"\(TelemetryConfigurationError.badURL("ftp://user:secret@h/?key=secret"))".contains("secret"))
    for seconds in [0, 0.5, 3_601, .nan] {
      #expect(throws: TelemetryConfigurationError.self) { try OTLPOptions(endpoint: "http://h", headers: [], seconds: seconds) }
    }
    for interval in [.zero, .milliseconds(999), .seconds(3_601)] as [Duration] {
      #expect(throws: TelemetryConfigurationError.badInterval(interval / .seconds(1))) {
        try OTLPOptions(endpoint: "http://h", interval: interval)
      }
    }
    #expect(try OTLPOptions(endpoint: "http://h", interval: .seconds(90)).interval == .seconds(90))
  }
}
