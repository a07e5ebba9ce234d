import Foundation
import SessionModel
import TestSupport
import Testing

@testable import Nearend
@testable import SimulatedHardware

/// Readings sent to an OpenTelemetry collector in Python that parses them with OpenTelemetry's own protobuf messages.
@Suite("OpenTelemetry's own messages")
struct CollectorTests {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
  /// The interpreter of the virtual environment that Scripts/install-dependencies creates; nil if there is none.
  private static let python: String? = {
    let path = package.appending(path: ".build/opentelemetry/bin/python3").path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }()

  /// One metric as the collector read it, or the error.
  private struct Line: Decodable {
    struct Point: Decodable {
      var labels: [String: String]
      var value: String
      var isTimed: Bool
    }
    var refused: String?
    var service, name, kind: String?
    var isCumulative: Bool?
    var points: [Point]?
  }

  @Test(
    "O9 T1: OpenTelemetry's own messages read all of a reading: names, kinds, labels and values",
    .enabled(if: python != nil, "OpenTelemetry's messages are not there: Scripts/install-dependencies test fetches them from PyPI"))
  func reads() throws {
    let environment = ProcessInfo.processInfo.environment
    let folder = try SessionFolder(environment: environment)
    let output = "\(folder.path)/collector.out"
    let collector = try ChildProcess(
      try #require(Self.python), [Self.package.appending(path: "Tests/Clients/otlp_collector.py").path], environment: environment,
      group: folder.group, output: .file(output))
    defer { collector.end() }
    /// Returns the complete lines that it has printed.
    func printed() -> [Substring] {
      let text = String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
      return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }
    #expect(eventually { !printed().isEmpty || !collector.isRunning })
    let port = try #require(printed().first.flatMap { Int($0) }, "the collector does not start")
    let options = try OTLPOptions(endpoint: "http://127.0.0.1:\(port)")
    let export = OTLPExport(options, interval: 60, limits: .init(capacity: 10, backOff: 0.01...0.05))
    var report = Sample.call
    // JSON itself cannot express these.
    report.snapshot.graph.busyRatio = .nan
    report.snapshot.graph.busyRatioPeak = .infinity
    export.add(report)
    #expect(eventually { printed().last == "{}" || !collector.isRunning })
    let lines = try printed().dropFirst().dropLast().map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    #expect(lines.compactMap(\.refused).isEmpty)
    let families = ServiceMetrics(report).families
    #expect(lines.count == families.count)
    for (line, family) in zip(lines, families) {
      let isCounter = family.kind == .counter
      #expect(line.service == "nearend")
      #expect(line.name == (isCounter ? String(family.name.dropLast("_total".count)) : family.name))
      #expect(line.kind == (isCounter ? "sum" : "gauge") && line.isCumulative == isCounter, "\(family.name)")
      let points = line.points ?? []
      #expect(points.allSatisfy { $0.isTimed }, "\(family.name)")
      let labels = family.samples.map { Dictionary(uniqueKeysWithValues: $0.labels.map { ($0.key, $0.value) }) }
      #expect(points.map(\.labels) == labels, "\(family.name)")
      for (point, sample) in zip(points, family.samples) {
        let value = try #require(Double(point.value))
        #expect(value == sample.value || value.isNaN && sample.value.isNaN, "\(family.name): \(value)")
      }
    }
    #expect(eventually { export.outlet.status.delivered == 1 }, "the collector's answer is taken")
  }
}
