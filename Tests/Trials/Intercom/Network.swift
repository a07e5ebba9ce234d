import Foundation

/// Two network namespaces with one address each, and a third between them, in which `Wire` forwards their frames.
final class Network: Sendable {
  static let addresses = ["a": "10.77.0.1", "b": "10.77.0.2"]
  private let prefix = "nearend-\(getpid())-"

  /// Why namespaces cannot be made here; nil if they can.
  static var obstacle: String? {
    if getuid() != 0 { return "network namespaces take root" }
    let name = "nearend-try-\(getpid())"
    guard (try? Self.run(["ip", "netns", "add", name])) != nil else { return "ip netns makes no network namespace here" }
    _ = try? Self.run(["ip", "netns", "delete", name])
    return nil
  }

  init() throws {
    do {
      for name in ["a", "b", "wire"] {
        try Self.run(["ip", "netns", "add", namespace(name)])
        // Traffic must go to the two addresses only, and IPv6 looks for neighbours by itself.
        try inside(name, ["sh", "-c", "for f in all default; do echo 1 > /proc/sys/net/ipv6/conf/$f/disable_ipv6; done"])
        try inside(name, ["ip", "link", "set", "lo", "up"])
      }
      for (name, address) in Self.addresses {
        try Self.run([
          "ip", "link", "add", "net0", "netns", namespace(name), "type", "veth", "peer", "name", name, "netns", namespace("wire"),
        ])
        try inside(name, ["ip", "address", "add", "\(address)/24", "dev", "net0"])
        try inside(name, ["ip", "link", "set", "net0", "up"])
        try inside("wire", ["ip", "link", "set", "dev", name, "up"])
      }
    } catch {
      remove()
      throw error
    }
  }

  /// The arguments that run a command in one of the namespaces.
  func command(in name: String, _ command: [String]) -> [String] { ["ip", "netns", "exec", namespace(name)] + command }

  func remove() { for name in ["a", "b", "wire"] { _ = try? Self.run(["ip", "netns", "delete", namespace(name)]) } }

  private func namespace(_ name: String) -> String { prefix + name }

  private func inside(_ name: String, _ words: [String]) throws { try Self.run(command(in: name, words)) }

  private static func run(_ words: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardError = Pipe()
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("\(words.joined(separator: " ")) failed") }
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
