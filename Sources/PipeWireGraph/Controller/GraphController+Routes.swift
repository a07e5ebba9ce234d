import SessionModel

/// A request of a person or a program concerning the route.
public enum RouteRequest: Sendable, Equatable {
  /// Makes nearend's devices the session's defaults, or restores the former ones (R2).
  case setDefaultDevices(Bool)
  /// Sets whether the render path pauses when headphones are gone (R5).
  case setPauseOnUnplug(Bool)
  /// Resumes, in the room, what has been paused since headphones were unplugged (R5).
  case resume
  /// What the echo canceller hears of the speaker (V4).
  case setReference(ReferenceSource)
}

/// The settings of the route in effect.
public struct RouteSettings: Sendable, Equatable {
  public var areOursDefault: Bool
  public var pausesOnUnplug: Bool
  public var reference: ReferenceSource

  public init(areOursDefault: Bool = false, pausesOnUnplug: Bool = true, reference: ReferenceSource = .everything) {
    self.areOursDefault = areOursDefault
    self.pausesOnUnplug = pausesOnUnplug
    self.reference = reference
  }
}

extension GraphController {
  /// Uses this device instead of the session manager's default; nil follows the default again. [any]
  public func pick(_ direction: Device.Direction, name: String?) {
    loop.locked {
      routes.take(.pick(direction, name: name))
      dirty.raise()
    }
  }

  /// Returns whether a node is one of nearend's own, which cannot be picked because its sound would come back (R1). [any]
  public static func isOwnNode(_ name: String) -> Bool { NodeNames.isOurs(name) }

  /// The picked device; nil while the default is followed. [any]
  public func picked(_ direction: Device.Direction) -> String? { loop.locked { routes.state.picked[direction] } }

  /// Carries out a request. [any]
  public func ask(_ request: RouteRequest) {
    loop.locked {
      switch request {
      case .setDefaultDevices(let on): routes.take(.setDefaultDevices(on))
      case .setPauseOnUnplug(let on): routes.take(.setPauseOnUnplug(on))
      case .resume: routes.take(.resume)
      case .setReference(let source): reference = source
      }
      dirty.raise()
    }
  }

  /// The settings in effect. [any]
  public var routeSettings: RouteSettings {
    loop.locked {
      RouteSettings(areOursDefault: routes.state.areOursWanted, pausesOnUnplug: routes.state.pausesOnUnplug, reference: reference)
    }
  }
}
