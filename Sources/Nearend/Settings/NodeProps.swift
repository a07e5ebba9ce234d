import PipeWireGraph
import SessionModel

/// The settings as the filter node's Props (O2): published to the graph, and set from it.
///
///     pw-cli set-param nearend Props '{ params = [ "noiseSuppression" false "outputVolume" 0.5 ] }'
struct NodeProps: Sendable {
  let settings: ServiceSettings

  /// Returns every setting as a parameter of the node. [any]
  func parameters() -> [GraphParameters.Parameter] {
    Setting.allCases.map { setting in
      let value: GraphParameters.Value =
        switch settings.value(of: setting) {
        case .bool(let value): .bool(value)
        case .integer(let value): .number(Double(value))
        case .number(let value): .number(value)
        case .string(let value): .text(value)
        }
      return GraphParameters.Parameter(
        name: setting.rawValue, description: setting.summary, value: value, range: setting.kind == .volume ? 0...1 : nil)
    }
  }

  /// Applies changes of the Props. Each stands alone: an invalid one is logged and ignored. [any]
  func apply(_ changes: [GraphParameters.Change]) {
    for change in changes {
      do throws(SettingError) {
        guard let value = change.value else { throw .valueless(change.name) }
        guard let setting = Setting(named: change.name) else { throw .unknown(name: change.name) }
        try settings.set(setting, to: try setting.value(of: value))
      } catch {
        if case .locked = error { continue }  // The session has logged it.
        settings.log.add(.warning, "Props: \(error.description)")
      }
    }
  }
}

extension Setting {
  /// Converts a parameter's value to the setting's kind. JSON typed by hand may have "on" or 1 for true.
  /// - Throws: `SettingError.badValue`.
  fileprivate func value(of value: GraphParameters.Value) throws(SettingError) -> EventValue {
    switch (kind, value) {
    case (.deviceName, .text(let text)): .string(text)
    case (.bool, .number(let number)), (.switchedChoice, .number(let number)): try parse("\(Int(exactly: number) ?? -1)")
    case (_, .text(let text)): try parse(text)
    case (_, .number(let number)): try checked(.number(number))
    case (_, .bool(let value)): try checked(.bool(value))
    }
  }
}

extension SettingError {
  /// For a name without a usable value, or a key of the Props other than "params", which is no setting.
  fileprivate static func valueless(_ name: String) -> SettingError {
    Setting(rawValue: name) == nil ? .unknown(name: name) : .badValue(setting: name, value: "null", possible: "a value of its own kind")
  }
}
