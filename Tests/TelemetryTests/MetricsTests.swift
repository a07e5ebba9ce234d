import SessionModel
import TestSupport
import Testing

@Suite("Metrics")
struct MetricsTests {
  @Test("T1: metrics are Prometheus' text format 0.0.4, to a strict reader, idle and in a call")
  func format() throws {
    for report in [Sample.idle, Sample.call] { _ = try Exposition(ServiceMetrics(report).text) }
  }

  @Test("T1: metrics describe the session in base units")
  func values() throws {
    let metrics = try Exposition(ServiceMetrics(Sample.call).text)
    #expect(metrics["nearend_cycles_total"] == 1_234)
    #expect(metrics["nearend_xruns_total"] == 2)
    #expect(metrics["nearend_busy_ratio"] == 0.0625)
    #expect(metrics["nearend_latency_seconds", "path", "capture"] == 720.0 / 48_000)
    #expect(metrics["nearend_latency_seconds", "path", "render"] == 0)
    #expect(metrics["nearend_erle_decibels"] == 24.5 && metrics["nearend_echo_reduction_decibels"] == 48.5)
    #expect(metrics["nearend_echo_delay_seconds"] == 0.0425)
    #expect(metrics["nearend_session_state", "state", "active"] == 1)
    #expect(metrics["nearend_session_state", "state", "idle"] == 0)
    #expect(metrics["nearend_interruptions_total", "reason", "daemonLost"] == 2)
    #expect(metrics["nearend_interruptions_total", "reason", "noDevice"] == 0)
    #expect(metrics["nearend_interruption_seconds_total", "reason", "daemonLost"] == 1.5)
    #expect(metrics["nearend_interruption_seconds_total", "reason", "frozen"] == 0)
    #expect(metrics["nearend_events_total", "kind", "interruptionBegan"] == 2)
    #expect(metrics["nearend_uptime_seconds"] == 75)
    #expect(metrics["process_cpu_seconds_total"] == 1.5)
    #expect(metrics["nearend_telemetry_dropped_total", "outlet", "http"] == 7)
    #expect(metrics["nearend_media", "direction", "send"] == 1)
    #expect(metrics["nearend_media", "direction", "receive"] == 2)
  }

  @Test("K5 K6: metrics contain each ring sink's fill, underruns, drops and frames")
  func sinks() throws {
    let metrics = try Exposition(ServiceMetrics(Sample.call).text)
    #expect(metrics["nearend_sink_fill_ratio", "sink", "sink-def456"] == 0.5)
    #expect(metrics["nearend_sink_buffered_bytes", "sink", "sink-def456"] == 9_600)
    #expect(metrics["nearend_sink_underruns_total", "sink", "sink-def456"] == 4)
    #expect(metrics["nearend_sink_drops_total", "sink", "sink-def456"] == 3)
    #expect(metrics["nearend_sink_written_frames_total", "sink", "sink-def456"] == 96_000)
    #expect(metrics["nearend_sink_jitter_seconds", "sink", "sink-def456"] == 0.0025)
    #expect(metrics["nearend_sink_gain_ratio", "sink", "alice"] == 1, "a graph sink has gain")
    #expect(metrics["nearend_sink_fill_ratio", "sink", "alice"] == nil, "and no ring")
  }

  @Test("O9: metrics tell which plug-ins run")
  func stages() throws {
    var report = Sample.idle
    for (id, state) in [("near", StageStatus.State.running), ("far", .muted), ("room", .failed)] {
      report.snapshot.stages.append(
        StageStatus(
          id: id, chain: .capture, file: "amp_1181.so", label: "amp", name: "Simple amplifier", isOnAudioThread: true, latency: 0,
          state: state, reason: nil, lateBlocks: 0, ports: []))
    }
    let metrics = try Exposition(ServiceMetrics(report).text)
    #expect(metrics["nearend_stage_running", "stage", "near"] == 1)
    #expect(metrics["nearend_stage_running", "stage", "far"] == 0 && metrics["nearend_stage_running", "stage", "room"] == 0)
  }

  @Test("T1: a label may hold anything", arguments: ["quo\"te", "back\\slash", "line\nbreak", "\r\n", "é 🎙", "a\\n\"}", ""])
  func labels(id: String) throws {
    var report = Sample.idle
    report.snapshot.sinks = [SinkStatus(id: id, totalUnderruns: 5)]
    #expect(try Exposition(ServiceMetrics(report).text)["nearend_sink_underruns_total", "sink", id] == 5)
  }

