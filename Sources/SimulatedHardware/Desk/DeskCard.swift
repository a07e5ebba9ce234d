import PipeWireClient

/// A device on the desk as a value: its description, capabilities and current state. It is changed like a real one: by a jack, a choice of
/// profile, a choice of route.
package struct DeskCard: Sendable, Equatable {
  /// The name for tests and scripts.
  package enum Kind: String, Sendable, CaseIterable { case laptop, usb, hdmi, bluetooth, interface }

  /// The kind; a desk has at most one card of each.
  package let kind: Kind
  /// `device.name`.
  package var name: String
  /// `device.description`, with which the nodes' descriptions begin.
  package var description: String
  /// The device's other properties, as ALSA and BlueZ give them.
  package var properties: Properties
  /// Its profiles, "off" first.
  package var profiles: [DeskProfile]
  /// The routes of all profiles.
  package var routes: [DeskRoute]
  /// Index into `profiles`. A card starts off: the session manager chooses its profile.
  package internal(set) var profile = 0
  /// Index into `routes` of the active route, by `card.profile.device`.
  package internal(set) var activeRoutes: [Int: Int] = [:]
  /// Linear volumes and mutes, by `card.profile.device`.
  var volumes: [Int: Float] = [:]
  var muted: Set<Int> = []
  /// Whether the last choice should be remembered (`save` of the params).
  var isProfileSaved = false
  var savedRoutes: Set<Int> = []

  /// Creates a card that is off. Profiles and routes refer to each other by index.
  package init(
    _ kind: Kind, name: String, description: String, properties: Properties, profiles: [DeskProfile], routes: [DeskRoute]
  ) {
    self.kind = kind
    self.name = name
    self.description = description
    self.properties = properties
    self.profiles = profiles
    self.routes = routes
  }

  /// The profile that decides which nodes exist now.
  package var activeProfile: DeskProfile { profiles[profile] }

  /// The route of that name; nil if the card has none.
  package func route(_ name: String) -> DeskRoute? { routes.first { $0.name == name } }

  /// The active route of a direction's nodes; nil if there is none.
  package func activeRoute(_ direction: DeskRoute.Direction) -> DeskRoute? {
    activeProfile.nodes.first { $0.direction == direction }.flatMap { activeRoutes[$0.device] }.map { routes[$0] }
  }

  /// `no` if nothing is plugged into any of its routes, `yes` if something is plugged into one, otherwise `unknown`.
  func availability(ofProfile index: Int) -> DeskRoute.Availability {
    let own = routes.filter { $0.profiles.contains(index) }.map(\.availability)
    if index == 0 || own.contains(.yes) { return .yes }
    return own.allSatisfy { $0 == .no } ? .no : .unknown
  }

  /// Activates a profile, with the best route for each node. Returns false for an invalid index.
  mutating func select(profile index: Int, isSaved: Bool = false) -> Bool {
    guard profiles.indices.contains(index) else { return false }
    profile = index
    isProfileSaved = isSaved
    activeRoutes = [:]
    for node in activeProfile.nodes { activeRoutes[node.device] = bestRoute(for: node.device) }
    return true
  }

  /// Activates a route of a node. Returns false if that is impossible.
  mutating func select(route index: Int, device: Int, isSaved: Bool = false) -> Bool {
    guard routes.indices.contains(index), routes[index].devices.contains(device), routes[index].profiles.contains(profile),
      activeProfile.nodes.contains(where: { $0.device == device })
    else { return false }
    activeRoutes[device] = index
    if isSaved { savedRoutes.insert(index) } else { savedRoutes.remove(index) }
    return true
  }

  /// Plugs or unplugs a jack. The session manager then chooses the active route.
  mutating func set(_ availability: DeskRoute.Availability, of name: String) {
    for index in routes.indices where routes[index].name == name { routes[index].availability = availability }
  }

  /// Sets volume and mute, as by setting the Route param; nil keeps a value.
  mutating func set(volume: Float?, isMuted: Bool?, of device: Int) {
    if let volume { volumes[device] = volume }
    guard let isMuted else { return }
    if isMuted { muted.insert(device) } else { muted.remove(device) }
  }

  /// The same card as if newly plugged in, unknown to the session manager: off.
  var asPluggedIn: DeskCard {
    var card = self
    (card.profile, card.activeRoutes, card.isProfileSaved, card.savedRoutes) = (0, [:], false, [])
    return card
  }

  /// Makes its sources internal, as what a headset's loopback is linked to.
  mutating func hideSources(behind loopback: HeadsetLoopback) {
    for profile in profiles.indices {
      for node in profiles[profile].nodes.indices where profiles[profile].nodes[node].direction == .input {
        profiles[profile].nodes[node].isInternal = true
        profiles[profile].nodes[node].name = loopback.ownSource
        profiles[profile].nodes[node].properties.merge(loopback.ownProperties) { $1 }
      }
    }
  }

  private func bestRoute(for device: Int) -> Int? {
    func rank(_ index: Int) -> (Int, Int) { (routes[index].availability == .yes ? 1 : 0, routes[index].priority) }
    return routes.indices
      .filter { routes[$0].devices.contains(device) && routes[$0].profiles.contains(profile) && routes[$0].availability != .no }
      .max { rank($0) < rank($1) }
  }
}
