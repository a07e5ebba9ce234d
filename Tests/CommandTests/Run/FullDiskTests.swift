import Foundation
import TestSupport
import Testing

@testable import SimulatedHardware

/// A running nearend whose folder for what is remembered is on a disk without space.
@Suite("A full disk", .serialized)
struct FullDiskTests {
  /// Gives a command file systems of its own, which end with it.
  private static let namespace = getuid() == 0 ? ["unshare", "-m"] : ["unshare", "-rm"]
  private static let hasNamespaces: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = namespace + ["mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test(
    "O4 X4: a change made while the disk is full is written when there is space, and holds meanwhile",
    .enabled(if: hasNamespaces, "a disk of its own takes root, or namespaces for users"))
  func fullDisk() throws {
    let session = try plainSession()
    defer { session.end() }
    let folder = session.environment["XDG_STATE_HOME"]! + "/nearend"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let script = "mount -t tmpfs -o size=64k tmpfs '\(folder)' && exec \"$0\" --headless"
    let nearend = try session.start("/usr/bin/env", Self.namespace + ["sh", "-c", script, nearendProgram])
    defer { nearend.process.end() }
    try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
    let inside = "/proc/\(nearend.process.pid)/root\(folder)"
    let filler = open("\(inside)/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(filler >= 0, "\(String(cString: strerror(errno)))")
    defer { close(filler) }
    let page = [UInt8](repeating: 1, count: 4_096)
    while write(filler, page, page.count) > 0 {}
    try #require(errno == ENOSPC)

    func remembered() -> String {
      String(decoding: FileManager.default.contents(atPath: "\(inside)/remembered.json") ?? Data(), as: UTF8.self)
    }
    #expect(try session.nearend("set", "outputVolume", "0.25").succeeded)
    let complaint = "remembered.json cannot be written; changes are kept until it can be: No space left on device"
    #expect(nearend.says(complaint), "\(nearend.errors)")
    #expect(try session.nearend("set", "outputVolume", "0.5").succeeded)
    #expect(try session.nearend("set", "hpf", "false").succeeded)
    #expect(try session.nearend("get", "outputVolume").output == "0.5\n")
    #expect(remembered().isEmpty)
    try #require(ftruncate(filler, 0) == 0)
    #expect(nearend.says("remembered.json is written again"), "\(nearend.errors)")
    #expect(remembered().contains("\"outputVolume\" : 0.5") && remembered().contains("highPassFilter"), "\(remembered())")
    #expect(nearend.errors.ranges(of: "cannot be written").count == 1, "\(nearend.errors)")
  }
}
