/// Why a LADSPA plug-in cannot be a stage, or cannot take a setting, with the remedy. [any]
public enum PlugInError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Not FILE:LABEL.
  case address(String)
  case notFound(file: String, folders: [String])
  /// The library cannot be loaded, or is not a LADSPA library.
  case library(path: String, reason: String)
  case noLabel(path: String, label: String, labels: [String])
  case channels(label: String, inputs: Int, outputs: Int, chain: PlugInChain)
  case noPort(label: String, port: String, ports: [String])
  case value(port: String, value: Double, possible: String)
  /// The plug-in does not start at a sample rate in Hz.
  case refused(label: String, rate: Int)
  /// Its delay in frames exceeds what a plug-in on the worker may have.
  case tooLate(label: String, latency: Int, most: Int)
  /// The process that tried it crashed, hung or ended early.
  case trial(label: String, reason: String)
  /// The session ended during the trial.
  case stopped(label: String)
  case impossibleId(String, reason: String)
  case taken(id: String)
  case tooMany(most: Int)
  case unknownStage(id: String, ids: [String])

  public var description: String {
    func list(_ names: [String], none: String) -> String { names.isEmpty ? none : "there are: \(names.joined(separator: ", "))" }
    return switch self {
    case .address(let text): "'\(text)' is no plug-in: give FILE:LABEL, such as amp_1181:amp"
    case .notFound(let file, let folders):
      "there is no LADSPA library '\(file)' in \(folders.joined(separator: ", ")): install it, set LADSPA_PATH, or give its whole path"
    case .library(let path, let reason): "\(path) cannot be used as a LADSPA library: \(reason)"
    case .noLabel(let path, let label, let labels):
      "\(path) has no plug-in \(label.isEmpty ? "without a label" : "'\(label)'"); \(list(labels, none: "it has none"))"
    case .channels(let label, let inputs, let outputs, let chain):
      "'\(label)' has \(inputs) audio input\(inputs == 1 ? "" : "s") and \(outputs) output\(outputs == 1 ? "" : "s"); the \(chain.rawValue) chain takes "
        + (chain == .capture
          ? "plug-ins with 1 and 1: choose a mono one" : "plug-ins with 1 and 1, run once per side, or with 2 and 2: choose such a one")
    case .noPort(let label, let port, let ports): "'\(label)' has no port '\(port)'; \(list(ports, none: "it has none to set"))"
    case .value(let port, let value, let possible): "'\(port)' cannot be \(PlugInPort.text(value)): give \(possible)"
    case .refused(let label, let rate): "'\(label)' does not start at \(rate) Hz: choose another plug-in, or another rate of the graph"
    case .tooLate(let label, let latency, let most):
      "'\(label)' is \(latency) frames late; off the audio thread \(most) are the most: choose settings or a plug-in with less delay"
    case .trial(let label, let reason): "'\(label)' \(reason), when it was tried in a process of its own: it is not used"
    case .stopped(let label): "nearend ended while '\(label)' was tried in a process of its own"
    case .impossibleId(let id, let reason): "'\(id)' cannot be a stage's name: \(reason)"
    case .taken(let id): "there is a stage '\(id)' already: choose another name, or remove that one first"
    case .tooMany(let most): "there are \(most) plug-ins already, which is the most: remove one first"
    case .unknownStage(let id, let ids): "there is no stage '\(id)'; \(list(ids, none: "there is none now"))"
    }
  }
}
