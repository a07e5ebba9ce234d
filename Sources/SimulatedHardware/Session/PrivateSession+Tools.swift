import Foundation
internal import Glibc
import Platform

/// The output and exit of a tool.
package struct ToolResult: Sendable, Equatable {
  /// The standard output, as UTF-8.
  package var output: String
  /// The standard error, as UTF-8.
  package var errors: String
  /// How the tool ended; its failure is no error of `run`.
  package var exit: ChildProcess.Exit
  /// Whether the tool exited with status 0.
  package var succeeded: Bool { exit == .status(0) }
}

extension PrivateSession {
  /// Runs a tool (`pw-link`, `pactl`, …) in the session and waits for its end; it is killed after `timeout` seconds, and the error
  /// describes what it and the daemons were doing.
  /// - Throws: `SessionError` with code `missingProgram` or `timedOut`. A failure of the tool itself is not an error here: see
  ///   `ToolResult.exit`.
  package func run(_ program: String, _ arguments: [String], timeout: Double = factTimeout) throws -> ToolResult {
    let name = "\(path)/logs/tool-\(UInt64.random(in: .min ... .max))"
    let files = ["\(name).out", "\(name).err"]
    defer { files.forEach { unlink($0) } }
    let process = try ChildProcess(
      program, arguments, environment: environment, group: group, output: .file(files[0]), errors: .file(files[1]))
    guard let exit = process.wait(timeout: timeout) else {
      let conditions =
        condition(ofProcess: process.pid)
        + daemonsToRun.compactMap { daemon in
          self.process(of: daemon).map { "\n\(daemon): \(condition(ofProcess: $0.pid))" }
        }.joined()
      process.end(grace: 0.2)
      throw SessionError(
        .timedOut, "'\(([program] + arguments).joined(separator: " "))' did not end within \(timeout) s: \(conditions)")
    }
    let texts = try files.map { file in
      guard let text = text(ofFile: file) else { throw SessionError.system("reading \(file)", errno) }
      return text
    }
    return ToolResult(output: texts[0], errors: texts[1], exit: exit)
  }

  /// As `run(_:_:timeout:)`, with the usual timeout.
  package func run(_ program: String, _ arguments: String...) throws -> ToolResult { try run(program, arguments) }

  /// Starts a client in the session; it ends with the session at the latest. Its output goes to the file `output`, or nowhere.
  package func spawn(_ program: String, _ arguments: [String] = [], output: String? = nil) throws -> ChildProcess {
    let stream: ChildProcess.Stream = output.map { .file($0) } ?? .null
    return try spawn(program, arguments, input: .null, output: stream, errors: stream)
  }

  /// As above, in a terminal of the caller, whose descriptor stays open here.
  package func spawn(_ program: String, _ arguments: [String], terminal: Int32) throws -> ChildProcess {
    try spawn(program, arguments, input: .descriptor(terminal), output: .descriptor(terminal), errors: .null)
  }

  func spawn(
    _ program: String, _ arguments: [String], input: ChildProcess.Stream, output: ChildProcess.Stream, errors: ChildProcess.Stream
  ) throws -> ChildProcess {
    let process = try ChildProcess(
      program, arguments, environment: environment, group: group, input: input, output: output, errors: errors)
    state.withLock { $0.clients.append(process) }
    return process
  }

  /// Every port in the graph, as `node:port`; empty while the daemon is away.
  package func ports() throws -> Set<String> {
    Set(try run("pw-link", "-io").output.split(separator: "\n").map { $0.trimmed })
  }

  /// Every link in the graph, with its state ("active" where audio flows); empty while the daemon is away.
  package func links() throws -> [Link: String] {
    guard let dump = try? JSONDecoder().decode([DumpedObject].self, from: Data(run("pw-dump", []).output.utf8)) else { return [:] }
    let nodes = Dictionary(dump.map { ($0.id, $0.info?.props?["node.name"]?.text ?? "?") }, uniquingKeysWith: { $1 })
    var ports: [Int: String] = [:]
    for object in dump where object.type.hasSuffix(":Port") {
      guard let properties = object.info?.props, let node = properties["node.id"]?.number, let name = properties["port.name"]?.text else {
        continue
      }
      ports[object.id] = "\(nodes[node] ?? "?"):\(name)"
    }
    var links: [Link: String] = [:]
    for case (let info?, true) in dump.map({ ($0.info, $0.type.hasSuffix(":Link")) }) {
      guard let from = info.output.flatMap({ ports[$0] }), let to = info.input.flatMap({ ports[$0] }) else { continue }
      links[Link(from: from, to: to)] = info.state ?? "unknown"
    }
    return links
  }

