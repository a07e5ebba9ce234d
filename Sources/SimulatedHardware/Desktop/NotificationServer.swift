import Foundation
import MessageBus
import Platform

/// `org.freedesktop.Notifications` on a private session bus, with what clients ask of it, and a person who presses and closes. [any]
///
/// `@unchecked Sendable`: everything mutable is accessed with `lock` held.
package final class NotificationServer: @unchecked Sendable {
  static let name = "org.freedesktop.Notifications"
  static let path = "/org/freedesktop/Notifications"

  /// What a client asked to show.
  package struct Notification: Sendable, Equatable {
    package var application: String
    /// The number of the one to replace; 0 for none.
    package var replaces: UInt32
    package var summary: String
    package var body: String
    /// Key and label of each button, in turn.
    package var actions: [String]
    /// Milliseconds for which it is to stay; -1 leaves that to the server.
    package var timeout: Int32
  }

  private let lock = Lock()
  /// Whether it answers as a server may, or with something else.
  package enum Manner: Sendable, CaseIterable {
    case proper
    /// Its capabilities are a number.
    case oddCapabilities
    /// A notification's number is a text.
    case oddNumber
    /// A notification's number is 0, which is none.
    case noNumber
    /// It refuses to show anything.
    case refusing
  }

  private let capabilities: [String]
  private let manner: Manner
  private var bus: BusConnection?
  private var lastId: UInt32 = 0
  private var all: [Notification] = []
  private var visible: [UInt32: Notification] = [:]
  private var closedByClients: [UInt32] = []

  /// Creates one that is on no bus yet.
  package init(capabilities: [String] = ["actions", "body", "body-markup"], manner: Manner = .proper) {
    (self.capabilities, self.manner) = (capabilities, manner)
  }

  /// Joins the bus of a session. One that joins again has nothing on the screen, and counts on.
  /// - Throws: `SessionError`.
  package func connect(to session: PrivateSession) throws {
    leave()
    let bus = try BusConnection(socket: "\(session.path)/bus", name: Self.name, path: Self.path, lock: lock) { self.answer($0) }
    lock.withLock { self.bus = bus }
  }

  /// Leaves the bus, as a server that ends.
  package func leave() {
    let bus = lock.withLock {
      defer { (self.bus, visible) = (nil, [:]) }
      return self.bus
    }
    bus?.end()
  }

  /// Everything that was ever asked to be shown, in order.
  package var requests: [Notification] { lock.withLock { all } }
  /// What is on the screen.
  package var shown: [Notification] { lock.withLock { visible.sorted { $0.key < $1.key }.map(\.value) } }
  /// The numbers of those that clients have closed, in order.
  package var withdrawn: [UInt32] { lock.withLock { closedByClients } }

  /// Returns the number of what is on the screen with this title.
  package func id(of summary: String) -> UInt32? { lock.withLock { visible.first { $0.value.summary == summary }?.key } }

  /// A person presses a button.
  package func press(_ key: String, on id: UInt32) {
    lock.withLock {
      bus?.signal(Self.path, Self.name, "ActionInvoked") {
        $0.append(id)
        $0.append(key)
      }
    }
  }

  /// A person closes one.
  package func dismiss(_ id: UInt32) { lock.withLock { close(id, reason: 2) } }

  private func close(_ id: UInt32, reason: UInt32) {
    guard visible.removeValue(forKey: id) != nil else { return }
    bus?.signal(Self.path, Self.name, "NotificationClosed") {
      $0.append(id)
      $0.append(reason)
    }
  }

  /// Answers a call; returns false for an unknown method. Called with the lock held.
  private func answer(_ call: BusMessage) -> Bool {
    switch call.member {
    case "GetCapabilities": call.reply { if manner == .oddCapabilities { $0.append(UInt32(7)) } else { $0.appendStrings(capabilities) } }
    case "Notify":
      guard let application = call.readText(), let replaces = call.readNumber(), call.readText() != nil, let summary = call.readText(),
        let body = call.readText(), let actions = call.readStrings()
      else { return false }
      call.skip("a{sv}")
      guard let timeout = call.readInteger() else { return false }
      let notification = Notification(
        application: application, replaces: replaces, summary: summary, body: body, actions: actions, timeout: timeout)
      if replaces == 0 { lastId += 1 }
      let id = replaces == 0 ? lastId : replaces
      all.append(notification)
      switch manner {
      case .proper, .oddCapabilities:
        visible[id] = notification
        call.reply { $0.append(id) }
      case .oddNumber: call.reply { $0.append("one\u{1B}[2J") }
      case .noNumber: call.reply { $0.append(UInt32(0)) }
      case .refusing: return false
      }
    case "CloseNotification":
      guard let id = call.readNumber() else { return false }
      closedByClients.append(id)
      call.reply { _ in }
      close(id, reason: 3)
    default: return false
    }
    return true
  }
}
