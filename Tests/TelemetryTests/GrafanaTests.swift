import Foundation
import SessionModel
import TestSupport
import Testing

/// `Resources/grafana-nearend.json`: the queries that Grafana would send to Prometheus.
@Suite("Grafana")
struct GrafanaTests {
  private struct Dashboard: Decodable {
    struct Panel: Decodable {
      struct Place: Decodable { var h, w, x, y: Int }
      struct Target: Decodable { var expr, legendFormat: String }
      var id: Int
      var title: String
      var gridPos: Place
      var targets: [Target]
    }
    struct Variables: Decodable { var list: [Variable] }
    struct Variable: Decodable { var name: String }
    var panels: [Panel]
    var templating: Variables
  }

  /// The labels of every series of a call, by name.
  private static let labels: [String: Set<String>] = {
    var labels: [String: Set<String>] = ["nearend_up": []]
    for family in ServiceMetrics(Sample.call).families {
      labels[family.name] = Set(family.samples.flatMap { $0.labels.map(\.key) })
    }
    return labels
  }()

  private func dashboard() throws -> Dashboard {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
    return try JSONDecoder().decode(Dashboard.self, from: Data(contentsOf: package.appending(path: "Resources/grafana-nearend.json")))
  }

  @Test("O9: every name and label that the Grafana dashboard asks for is one that the metrics have")
  func names() throws {
    let panels = try dashboard().panels
    #expect(panels.count >= 12)
    var asked: Set<String> = []
    for target in panels.flatMap(\.targets) {
      let names = target.expr.matches(of: /[a-z][a-z0-9_]*_[a-z0-9_]+/).map { String($0.0) }.filter {
        !$0.hasPrefix("__") && $0 != "rate_interval"
      }
      #expect(!names.isEmpty, "\(target.expr)")
      for name in names {
        #expect(Self.labels[name] != nil, "the metrics have no \(name)")
        for label in target.legendFormat.matches(of: /{{(\w+)}}/).map({ String($0.1) }) where label != "instance" {
          #expect(Self.labels[name]?.contains(label) == true, "\(name) has no label \(label)")
        }
      }
      asked.formUnion(names)
      #expect(target.expr.contains("{instance=~\"$instance\"}"), "\(target.expr)")
      // A counter is useful only by its growth.
      for name in names where name.hasSuffix("_total") { #expect(target.expr.contains(/(increase|rate)\(/), "\(target.expr)") }
    }
    #expect(asked.count >= 20)
  }

  @Test("O9: no panel of the Grafana dashboard lies on another, and its variables are there")
  func layout() throws {
    let dashboard = try dashboard()
    #expect(Set(dashboard.panels.map(\.id)).count == dashboard.panels.count)
    #expect(dashboard.templating.list.map(\.name) == ["datasource", "instance"])
    var cells: Set<[Int]> = []
    for panel in dashboard.panels {
      let place = panel.gridPos
      #expect(place.x + place.w <= 24)
      for x in place.x..<place.x + place.w {
        for y in place.y..<place.y + place.h { #expect(cells.insert([x, y]).inserted, "\(panel.title)") }
      }
    }
  }
}
