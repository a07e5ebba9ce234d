internal import CPipeWire

/// A card's profiles and routes: follows its Profile, EnumProfile, Route and EnumRoute params. [control]
package final class DeviceInfo {
  /// Whether something is plugged in (`spa_param_availability`); unknown without jack detection, or if the param does not say.
  package enum Availability: UInt32, Sendable { case unknown, no, yes }

  /// A way to use the card, from its EnumProfile and Profile params, which decides which nodes exist.
  package struct Profile: Sendable, Equatable {
    /// The number by which the card's other params refer to it; not necessarily a position in `profiles`. 0 is usually "off".
    package var index: Int
    /// "a2dp-sink", "output:analog-stereo+input:analog-stereo", …
    package var name: String
    /// Higher is better; 0 if the card does not say.
    package var priority: Int
    /// `no` if nothing is plugged into the ports that it needs.
    package var availability: Availability
  }
  /// A port of the card, from its EnumRoute and Route params: a loudspeaker, a jack, a microphone.
  package struct Route: Sendable, Equatable {
    /// The number by which the card's other params refer to it; not necessarily a position in `routes`.
    package var index: Int
    /// "analog-output-speaker", …
    package var name: String
    /// The description for people.
    package var description: String
    /// Whether it captures; otherwise it plays.
    package var isInput: Bool
    /// `no` if nothing is plugged in there; `unknown` without jack detection.
    package var availability: Availability
    /// "speaker", "headphones", …; nil if unknown.
    package var portType: String?
    /// If active: `card.profile.device` of the node concerned.
    package var device: Int?
    /// Indices of the profiles in which it can be active.
    package var profiles: [Int]
    /// `card.profile.device` of the nodes that it can be active for.
    package var devices: [Int]
    /// Whether the card is muted on this route, if that is active, by a mixer or a switch.
    package var isMuted = false
  }

  /// All of the device's properties; empty until known.
  package private(set) var properties: Properties = [:]
  /// Whether properties and params are known.
  package private(set) var isKnown = false
  /// All profiles, at most 256, available or not; empty until known.
  package private(set) var profiles: [Profile] = []
  /// The active profile.
  package private(set) var profile: Profile?
  /// All routes of all profiles, at most 256, available or not; empty until known.
  package private(set) var routes: [Route] = []
  /// The routes in use, each with the `device` that it is active for; empty until known.
  package private(set) var activeRoutes: [Route] = []

  /// The lists being received; they replace the previous ones when complete.
  private struct Lists {
    var profiles: [Profile] = []
    var active: [Profile] = []
    var routes: [Route] = []
    var activeRoutes: [Route] = []
  }
  private var coming = Lists()
  /// The most params of a kind that are kept; no card has as many.
  private static let mostParams = 256
  /// Whether a query is unanswered.
  package private(set) var isQuerying = false
  private var isStale = false

  private let proxy: BoundProxy
  private let changed: () -> Void

  /// Binds the device; `changed` reports changes on the loop's thread. [control]
  package init(_ connection: Connection, id: UInt32, changed: @escaping () -> Void) throws(PipeWireError) {
    self.changed = changed
    proxy = try BoundProxy(connection, id: id, kind: .device, version: PW_VERSION_DEVICE)
    let this = Unmanaged.passUnretained(self).toOpaque()
    proxy.listen(Self.proxyEvents, this)
    npw_device_add_listener(proxy.pointer, proxy.makeHook(), Self.events, this)
  }

  /// Requests another profile by name; returns false if there is none. Session managers do not remember it. [control]
  package func select(profile name: String) -> Bool {
    guard let profile = profiles.first(where: { $0.name == name }) else { return false }
    return npw_device_set_profile(proxy.pointer, Int32(profile.index)) >= 0
  }

  /// Sends one query at a time; changes meanwhile cause another query.
  private func queryParams() {
    guard !isQuerying else {
      isStale = true
      return
    }
    (isQuerying, isStale, coming) = (true, false, Lists())
    for id in [SPA_PARAM_EnumProfile, SPA_PARAM_Profile, SPA_PARAM_EnumRoute, SPA_PARAM_Route] {
      npw_device_enum_params(proxy.pointer, id.rawValue)
    }
    pw_proxy_sync(proxy.pointer, 0)
  }

  private func answered() {
    isQuerying = false
    if isStale { return queryParams() }
    let news = coming
    let isNews =
      !isKnown || news.profiles != profiles || news.active.first != profile || news.routes != routes || news.activeRoutes != activeRoutes
    (profiles, profile, routes, activeRoutes, isKnown) = (news.profiles, news.active.first, news.routes, news.activeRoutes, true)
    if isNews { changed() }
  }

  private func receive(_ id: UInt32, _ param: Pod?) {
    guard let param else { return }
    func add<T>(_ value: T?, _ list: WritableKeyPath<Lists, [T]>) {
      if let value, coming[keyPath: list].count < Self.mostParams { coming[keyPath: list].append(value) }
    }
    switch id {
    case SPA_PARAM_EnumProfile.rawValue: add(Profile(param), \.profiles)
    case SPA_PARAM_Profile.rawValue: add(Profile(param), \.active)
    case SPA_PARAM_EnumRoute.rawValue: add(Route(param), \.routes)
    case SPA_PARAM_Route.rawValue: add(Route(param), \.activeRoutes)
    default: break
    }
  }

  private static func this(_ data: UnsafeMutableRawPointer?) -> DeviceInfo { Unmanaged<DeviceInfo>.fromOpaque(data!).takeUnretainedValue() }

  nonisolated(unsafe) private static let events: UnsafePointer<pw_device_events> = {
    let events = UnsafeMutablePointer<pw_device_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_DEVICE_EVENTS)
    events.pointee.info = { data, info in
      guard let info else { return }
      let device = DeviceInfo.this(data)
      if info.pointee.change_mask & UInt64(PW_DEVICE_CHANGE_MASK_PROPS) != 0 { device.properties = Properties(info.pointee.props) }
      if !device.isKnown || info.pointee.change_mask & UInt64(PW_DEVICE_CHANGE_MASK_PARAMS) != 0 { device.queryParams() }
    }
    events.pointee.param = { data, _, id, _, _, param in DeviceInfo.this(data).receive(id, Pod(param)) }
    return UnsafePointer(events)
  }()

  nonisolated(unsafe) private static let proxyEvents: UnsafePointer<pw_proxy_events> = {
    let events = UnsafeMutablePointer<pw_proxy_events>.zeroed()
    events.pointee.version = UInt32(PW_VERSION_PROXY_EVENTS)
    events.pointee.done = { data, _ in DeviceInfo.this(data).answered() }
    return UnsafePointer(events)
  }()
}

