import Foundation
import MessageBus
import Platform

/// `org.freedesktop.login1` on a private system bus, with one session, as far as listeners can observe it: sleep, inhibitors, whether the
/// session is active, and its lock. Its thread retains it from `connect` to `disconnect`. [any]
///
/// `@unchecked Sendable`: everything mutable is accessed with `lock` held.
package final class LoginManager: @unchecked Sendable {
  static let name = "org.freedesktop.login1"
  static let path = "/org/freedesktop/login1"
  /// The session's object path; "_31" is logind's escape of its id, "1".
  package static let sessionPath = "/org/freedesktop/login1/session/_31"

  /// A client's request to delay or block an action, such as sleep.
  package struct Inhibitor: Sendable, Equatable {
    /// The actions to delay or block, as a colon-separated list: `sleep`.
    package var what: String
    /// The client's name, for people.
    package var who: String
    /// The client's reason, for people.
    package var why: String
    /// `delay` or `block`.
    package var mode: String
    /// Whether the client has not closed its file descriptor.
    package var isHeld: Bool
  }

  let lock = Lock()
  private var bus: BusConnection?
  private(set) var isPreparingForSleep = false
  private(set) var isActive = true
  private(set) var isLocked = false
  /// Every request so far, with this end of the socket pair whose other end the client closes to release it; closed once noticed.
  private var requested: [(inhibitor: Inhibitor, descriptor: Int32)] = []

  init() {}

  deinit {
    for entry in requested where entry.inhibitor.isHeld { close(entry.descriptor) }
  }

  /// Joins the bus, or a restarted one; the state persists.
  /// - Throws: `SessionError`.
  func connect(to socket: String) throws {
    disconnect()
    let bus = try BusConnection(socket: socket, name: Self.name, path: Self.path, lock: lock) { self.answer($0) }
    lock.withLock { self.bus = bus }
  }

  func disconnect() {
    let bus = lock.withLock {
      defer { self.bus = nil }
      return self.bus
    }
    bus?.end()
  }

  // MARK: Actions

  /// Announces that the machine is about to sleep (true), or has woken up (false).
  package func prepareForSleep(_ isGoing: Bool) {
    lock.withLock {
      isPreparingForSleep = isGoing
      bus?.signal(Self.path, "\(Self.name).Manager", "PrepareForSleep") { $0.append(isGoing) }
    }
  }

  /// Brings another session to the foreground (false), or returns this one to it (true).
  package func setActive(_ isActive: Bool) {
    lock.withLock {
      guard isActive != self.isActive else { return }
      self.isActive = isActive
      bus?.signal(Self.sessionPath, "org.freedesktop.DBus.Properties", "PropertiesChanged") { message in
        message.append("\(Self.name).Session")
        message.appendDictionary(sessionProperties.filter { ["Active", "State"].contains($0.key) })
        message.appendStrings([])
      }
    }
  }

  /// Requests that the session be locked or unlocked.
  package func setLocked(_ isLocked: Bool) {
    lock.withLock {
      self.isLocked = isLocked
      bus?.signal(Self.sessionPath, "\(Self.name).Session", isLocked ? "Lock" : "Unlock") { _ in }
    }
  }

  /// Every inhibitor requested so far, in order.
  package var inhibitors: [Inhibitor] {
    lock.withLock {
      noteReleases()
      return requested.map(\.inhibitor)
    }
  }

  /// Closes this end for released inhibitors, because a soak's clients request hundreds.
  private func noteReleases() {
    for index in requested.indices where requested[index].inhibitor.isHeld && isClosed(requested[index].descriptor) {
      requested[index].inhibitor.isHeld = false
      close(requested[index].descriptor)
    }
  }

  // MARK: Calls

  private var sessionProperties: [String: BusValue] {
    [
      "Id": .text("1"), "Name": .text(getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "user"), "Active": .flag(isActive),
      "State": .text(isActive ? "active" : "online"),
      "LockedHint": .flag(isLocked), "Type": .text("wayland"), "Class": .text("user"), "Remote": .flag(false),
    ]
  }

  private var managerProperties: [String: BusValue] {
    ["PreparingForSleep": .flag(isPreparingForSleep), "InhibitDelayMaxUSec": .number(5_000_000)]
  }

  /// Answers a call; returns false for an unknown method. Called with the lock held.
  private func answer(_ call: BusMessage) -> Bool {
    switch (call.interface, call.member) {
    case ("org.freedesktop.DBus.Properties", "Get"):
      guard let interface = call.readText(), let key = call.readText(), let value = properties(of: call.path, interface)?[key] else {
        return false
      }
      call.reply { $0.append(value) }
    case ("org.freedesktop.DBus.Properties", "GetAll"):
      guard let interface = call.readText(), let all = properties(of: call.path, interface) else { return false }
      call.reply { $0.appendDictionary(all) }
    case ("\(Self.name).Manager", "GetSession"), ("\(Self.name).Manager", "GetSessionByPID"):
      call.reply { $0.append(Self.sessionPath, "o") }
    case ("\(Self.name).Manager", "Inhibit"): return inhibit(call)
    default: return false
    }
    return true
  }

  private func properties(of path: String, _ interface: String) -> [String: BusValue]? {
    switch (path, interface) {
    case (Self.path, "\(Self.name).Manager"): managerProperties
    // "self" and "auto" mean the only session.
    case (Self.sessionPath, "\(Self.name).Session"), ("\(Self.path)/session/self", "\(Self.name).Session"),
      ("\(Self.path)/session/auto", "\(Self.name).Session"):
      sessionProperties
    default: nil
    }
  }

  private func inhibit(_ call: BusMessage) -> Bool {
    guard let what = call.readText(), let who = call.readText(), let why = call.readText(), let mode = call.readText() else { return false }
    guard let (here, there) = try? ChildSocket.pair() else { return false }
    defer { close(there) }
    call.reply { $0.append(descriptor: there) }
    noteReleases()
    requested.append((Inhibitor(what: what, who: who, why: why, mode: mode, isHeld: true), here))
    return true
  }

  private func isClosed(_ descriptor: Int32) -> Bool {
    var query = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&query, 1, 0) == 1 && query.revents & Int16(POLLHUP) != 0
  }
}
