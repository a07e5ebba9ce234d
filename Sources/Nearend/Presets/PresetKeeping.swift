import SessionModel

/// Whoever keeps a running nearend's presets; calls may take as long as files do. [any]
package protocol PresetKeeping: AnyObject, Sendable {
  /// All of them, sorted by name.
  var presets: [PresetStatus] { get }
  /// In short, from memory.
  var presetsStatus: PresetsStatus { get }
  /// Sets all that a preset sets, or nothing.
  func loadPreset(_ name: String) throws(PresetError)
  /// Writes the settings as they are now, in place of what a preset of that name said. Returns where.
  func savePreset(_ name: String) throws(PresetError) -> String
  /// Removes a saved preset.
  func removePreset(_ name: String) throws(PresetError)
}

/// Why a preset cannot be loaded, saved or removed. [any]
package enum PresetError: Error, Sendable, Equatable, CustomStringConvertible {
  case impossibleName(String, problem: String)
  case unknown(String, known: [String])
  /// It is there, but wrong; or what it sets was refused.
  case refused(String)
  /// Something else has it, so that it can only be changed there.
  case held(String)
  case noFiles
  case unwritable(path: String, reason: String)

  package var description: String {
    switch self {
    case .impossibleName(let name, let problem): "invalid preset name '\(name)': \(problem)"
    case .unknown(let name, let known):
      "there is no preset '\(name)'; "
        + (known.isEmpty
          ? "'nearend preset save \(name)' makes one of the settings as they are" : "there are: \(known.joined(separator: ", "))")
    case .refused(let reason), .held(let reason): reason
    case .noFiles: "this nearend keeps no presets: a rehearsal, and one without XDG_CONFIG_HOME and HOME, has no files"
    case .unwritable(let path, let reason): "\(path) cannot be written: \(reason)"
    }
  }
}

/// Presets. [any]
extension NearendService {
  /// Sets who keeps presets; nil for nobody.
  package func keepPresets(_ keeper: (any PresetKeeping)?) { presetKeeper.set(keeper) }

  /// Who keeps presets.
  package var presets: (any PresetKeeping)? { presetKeeper.current }

  func loadPreset(_ name: String) {
    do throws(PresetError) {
      guard let presets else { throw .noFiles }
      try presets.loadPreset(name)
    } catch {
      log.add(.warning, "preset: \(error)")
    }
  }
}
