import SessionModel

/// Several settings at once, all or none. [any]
extension NearendService {
  /// Sets several settings, by name or alias.
  /// - Throws: `SettingError` for the first invalid one; all is as it was then.
  package func set(_ values: [String: EventValue]) throws(SettingError) {
    var changes: [Setting: EventValue] = [:]
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      guard let setting = Setting(named: name) else { throw .unknown(name: name) }
      guard changes.updateValue(value, forKey: setting) == nil else {
        throw .badValue(setting: setting.rawValue, value: "\(value)", possible: "it once, by its name or its alias")
      }
    }
    try set(changes)
  }

  /// Sets several settings. All are checked before the first is set; where one is refused only then, those before it are set back.
  /// - Throws: `SettingError` for the first invalid one; all is as it was then.
  package func set(_ values: [Setting: EventValue]) throws(SettingError) {
    // In the settings' own order: a client that writes back what it read sets the canceller's engine and then its switch, which refers to
    // that engine.
    var changes: [(setting: Setting, value: EventValue)] = []
    for setting in Setting.allCases {
      guard let given = values[setting] else { continue }
      let value = try settings.checked(setting, given)
      let isLockable = setting.has(.isInitOnly) && value != self.value(of: setting)
      if isLockable, session.current.isLocked { throw .locked(setting: setting.rawValue) }
      if isLockable || !setting.has(.isInitOnly) { changes.append((setting, value)) }
    }
    // First those that can still be refused, if the session is just ending or media is registered at this moment. Prepared recording locks
    // the others.
    changes =
      changes.filter { $0.setting.has(.isInitOnly) } + changes.filter { $0.setting == .recordingAlwaysPrepared }
      + changes.filter { !$0.setting.has(.isInitOnly) && $0.setting != .recordingAlwaysPrepared }
    var done: [(setting: Setting, value: EventValue)] = []
    for (setting, value) in changes {
      let before = self.value(of: setting)
      do throws(SettingError) { try set(setting, to: value) } catch {
        for (setting, value) in done.reversed() { try? set(setting, to: value) }
        throw error
      }
      done.append((setting, before))
    }
  }
}