  @Test("T1: NaN and infinity are written as the format requires")
  func numbers() throws {
    var report = Sample.idle
    report.snapshot.graph.busyRatio = .nan
    report.snapshot.graph.busyRatioPeak = .infinity
    let metrics = try Exposition(ServiceMetrics(report).text)
    #expect(metrics["nearend_busy_ratio"]?.isNaN == true)
    #expect(metrics["nearend_busy_peak_ratio"] == .infinity)
  }

  @Test(
    "T1: the test's Prometheus parser rejects malformed text",
    arguments: [
      "a 1", "# TYPE a gauge\na 1", "# HELP a x\n# TYPE a gauge\na{b=\"c} 1", "# HELP a x\n# TYPE a gauge\na one",
      "# HELP a x\n# TYPE a gauge\na 1\na 2", "# HELP 1a x\n# TYPE 1a gauge\n1a 1", "# HELP a x\n# TYPE a counter\na 1",
      "# HELP a x\n# TYPE a gauge\na{b=\"\\q\"} 1",
    ])
  func strict(text: String) { #expect(throws: Exposition.Malformed.self) { try Exposition(text + "\n") } }
}

/// Parses Prometheus' text format strictly.
struct Exposition {
  struct Malformed: Error { let line: String }
  private struct Series: Hashable {
    let name: String
    let labels: [String: String]
  }
  private var samples: [Series: Double] = [:]

  subscript(name: String) -> Double? { samples[Series(name: name, labels: [:])] }
  subscript(name: String, label: String, value: String) -> Double? { samples[Series(name: name, labels: [label: value])] }

  init(_ text: String) throws {
    var (helped, families): (String?, Set<String>) = (nil, [])
    var family: String?
    guard text.hasSuffix("\n") else { throw Malformed(line: "the last line has no end") }
    for scalars in text.unicodeScalars.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
      let line = String(String.UnicodeScalarView(scalars))
      func check(_ isRight: Bool) throws { if !isRight { throw Malformed(line: line) } }
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
      if words[0] == "#" {
        try check(words.count == 4 && Self.isName(words[2]))
        switch words[1] {
        case "HELP":
          try check(families.insert(words[2]).inserted)
          helped = words[2]
          family = nil
        case "TYPE":
          try check(helped == words[2] && family == nil && ["counter", "gauge"].contains(words[3]))
          try check((words[3] == "counter") == words[2].hasSuffix("_total"))
          family = words[2]
        default: try check(false)
        }
        continue
      }
      let (series, value) = try Self.sample(line)
      try check(series.name == family && samples[series] == nil)
      samples[series] = value
    }
  }

  private static func isName(_ text: String) -> Bool { text.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil }

  private static func sample(_ line: String) throws -> (Series, Double) {
    var rest = line.unicodeScalars[...]
    let name = String(String.UnicodeScalarView(rest.prefix { $0 != "{" && $0 != " " }))
    rest = rest.dropFirst(name.unicodeScalars.count)
    var labels: [String: String] = [:]
    if rest.first == "{" {
      rest.removeFirst()
      while true {
        let label = String(String.UnicodeScalarView(rest.prefix { $0 != "=" }))
        rest = rest.dropFirst(label.unicodeScalars.count)
        guard isName(label), labels[label] == nil, rest.popFirst() == "=", rest.popFirst() == "\"" else { throw Malformed(line: line) }
        labels[label] = try value(&rest, line)
        let next = rest.popFirst()
        if next == "}" { break }
        guard next == "," else { throw Malformed(line: line) }
      }
    }
    guard isName(name), rest.popFirst() == " " else { throw Malformed(line: line) }
    let number = String(String.UnicodeScalarView(rest))
    let special: [String: Double] = ["NaN": .nan, "+Inf": .infinity, "-Inf": -.infinity]
    guard let value = special[number] ?? (number.first?.isLetter == true ? nil : Double(number)) else { throw Malformed(line: line) }
    return (Series(name: name, labels: labels), value)
  }

  private static func value(_ rest: inout Substring.UnicodeScalarView, _ line: String) throws -> String {
    var value = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"": return String(value)
      case "\\":
        switch rest.popFirst() {
        case "n": value.append("\n")
        case "\\": value.append("\\")
        case "\"": value.append("\"")
        default: throw Malformed(line: line)
        }
      default: value.append(scalar)
      }
    }
    throw Malformed(line: line)
  }
}
