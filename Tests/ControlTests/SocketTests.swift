import Foundation
import SessionModel
import TestSupport
import Testing

@testable import Nearend

@Suite("Control socket", .serialized)
struct SocketTests {
  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  @Test(
    "O1: the socket has mode 0600 in a folder of mode 0700, whatever the umask is, and goes with nearend", arguments: [0, 0o022, 0o077])
  func modes(mask: UInt32) throws {
    let old = umask(mask)
    defer { umask(old) }
    let rig = try ControlRig(speed: 0)
    #expect(try mode(rig.path) == 0o600)
    #expect(try mode("\(rig.folder)/nearend") == 0o700)
    rig.service.stop()
    #expect(!FileManager.default.fileExists(atPath: rig.path))
    #expect(throws: RawClient.Failure.self) { _ = try RawClient(path: rig.path) }
  }

  @Test("O1: a socket that a dead process left is replaced")
  func stale() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/nearend/control.sock"
    // A stale socket file, without a listener.
    do {
      let first = try ControlSocket(path: path)
      #expect(link(path, "\(path).left") == 0)
      withExtendedLifetime(first) {}
    }
    #expect(rename("\(path).left", path) == 0)
    #expect(throws: RawClient.Failure.self) { _ = try RawClient(path: path) }
    let second = try ControlSocket(path: path)
    _ = try RawClient(path: path)
    withExtendedLifetime(second) {}
  }

  @Test("O1: a socket that is served is left alone, and the error names the process")
  func live() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    do {
      _ = try ControlSocket(path: rig.path)
      Issue.record("a second socket was opened")
    } catch {
      #expect(error == .inUse(path: rig.path, pid: Int(getpid())))
      #expect(error.description.contains("nearend attach"))
    }
    #expect(try rig.request("GET", "/status").status == 200)
  }

  @Test("O1: a socket that is removed leaves its place to another at once, and does not take that one's file with it")
  func removed() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/nearend/control.sock"
    var first: ControlSocket? = try ControlSocket(path: path)
    first?.remove()
    let second = try ControlSocket(path: path)
    first?.remove()
    first = nil
    _ = try RawClient(path: path)
    withExtendedLifetime(second) {}
  }

  @Test("O1: a folder that is open to others, a path too long, a file in the way: each a clear error")
  func impossible() throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func reason(_ path: String) -> String {
      do {
        _ = try ControlSocket(path: path)
        return "none"
      } catch { return error.description }
    }
    #expect(mkdir("\(folder)/open", 0o700) == 0 && chmod("\(folder)/open", 0o755) == 0)
    #expect(reason("\(folder)/open/control.sock").contains("mode 0755); close it: chmod 700 \(folder)/open"))
    #expect(reason("\(folder)/\(String(repeating: "x", count: 100))/control.sock").contains("107 is the most"))
    #expect(reason("\(folder)/no/such/control.sock").contains("No such file or directory"))
    #expect(mkdir("\(folder)/taken", 0o700) == 0)
    try Data().write(to: URL(fileURLWithPath: "\(folder)/taken/control.sock"))
    #expect(reason("\(folder)/taken/control.sock").contains("is no socket; remove it"))
    #expect(symlink("\(folder)/taken", "\(folder)/linked") == 0)
    #expect(reason("\(folder)/linked/control.sock").contains("cannot be opened"))
  }

  @Test("O1: the standard path is $XDG_RUNTIME_DIR/nearend/control.sock")
  func path() {
    #expect(ControlPath.standard(["XDG_RUNTIME_DIR": "/run/user/7"]) == "/run/user/7/nearend/control.sock")
    #expect(ControlPath.standard([:]) == nil)
    #expect(ControlPath.standard(["XDG_RUNTIME_DIR": ""]) == nil)
  }
}
