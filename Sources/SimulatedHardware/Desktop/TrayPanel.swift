import Foundation
import MessageBus
import Platform
internal import SystemdLibrary

/// A panel with a tray on a private session bus: `org.kde.StatusNotifierWatcher`, to which icons register, and somebody who looks at an
/// icon, clicks, and chooses from its menu. [any], but what it asks of the icon: one thread at a time.
///
/// `@unchecked Sendable`: everything mutable is accessed with `lock` held, or by the thread that asks.
package final class TrayPanel: @unchecked Sendable {
  private static let name = "org.kde.StatusNotifierWatcher"
  private static let path = "/StatusNotifierWatcher"

  /// A refusal, by the name of its error.
  package struct Refused: Error, Equatable {
    package var error: String
    package var reason: String
  }

  /// An entry of an icon's menu.
  package struct Entry: Sendable, Equatable {
    package var number: Int32
    package var properties: [String: BusValue]
    package var entries: [Entry]

    package var label: String { if case .text(let label)? = properties["label"] { label } else { "" } }
    package var isOn: Bool { properties["toggle-state"] == .integer(1) }
    package var isEnabled: Bool { properties["enabled"] != .flag(false) }
  }

  private let lock = Lock()
  private var watcher: BusConnection?
  /// Each icon that has registered, in order, by its bus name and its path.
  private var registered: [(name: String, path: String)] = []
  /// The connection that asks.
  private var person: OpaquePointer?
  private var heard: [String] = []

  /// Creates one that is on no bus yet.
  package init() {}

  deinit { if let person { sd_bus_flush_close_unref(person) } }

  /// Joins the bus of a session.
  /// - Throws: `SessionError`.
  package func connect(to session: PrivateSession) throws {
    leave()
    let socket = "\(session.path)/bus"
    let watcher = try BusConnection(socket: socket, name: Self.name, path: Self.path, lock: lock) { self.answer($0) }
    lock.withLock { self.watcher = watcher }
    guard person == nil else { return }
    var made: OpaquePointer?
    sd_bus_new(&made)
    guard let bus = made else { throw SessionError(.system, "out of memory for a connection to \(socket)") }
    person = bus
    for result in [sd_bus_set_address(bus, "unix:path=\(socket)"), sd_bus_set_bus_client(bus, 1), sd_bus_start(bus)] where result < 0 {
      throw SessionError.system("connecting to \(socket)", -result)
    }
    for interface in ["org.kde.StatusNotifierItem", "com.canonical.dbusmenu"] {
      sd_bus_add_match(
        bus, nil, "type='signal',interface='\(interface)'",
        { message, data, _ in
          guard let message, let data else { return 0 }
          Unmanaged<TrayPanel>.fromOpaque(data).takeUnretainedValue().heard.append(BusMessage(message).member)
          return 0
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  /// Leaves the bus, as a panel that ends; icons that have registered are forgotten.
  package func leave() {
    let watcher = lock.withLock {
      defer { (self.watcher, registered) = (nil, []) }
      return self.watcher
    }
    watcher?.end()
  }

  /// How many times an icon has registered with this panel.
  package var registrations: Int { lock.withLock { registered.count } }

  /// Whether the icon that has registered last is on the bus.
  package var hasIcon: Bool { (try? icon("Id")) == .text("nearend") }

  /// How many icons are on the bus, of those that have registered.
  package var iconCount: Int {
    let all = lock.withLock { registered }
    return Set(all.map(\.name)).filter { name in
      let owner = try? ask("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner") { $0.append(name) }
      return owner == [.flag(true)]
    }.count
  }

  private func answer(_ call: BusMessage) -> Bool {
    guard call.member == "RegisterStatusNotifierItem", let service = call.readText() else { return false }
    registered.append(service.hasPrefix("/") ? (call.sender, service) : (service, "/StatusNotifierItem"))
    call.reply { _ in }
    return true
  }

  // MARK: Looking

  /// Returns a property of the icon.
  /// - Throws: `Refused`, also without an icon.
  package func icon(_ property: String) throws -> BusValue {
    let answer = try ask("org.freedesktop.DBus.Properties", "Get") {
      $0.append("org.kde.StatusNotifierItem")
      $0.append(property)
    }
    guard case .variant(let value)? = answer.first else { throw Refused(error: "", reason: "no variant: \(answer)") }
    return value
  }

  /// Returns the menu, with every entry below.
  package func menu() throws -> [Entry] {
    let answer = try ask("com.canonical.dbusmenu", "GetLayout", inMenu: true) {
      $0.append(Int32(0))
      $0.append(Int32(-1))
      $0.appendStrings([])
    }
    guard answer.count == 2, let root = Self.entry(answer[1]) else { throw Refused(error: "", reason: "no menu: \(answer)") }
    return root.entries
  }

  private static func entry(_ value: BusValue) -> Entry? {
    guard case .structure(let parts) = value, parts.count == 3, case .integer(let number) = parts[0],
      case .dictionary(let properties) = parts[1], case .array(_, let values) = parts[2]
    else { return nil }
    let entries = values.compactMap { value in if case .variant(let inner) = value { entry(inner) } else { nil } }
    return Entry(number: number, properties: properties, entries: entries)
  }

  /// The signals of icons and menus so far, by their names.
  package var signals: [String] {
    while sd_bus_process(person, nil) > 0 {}
    return heard
  }

  // MARK: Doing

  /// A click on the icon.
  package func click() throws {
    _ = try ask("org.kde.StatusNotifierItem", "Activate") {
      $0.append(Int32(10))
      $0.append(Int32(10))
    }
  }

  /// Chooses from the menu: the labels of submenus, and of the entry.
  package func choose(_ labels: String...) throws {
    var entries = try menu()
    for label in labels.dropLast() { entries = entries.first { $0.label == label }?.entries ?? [] }
    guard let entry = entries.first(where: { $0.label == labels.last }) else {
      throw Refused(error: "", reason: "no entry \(labels) among \(entries.map(\.label))")
    }
    _ = try ask("com.canonical.dbusmenu", "Event", inMenu: true) {
      $0.append(entry.number)
      $0.append("clicked")
      $0.append(BusValue.text(""))
      $0.append(UInt32(0))
    }
  }

  /// Calls a method of the icon, or of its menu, with the arguments appended by `fill`.
  /// - Throws: `Refused`.
  @discardableResult
  package func ask(
    _ interface: String, _ member: String, inMenu: Bool = false, _ fill: (BusMessage) -> Void = { _ in }
  ) throws -> [BusValue] {
    guard let icon = lock.withLock({ registered.last }) else { throw Refused(error: "", reason: "no icon has registered") }
    return try ask(icon.name, inMenu ? "/MenuBar" : icon.path, interface, member, fill)
  }

  private func ask(
    _ name: String, _ path: String, _ interface: String, _ member: String, _ fill: (BusMessage) -> Void
  ) throws -> [BusValue] {
    var message: OpaquePointer?
    guard sd_bus_message_new_method_call(person, &message, name, path, interface, member) >= 0, let message else {
      throw Refused(error: "", reason: "no message")
    }
    defer { sd_bus_message_unref(message) }
    fill(BusMessage(message))
    var error = sd_bus_error()
    var reply: OpaquePointer?
    guard sd_bus_call(person, message, 10_000_000, &error, &reply) >= 0, let reply else {
      defer { sd_bus_error_free(&error) }
      throw Refused(error: error.name.map { String(cString: $0) } ?? "", reason: error.message.map { String(cString: $0) } ?? "")
    }
    defer { sd_bus_message_unref(reply) }
    return BusMessage(reply).values
  }
}