extension DeviceInfo.Profile {
  /// nil if the param is not a profile with index and name.
  init?(_ param: Pod) {
    guard let properties = param.properties(of: UInt32(SPA_TYPE_OBJECT_ParamProfile)),
      let index = properties[SPA_PARAM_PROFILE_index.rawValue]?.int, let name = properties[SPA_PARAM_PROFILE_name.rawValue]?.text
    else { return nil }
    self.init(
      index: Int(index), name: name, priority: properties[SPA_PARAM_PROFILE_priority.rawValue]?.int.map { Int($0) } ?? 0,
      availability: DeviceInfo.Availability(properties[SPA_PARAM_PROFILE_available.rawValue]))
  }
}

extension DeviceInfo.Route {
  /// The most profiles, or devices, kept of one route.
  private static let mostMembers = 256

  /// nil if the param is not a route with index, direction and name.
  init?(_ param: Pod) {
    guard let properties = param.properties(of: UInt32(SPA_TYPE_OBJECT_ParamRoute)),
      let index = properties[SPA_PARAM_ROUTE_index.rawValue]?.int, let direction = properties[SPA_PARAM_ROUTE_direction.rawValue]?.id,
      let name = properties[SPA_PARAM_ROUTE_name.rawValue]?.text
    else { return nil }
    func list(_ key: spa_param_route) -> [Int] { properties[key.rawValue]?.ints?.prefix(Self.mostMembers).map { Int($0) } ?? [] }
    self.init(
      index: Int(index), name: name, description: properties[SPA_PARAM_ROUTE_description.rawValue]?.text ?? "",
      isInput: direction == SPA_DIRECTION_INPUT.rawValue,
      availability: DeviceInfo.Availability(properties[SPA_PARAM_ROUTE_available.rawValue]),
      portType: properties[SPA_PARAM_ROUTE_info.rawValue].flatMap { Self.information("port.type", in: $0) },
      device: properties[SPA_PARAM_ROUTE_device.rawValue]?.int.flatMap { $0 < 0 ? nil : Int($0) }, profiles: list(SPA_PARAM_ROUTE_profiles),
      devices: list(SPA_PARAM_ROUTE_devices),
      isMuted: properties[SPA_PARAM_ROUTE_props.rawValue].map { NodeVolumes.isMuted($0) } ?? false)
  }

  /// Looks a key up in a list of a count followed by key, value, key, value, …
  private static func information(_ key: String, in list: Pod) -> String? {
    let texts = list.elements?.compactMap(\.text) ?? []
    for index in stride(from: 0, to: texts.count - 1, by: 2) where texts[index] == key { return texts[index + 1] }
    return nil
  }
}

extension DeviceInfo.Availability {
  fileprivate init(_ pod: Pod?) { self = pod?.id.flatMap(Self.init(rawValue:)) ?? .unknown }
}
