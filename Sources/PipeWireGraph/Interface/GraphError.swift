import PipeWireClient
import SessionModel

/// Why nearend cannot join the graph, with the remedy. [any]
public enum GraphError: Error, Sendable, Equatable, CustomStringConvertible {
  /// No PipeWire daemon answers: why, and what to do.
  case noDaemon(reason: String)
  /// Another nearend holds the node; includes its process id if known.
  case alreadyRunning(pid: Int?)
  /// `--mic` or `--speaker` names a device that does not exist; includes the existing ones.
  case unknownDevice(name: String, direction: Device.Direction, available: [Device])
  /// The daemon refused something essential.
  case refused(reason: String)
  /// An engine observer of the program refused.
  case vetoed(EngineVeto)

  public var description: String {
    switch self {
    case .noDaemon(let reason): return reason
    case .alreadyRunning(let pid):
      return "another nearend\(pid.map { " (process \($0))" } ?? "") runs in this session; stop it first, or see it with nearend attach"
    case .unknownDevice(let name, let direction, let available):
      let option = direction == .input ? "--mic" : "--speaker"
      let kind = direction == .input ? "microphone" : "speaker"
      let names = available.filter { $0.direction == direction }.map(\.name)
      let list = names.isEmpty ? "there is none now" : "there are: \(names.joined(separator: ", "))"
      let isOther = available.contains { $0.name == name }
      return "\(option) \(name): \(isOther ? "that is no \(kind)" : "no \(kind) of that name"); \(list)"
    case .refused(let reason): return reason
    case .vetoed(let veto): return veto.description
    }
  }

  init(_ error: PipeWireError) {
    switch error.code {
    case .noDaemon, .connectionLost: self = .noDaemon(reason: "\(error.description); \(error.remedy ?? PipeWireError.startDaemon)")
    case .refused: self = .refused(reason: error.remedy.map { "\(error.description); \($0)" } ?? error.description)
    }
  }
}

/// The hook of an engine observer that refused a step, and why (S6). [any]
public struct EngineVeto: Error, Sendable, Equatable, CustomStringConvertible {
  /// The hooks that may refuse.
  public enum Hook: String, Sendable, CaseIterable { case didCreate, willEnable, willConnectInput, willConnectOutput, willStart }
  /// The refused step; the chain has undone the steps before it.
  public let hook: Hook
  /// The error that the hook threw.
  public let error: any Error

  /// Creates the veto of an observer whose `hook` threw `error`.
  public init(hook: Hook, error: any Error) {
    self.hook = hook
    self.error = error
  }

  /// Compares errors by their text: a program's own errors need not be comparable.
  public static func == (a: EngineVeto, b: EngineVeto) -> Bool { a.hook == b.hook && "\(a.error)" == "\(b.error)" }

  public var description: String { "an engine observer refused in \(hook.rawValue): \(error)" }
}
