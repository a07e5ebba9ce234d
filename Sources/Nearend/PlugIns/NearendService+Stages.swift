import Foundation
import RealtimeCore
import SessionModel

/// LADSPA plug-ins as stages (S6). [any]
extension NearendService {
  /// Appends a plug-in to a chain, once it has been tried in a process of its own. Blocks for the trial: seconds, if the plug-in hangs.
  ///
  /// - Parameters:
  ///   - address: a file, absolute or searched for in `LADSPA_PATH`, and the plug-in's label in it.
  ///   - chain: the signal that it works on.
  ///   - id: a name of letters, digits, '-', '_' or '.'; nil uses the label.
  ///   - settings: values by port name; others are the plug-in's own defaults.
  /// - Throws: `PlugInError`, `.stopped` after `endTrials`; nothing has changed then.
  @discardableResult
  package func addStage(
    _ address: PlugInAddress, to chain: PlugInChain, id: String? = nil, settings: [String: Double] = [:]
  ) throws(PlugInError) -> StageStatus {
    let environment = ProcessInfo.processInfo.environment
    let path = try PlugInLibrary.find(address.file, environment)
    if var plugInTrial {
      plugInTrial.end = trialEnd
      _ = try plugInTrial.facts(path: path, label: address.label, rate: core.plugIns.rate, settings: settings)
    } else {
      log.add(.warning, "\(address) is loaded untried: there is no program 'nearend' in PATH to try it in")
    }
    let whole = PlugInAddress(file: path, label: address.label)
    let status = StageStatus(try core.plugIns.add(whole, to: chain, id: id, settings: settings, environment: environment))
    log.add(.info, "stage \(status.id) in the \(chain.rawValue) chain: \(status.name)")
    return status
  }

  /// Fades a plug-in out, and frees it. Returns false for an unknown name.
  @discardableResult
  package func removeStage(id: String) -> Bool {
    guard core.plugIns.remove(id) else { return false }
    log.add(.info, "stage \(id) removed")
    return true
  }

  /// Sets control ports by name.
  /// - Throws: `PlugInError.unknownStage`, `.noPort` or `.value`; nothing has changed then.
  @discardableResult
  package func setStage(id: String, _ settings: [String: Double]) throws(PlugInError) -> StageStatus {
    StageStatus(try core.plugIns.set(id, settings))
  }

  /// Ends the trial in progress, if any, and starts no further one. Idempotent.
  package func endTrials() { trialEnd.request() }

  /// All stages, in signal order within a chain.
  package var stages: [StageStatus] { core.plugIns.status.map { StageStatus($0) } }
}
