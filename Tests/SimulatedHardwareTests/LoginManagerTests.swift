import Foundation
import Testing

@testable import SimulatedHardware

@Suite("Login manager")
struct LoginManagerTests {
  private static func session() throws -> PrivateSession {
    var configuration = SessionConfiguration()
    configuration.hasLoginManager = true
    configuration.runsPulse = false
    return try PrivateSession(configuration)
  }

  @Test("I1: listeners on the system bus hear of sleep, the session's activity and its lock")
  func signals() throws {
    let session = try Self.session()
    let manager = try #require(session.loginManager)
    let heard = "\(session.path)/heard"
    let monitor = try session.spawn("dbus-monitor", ["--system", "sender='org.freedesktop.login1'"], output: heard)
    func text() -> String { (try? String(contentsOfFile: heard, encoding: .utf8)) ?? "" }
    // The monitor is ready once it reports any message.
    try session.wait(for: "the monitor") {
      manager.prepareForSleep(false)
      return text().contains("member=PrepareForSleep")
    }
    manager.prepareForSleep(true)
    try session.wait(for: "sleep") { text().contains("boolean true") }
    #expect(try session.property("PreparingForSleep", of: "Manager", at: LoginManager.path).contains("boolean true"))
    manager.setActive(false)
    try session.wait(for: "inactivity") { text().contains("member=PropertiesChanged") && text().contains("\"Active\"") }
    #expect(try session.property("Active", of: "Session", at: LoginManager.sessionPath).contains("boolean false"))
    #expect(try session.property("State", of: "Session", at: LoginManager.sessionPath).contains("online"))
    manager.setLocked(true)
    manager.setLocked(false)
    try session.wait(for: "the lock") { text().contains("member=Lock") && text().contains("member=Unlock") }
    monitor.end()
  }

  @Test("I1: a client finds its session, and takes a delay inhibitor that it holds until it closes it")
  func inhibitor() throws {
    let session = try Self.session()
    let manager = try #require(session.loginManager)
    let found = try session.call(LoginManager.path, "Manager.GetSessionByPID", "uint32:1")
    #expect(found.contains(LoginManager.sessionPath))
    let holder = try session.spawn(
      "systemd-inhibit", ["--what=sleep", "--who=test", "--why=to stop first", "--mode=delay", "sleep", "60"])
    try session.wait(for: "the inhibitor") { manager.inhibitors.contains { $0.isHeld } }
    #expect(manager.inhibitors == [.init(what: "sleep", who: "test", why: "to stop first", mode: "delay", isHeld: true)])
    holder.end()
    try session.wait(for: "the inhibitor to be given up") { manager.inhibitors.allSatisfy { !$0.isHeld } }
  }

  @Test("I1: the login manager comes back with its bus, and remembers")
  func busRestarts() throws {
    let session = try Self.session()
    session.loginManager?.setActive(false)
    session.stop(.systemBus)
    try session.start()
    #expect(try session.property("Active", of: "Session", at: LoginManager.sessionPath).contains("boolean false"))
    #expect(try !session.call(LoginManager.path, "Manager.NoSuchMethod").contains("method return"))
  }
}

extension PrivateSession {
  fileprivate func call(_ path: String, _ method: String, _ arguments: String...) throws -> String {
    let interface = method.contains("DBus") ? method : "org.freedesktop.login1.\(method)"
    let result = try run("dbus-send", ["--system", "--print-reply", "--dest=org.freedesktop.login1", path, interface] + arguments)
    return result.output + result.errors
  }

  fileprivate func property(_ name: String, of interface: String, at path: String) throws -> String {
    try call(path, "org.freedesktop.DBus.Properties.Get", "string:org.freedesktop.login1.\(interface)", "string:\(name)")
  }
}
