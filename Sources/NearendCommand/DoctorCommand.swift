import ArgumentParser
import Border
import ControlClient
import Doctor
import Foundation
import Nearend
import PipeWireGraph
import Platform
import Preferences
import RealtimeCore
import SessionModel

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Diagnose audio problems and suggest remedies; exit status 1 if there is a problem.",
    discussion: """
      Examines PipeWire and its session manager, devices, defaults and other voice filters, and the running nearend: how its audio thread is scheduled, \
      lost cycles, muted or silent microphones, streams that bypass it, and whether the echo is cancelled. Changes nothing.
      """)

  @Flag(help: "Print the findings as JSON.")
  var json = false
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOwnOptions(of: "doctor", butJSON: true)
    let environment = ProcessInfo.processInfo.environment
    let findings = findings(in: DoctorFacts(environment, socket: socket.socket))
    if json || parent.display.json {
      print(try jsonDocument(findings))
    } else {
      print(findings.sorted { $0.severity > $1.severity }.map(\.text).joined(separator: "\n").printableLines())
    }
    if findings.contains(where: { $0.severity == .harm }) { throw ExitCode(ExitStatus.failure.rawValue) }
  }
}

extension Finding {
  /// A description for people.
  fileprivate var text: String {
    let mark = severity == .harm ? "PROBLEM  " : severity == .hint ? "hint     " : "ok       "
    let more = evidence + (remedy.map { ["→ \($0)"] } ?? [])
    return (["\(mark)\(summary)"] + more.map { "         \($0)" }).joined(separator: "\n")
  }
}

extension DoctorFacts {
  /// Collects all facts that are visible to this process now.
  fileprivate init(_ environment: [String: String], socket: String?) {
    self.init()
    readGraph()
    wirePlumber = Self.wirePlumberVersion()
    (library, libraryRemedy) = (CapturePath.library, WebRTCLibrary.remedy)
    readSocket(socket ?? ControlPath.standard(environment))
    if let process = graph?.nearendProcess { realtime = Self.realtime(of: process) }
    hasRealtimeKit = Self.realtimeKits.contains { access($0, X_OK) == 0 }
    if let path = PreferencePath.configuration(environment) {
      do throws(ConfigurationError) { _ = try Configuration(path: path) } catch { configurationProblems = error.lines }
    }
    if let folder = StatePath.standard(environment) {
      leftoversPath = "\(folder)/restore.json"
      leftovers = Leftovers.names(folder: folder)
    }
  }

  private static let realtimeKits: [String] = [
    "/usr/libexec/rtkit-daemon", "/usr/lib/rtkit/rtkit-daemon", "/usr/lib/rtkit-daemon",
  ]

  private mutating func readSocket(_ path: String?) {
    guard let path else { return }
    socketPath = path
    guard access(path, F_OK) == 0 else { return }
    do {
      let answer = try ControlClient(path: path).request("GET", "/status")
      guard answer.isSuccess else { return self.socket = .silent(reason: answer.reason) }
      status = try JSONDecoder.ofDocuments.decode(Snapshot.self, from: answer.body)
      self.socket = .answers
    } catch {
      switch error as? TransferError {
      case .unreachable, .unprepared:
        self.socket = Shortage.lacksDescriptors(RunningNearend.leastDescriptors) ? .unasked(.descriptors) : .stale
      default: self.socket = .silent(reason: "\(error)")
      }
    }
  }

  /// The installed WirePlumber's version; a running one does not report its own.
  private static func wirePlumberVersion() -> String? {
    let answer = output(ofCommand: "wireplumber --version", within: 3)
    return answer.firstMatch(of: /[Ll]inked with libwireplumber ([0-9.]+)/).map { String($0.output.1) }
  }

  /// Returns the priority of the process's most urgent thread, which is libpipewire's.
  private static func realtime(of process: Int32) -> Realtime? {
    guard let highest = realtimePriority(ofProcess: process) else { return nil }
    let limits = (try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)) ?? ""
    let limit = limits.firstMatch(of: /Max realtime priority +([0-9]+)/).flatMap { Int($0.output.1) } ?? 0
    return Realtime(priority: highest, limit: limit)
  }
}
