import PipeWireGraph
import SessionModel

/// The settings as the filter node's Props (O2): published to the graph, and set from it.
///
/// PipeWire passes no name on: neither the param nor its event says which client has set it, and its access and security are the
/// session manager's affair. So whatever a client may do that way is what the least trusted one may do: it can mute the microphone, and
/// cannot unmute it. What it changes is logged as changed through Props.
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
        let wanted = try settings.checked(setting, try setting.value(of: value))
        let before = settings.value(of: setting)
        if setting == .microphoneMuted, wanted == .bool(false) {
          // A program that writes back what it has read asks for nothing.
          guard before == .bool(true) else { continue }
          throw .onlyMutes
        }
        try settings.set(setting, to: wanted)
        guard settings.value(of: setting) != before else { continue }
        settings.log.add(.info, "Props: \(setting.rawValue) was set by a client of PipeWire, which does not tell whose it is")
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
  /// For an attempt to open the microphone.
  fileprivate static let onlyMutes = SettingError.badValue(
    setting: Setting.microphoneMuted.rawValue, value: "false",
    possible: "true: any client of PipeWire may set Props, and so they only mute; unmute with nearend unmute or in the dashboard")

  /// For a name without a usable value, or a key of the Props other than "params", which is no setting.
  fileprivate static func valueless(_ name: String) -> SettingError {
    Setting(rawValue: name) == nil ? .unknown(name: name) : .badValue(setting: name, value: "null", possible: "a value of its own kind")
  }
}
