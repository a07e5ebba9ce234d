import Foundation
internal import Glibc

/// What a tool said, and how it ended.
public struct ToolResult: Sendable, Equatable {
  public var output: String
  public var errors: String
  public var exit: ChildProcess.Exit
  public var succeeded: Bool { exit == .status(0) }
}

extension PrivateSession {
  /// Runs a tool (`pw-link`, `pactl`, …) in the session and waits for its end; after `timeout` seconds it is killed.
  /// - Throws: `SessionError` with code `missingProgram` or `timedOut`. That the tool itself fails is no error here: see `ToolResult.exit`.
  public func run(_ program: String, _ arguments: [String] = [], timeout: Double = 10) throws -> ToolResult {
    let name = "\(path)/logs/tool-\(UInt64.random(in: .min ... .max))"
    let files = ["\(name).out", "\(name).err"]
    defer { files.forEach { unlink($0) } }
    let process = try ChildProcess(
      program, arguments, environment: environment, group: group, output: .file(files[0]), errors: .file(files[1]))
    guard let exit = process.wait(timeout: timeout) else {
      process.end(grace: 0.2)
      throw SessionError(.timedOut, "'\(([program] + arguments).joined(separator: " "))' did not end within \(timeout) s")
    }
    let texts = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }
    return ToolResult(output: texts[0], errors: texts[1], exit: exit)
  }

  public func run(_ program: String, _ arguments: String...) throws -> ToolResult { try run(program, arguments) }

  /// Starts a client in the session; it ends with the session at the latest. Its output goes to `output`, a file, or nowhere.
  public func spawn(_ program: String, _ arguments: [String] = [], output: String? = nil) throws -> ChildProcess {
    let stream: ChildProcess.Stream = output.map { .file($0) } ?? .null
    return try spawn(program, arguments, input: .null, output: stream, errors: stream)
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
  public func ports() throws -> Set<String> {
    Set(try run("pw-link", "-io").output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) })
  }

  /// Every link in the graph; empty while the daemon is away.
  public func links() throws -> Set<Link> {
    var links: Set<Link> = []
    var port = ""
    for line in try run("pw-link", "-l").output.split(separator: "\n") {
      let words = line.trimmingCharacters(in: .whitespaces)
      if words.hasPrefix("|-> ") {
        links.insert(Link(from: port, to: String(words.dropFirst(4))))
      } else if !words.hasPrefix("|") {
        port = words
      }
    }
    return links
  }

  /// A link between two ports, each `node:port`.
  public struct Link: Sendable, Hashable {
    public var from: String
    public var to: String
    public init(from: String, to: String) {
      self.from = from
      self.to = to
    }
  }

  /// Links two ports, waiting until both exist and the link does.
  public func link(_ from: String, _ to: String) throws {
    try wait(forPorts: [from, to])
    try wait(for: "the link \(from) → \(to)") {
      if try links().contains(Link(from: from, to: to)) { return true }
      _ = try run("pw-link", from, to)
      return false
    }
  }

  public func wait(forPorts names: [String], timeout: Double? = nil) throws {
    var missing = names
    try wait(for: "ports", timeout: timeout, detail: { "missing: \(missing.joined(separator: ", "))" }) {
      let ports = try ports()
      missing = names.filter { !ports.contains($0) }
      return missing.isEmpty
    }
  }

  /// Waits until `fact` is true.
  /// - Throws: `SessionError`: `timedOut`, or `programFailed` as soon as a daemon has died, with the end of its log.
  public func wait(for what: String, timeout: Double? = nil, _ fact: () throws -> Bool) throws {
    try wait(for: what, timeout: timeout, detail: { "" }, fact)
  }

  private func wait(for what: String, timeout: Double?, detail: () -> String, _ fact: () throws -> Bool) throws {
    let limit = timeout ?? configuration.timeout
    let answer: Bool? = try poll(timeout: limit) {
      if try fact() { return true }
      for daemon in daemonsToRun {
        guard let exit = process(of: daemon)?.exit else { continue }
        throw SessionError(
          .programFailed, "waiting for \(what): \(daemon.rawValue) has ended (\(exit)); it said last:\n\(lastWords(of: daemon))")
      }
      return nil
    }
    guard answer == nil else { return }
    throw SessionError(.timedOut, "waited \(limit) s for \(what); \(detail())", remedy: "is the machine overloaded?")
  }
}