  /// A link between two ports, each `node:port`.
  package struct Link: Sendable, Hashable {
    /// The output port, as `node:port`.
    package var from: String
    /// The input port, as `node:port`.
    package var to: String
    /// Describes a link from an output port to an input port, whether it exists or not.
    package init(from: String, to: String) {
      self.from = from
      self.to = to
    }
  }

  /// Links two ports, and waits until both exist and audio flows.
  package func link(_ from: String, _ to: String) throws {
    let link = Link(from: from, to: to)
    try wait(forPorts: [from, to])
    var state: String?
    try wait(for: "the link \(from) → \(to) to be active", detail: { "it is \(state ?? "not there")" }) {
      let links = try links()
      state = links[link]
      if links[link] == nil { _ = try run("pw-link", from, to) }
      return links[link] == "active"
    }
  }

  /// Returns what `pw-metadata` tells of the metadata "default": of a subject, or of all for nil; of a key, or of all for nil.
  ///
  /// Of clients that bind it at the same time, the daemon (0.3.65 to 1.6) tells the values to one alone: a reading without any is repeated.
  package func metadata(_ key: String? = nil, of subject: Int? = 0) throws -> String {
    var text = ""
    try wait(for: "the metadata", detail: { text }) {
      text = try run("pw-metadata", [subject.map { "\($0)" }, key].compactMap { $0 }).output
      return text.firstRange(of: "update:") != nil
    }
    return text
  }

  /// Returns the names of devices that the metadata "default" has for its keys; "" for none.
  package func deviceNames(_ keys: [String]) throws -> [String] {
    let lines = try metadata().split(separator: "\n")
    return keys.map { key in
      lines.last { $0.firstRange(of: "key:'\(key)'") != nil }?.split(separator: "\"").dropFirst(3).first.map(String.init) ?? ""
    }
  }

  /// The names of the effective default devices, sink first.
  package var defaults: [String] { get throws { try deviceNames(["default.audio.sink", "default.audio.source"]) } }

  /// Waits until every port exists, given as `node:port`.
  /// - Parameter timeout: seconds; nil for the configuration's.
  /// - Throws: `SessionError`: `timedOut`, which names the missing ones, or `programFailed`.
  package func wait(forPorts names: [String], timeout: Double? = nil) throws {
    var missing = names
    try wait(for: "ports", timeout: timeout, detail: { "missing: \(missing.joined(separator: ", "))" }) {
      let ports = try ports()
      missing = names.filter { !ports.contains($0) }
      return missing.isEmpty
    }
  }

  /// Waits until `fact` is true.
  /// - Throws: `SessionError`: `timedOut`, or `programFailed` as soon as a daemon has died, with the end of its log.
  package func wait(for what: String, timeout: Double? = nil, _ fact: () throws -> Bool) throws {
    try wait(for: what, timeout: timeout, detail: { "" }, fact)
  }

  /// Waits until `fact` is true; `detail` describes the actual state if it does not become true in time.
  /// - Throws: as above.
  package func wait(for what: String, timeout: Double? = nil, detail: () -> String, _ fact: () throws -> Bool) throws {
    let limit = timeout ?? configuration.timeout
    let answer: Bool? = try poll(timeout: limit) {
      if try fact() { return true }
      try checkDaemons("waiting for \(what)")
      return nil
    }
    guard answer == nil else { return }
    throw SessionError(.timedOut, "waited \(limit) s for \(what); \(detail())", remedy: "is the machine overloaded?")
  }

  /// Throws if a daemon has ended that nobody stopped.
  /// - Parameter occasion: begins the error's message.
  /// - Throws: `SessionError`: `programFailed`, with the end of the daemon's log.
  package func checkDaemons(_ occasion: String) throws {
    let mayEnd = state.withLock { $0.mayEnd }
    for daemon in daemonsToRun where !mayEnd.contains(daemon) {
      guard let exit = process(of: daemon)?.exit else { continue }
      throw SessionError(
        .programFailed, "\(occasion): \(daemon.rawValue) has ended (\(exit)); it said last:\n\(lastWords(of: daemon))")
    }
  }
}

/// The parts of `pw-dump`'s objects that are read.
private struct DumpedObject: Decodable {
  struct Info: Decodable {
    var props: [String: Value]?
    var output: Int?
    var input: Int?
    var state: String?
    enum CodingKeys: String, CodingKey {
      case props, state
      case output = "output-port-id"
      case input = "input-port-id"
    }
  }
  enum Value: Decodable {
    case text(String)
    case number(Int)
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else {
        self = .other
      }
    }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { number } else { nil } }
  }
  var id: Int
  var type: String
  var info: Info?
}
