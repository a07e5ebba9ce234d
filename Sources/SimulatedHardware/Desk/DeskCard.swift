import PipeWireClient

/// A device on the desk as a value: what it is, what it could do, and what it does now. What changes it is what changes real ones: a jack, a
/// choice of profile, a choice of route.
public struct DeskCard: Sendable, Equatable {
  /// How tests and scripts call it.
  public enum Kind: String, Sendable, CaseIterable { case laptop, usb, hdmi, bluetooth }

  public let kind: Kind
  /// `device.name`.
  public var name: String
  /// `device.description`, and what the nodes' descriptions begin with.
  public var description: String
  /// The device's other properties, as ALSA and BlueZ give them.
  public var properties: Properties
  public var profiles: [DeskProfile]
  public var routes: [DeskRoute]
  /// Index into `profiles`. A card begins off: which profile it gets is the session manager's choice.
  public internal(set) var profile = 0
  /// Index into `routes` of the active one, by `card.profile.device`.
  public internal(set) var activeRoutes: [Int: Int] = [:]
  /// Linear, and muted, by `card.profile.device`.
  var volumes: [Int: Float] = [:]
  var muted: Set<Int> = []
  /// Whether the last choice is one to be remembered (`save` of the params).
  var isProfileSaved = false
  var savedRoutes: Set<Int> = []

  public init(
    _ kind: Kind, name: String, description: String, properties: Properties, profiles: [DeskProfile], routes: [DeskRoute]
  ) {
    self.kind = kind
    self.name = name
    self.description = description
    self.properties = properties
    self.profiles = profiles
    self.routes = routes
  }

  public var activeProfile: DeskProfile { profiles[profile] }

  /// The route of `name`; nil where the card has none of that name.
  public func route(_ name: String) -> DeskRoute? { routes.first { $0.name == name } }

  /// The active route of the nodes of a direction; nil where there is none.
  public func activeRoute(_ direction: DeskRoute.Direction) -> DeskRoute? {
    activeProfile.nodes.first { $0.direction == direction }.flatMap { activeRoutes[$0.device] }.map { routes[$0] }
  }

  /// No where none of its routes has anything plugged in, yes where one has, unknown otherwise.
  func availability(ofProfile index: Int) -> DeskRoute.Availability {
    let own = routes.filter { $0.profiles.contains(index) }.map(\.availability)
    if index == 0 || own.contains(.yes) { return .yes }
    return own.allSatisfy { $0 == .no } ? .no : .unknown
  }

  /// Makes a profile the active one; its nodes get the best route each. False where there is none of that index.
  mutating func select(profile index: Int, isSaved: Bool = false) -> Bool {
    guard profiles.indices.contains(index) else { return false }
    profile = index
    isProfileSaved = isSaved
    activeRoutes = [:]
    for node in activeProfile.nodes { activeRoutes[node.device] = bestRoute(for: node.device) }
    return true
  }

  /// Makes a route the active one of a node. False where it cannot be.
  mutating func select(route index: Int, device: Int, isSaved: Bool = false) -> Bool {
    guard routes.indices.contains(index), routes[index].devices.contains(device), routes[index].profiles.contains(profile),
      activeProfile.nodes.contains(where: { $0.device == device })
    else { return false }
    activeRoutes[device] = index
    if isSaved { savedRoutes.insert(index) } else { savedRoutes.remove(index) }
    return true
  }

  /// Puts something into a jack, or pulls it out. Which route is active then is the session manager's choice.
  mutating func set(_ availability: DeskRoute.Availability, of name: String) {
    for index in routes.indices where routes[index].name == name { routes[index].availability = availability }
  }

  /// A volume or mute by whoever sets the Route param; nil leaves it.
  mutating func set(volume: Float?, isMuted: Bool?, of device: Int) {
    if let volume { volumes[device] = volume }
    guard let isMuted else { return }
    if isMuted { muted.insert(device) } else { muted.remove(device) }
  }

  /// The same thing, new to the session manager: off.
  var asPluggedIn: DeskCard {
    var card = self
    (card.profile, card.activeRoutes, card.isProfileSaved, card.savedRoutes) = (0, [:], false, [])
    return card
  }

  private func bestRoute(for device: Int) -> Int? {
    func rank(_ index: Int) -> (Int, Int) { (routes[index].availability == .yes ? 1 : 0, routes[index].priority) }
    return routes.indices
      .filter { routes[$0].devices.contains(device) && routes[$0].profiles.contains(profile) && routes[$0].availability != .no }
      .max { rank($0) < rank($1) }
  }
}
