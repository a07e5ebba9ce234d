import SessionModel

/// What a person or a program asks of the route.
public enum RouteRequest: Sendable, Equatable {
  /// nearend's devices are to be the session's defaults, or no longer (R2).
  case setDefaultDevices(Bool)
  /// Whether the render path pauses when headphones are gone (R5).
  case setPauseOnUnplug(Bool)
  /// What is paused since headphones went goes on, in the room (R5).
  case resume
  /// What the echo canceller hears of the speaker (V4).
  case setReference(ReferenceSource)
}

/// What was asked for, and holds.
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
      routes.pick(direction, name: name)
      dirty.raise()
    }
  }

  /// Whether a node is one of nearend's own, which cannot be picked: its sound would come back (R1). [any]
  public static func isOwnNode(_ name: String) -> Bool { NodeNames.isOurs(name) }

  /// The device that was picked; nil while the default is followed. [any]
  public func picked(_ direction: Device.Direction) -> String? { loop.locked { routes.picked(direction) } }

  /// [any]
  public func ask(_ request: RouteRequest) {
    loop.locked {
      switch request {
      case .setDefaultDevices(let on): routes.areOursWanted = on
      case .setPauseOnUnplug(let on): routes.pausesOnUnplug = on
      case .resume: routes.resume()
      case .setReference(let source): reference = source
      }
      dirty.raise()
    }
  }

  /// [any]
  public var routeSettings: RouteSettings {
    loop.locked { RouteSettings(areOursDefault: routes.areOursWanted, pausesOnUnplug: routes.pausesOnUnplug, reference: reference) }
  }
}
