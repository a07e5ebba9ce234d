import SessionModel

extension GraphController {
  /// Uses this device instead of the session manager's default; nil follows the default again. [any]
  package func pick(_ direction: Device.Direction, name: String?) {
    loop.locked {
      routes.handle(.pick(direction, name: name))
      reconcileSoon()
    }
  }

  /// Returns whether a node is nearend's own, which cannot be picked because its sound would come back (R1). [any]
  package static func isOwnNode(_ name: String) -> Bool { NodeNames.isOurs(name) }

  /// The picked device; nil while the default is followed. [any]
  package func picked(_ direction: Device.Direction) -> String? { loop.locked { routes.state.picked[direction] } }

  /// Resumes playback in the room, paused since headphones were unplugged (R5). [any]
  package func resumeAfterUnplug() {
    loop.locked {
      routes.handle(.resume)
      reconcileSoon()
    }
  }

  /// The settings in effect. [any]
  package var settings: GraphSettings { settingsInEffect.withLock { $0 } }

  /// Sets one of the graph's settings to a value of its own kind; ignored for any other. Setting the current value has an effect, too:
  /// nearend's devices become the defaults anew. [any]
  package func set(_ setting: Setting, to value: EventValue) {
    loop.locked {
      guard settingsInEffect.withLock({ $0.set(setting, to: value) }) else { return }
      let settings = settings
      switch setting {
      case .defaultDevices: routes.handle(.setDefaultDeviceMode(settings.defaultDeviceMode))
      case .pauseOnUnplug: routes.handle(.setPauseOnUnplug(settings.pausesOnUnplug))
      case .duckingLevel, .isAdvancedDuckingEnabled: return ducking.settings = settings.ducking
      default: break
      }
      reconcileSoon()
    }
  }
}
