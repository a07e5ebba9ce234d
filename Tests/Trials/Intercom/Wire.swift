import Foundation
import SimulatedHardware

/// Forwards Ethernet frames between two interfaces with delay, jitter and loss, as netem does, on kernels that lack it. Counts the
/// destinations.
struct Wire {
  struct Report: Codable {
    var passed = 0
    var lost = 0
    /// Frames by IPv4 destination; "other" for what is neither IPv4 nor ARP for one of the addresses.
    var destinations: [String: Int] = [:]
  }
  /// Mean delay in seconds.
  var delay = 0.03
  /// Seconds by which a frame may be earlier or later.
  var jitter = 0.005
  /// Probability that a frame is lost, 0–1.
  var loss = 0.01
  private var generator = SeededGenerator(seed: 1)

  init() {}

  private struct Frame {
    var due: Double
    var to: Int32
    var bytes: [UInt8]
  }

  /// Runs until standard input ends, then prints the report.
  mutating func run(_ first: String, _ second: String) throws {
    let sockets = try [first, second].map(Self.open)
    var report = Report()
    var frames: [Frame] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let next = frames.map(\.due).min() ?? .infinity
      var wait = [
        pollfd(fd: sockets[0], events: Int16(POLLIN), revents: 0), pollfd(fd: sockets[1], events: Int16(POLLIN), revents: 0),
        pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&wait, 3, Int32(max(0, min(1, next - monotonicSeconds())) * 1_000))
      if wait[2].revents != 0 { break }
      for side in 0...1 {
        while let count = Self.receive(sockets[side], &buffer) {
          guard var bytes = count > 14 ? Array(buffer[..<count]) : nil else { continue }
          Self.note(bytes, &report)
          Self.clearChecksum(&bytes)
          if Double.random(in: 0..<1, using: &generator) < loss {
            report.lost += 1
          } else {
            report.passed += 1
            let due = monotonicSeconds() + delay + Double.random(in: -jitter...jitter, using: &generator)
            frames.append(Frame(due: due, to: sockets[1 - side], bytes: bytes))
          }
        }
      }
      let now = monotonicSeconds()
      for frame in frames.filter({ $0.due <= now }).sorted(by: { $0.due < $1.due }) {
        _ = send(frame.to, frame.bytes, frame.bytes.count, 0)
      }
      frames.removeAll { $0.due <= now }
    }
    FileHandle.standardOutput.write(try JSONEncoder().encode(report))
  }

  private static func open(_ interface: String) throws -> Int32 {
    let index = try String(contentsOfFile: "/sys/class/net/\(interface)/ifindex", encoding: .utf8)
    guard let number = Int32(index.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw Failure("no interface \(interface)") }
    // AF_PACKET, every protocol. Its names are not in Glibc's module.
    let descriptor = socket(17, Int32(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue), Int32(UInt16(3).bigEndian))
    var name = sockaddr_storage()
    withUnsafeMutableBytes(of: &name) { bytes in
      bytes.storeBytes(of: UInt16(17), as: UInt16.self)
      bytes.storeBytes(of: UInt16(3).bigEndian, toByteOffset: 2, as: UInt16.self)
      bytes.storeBytes(of: number, toByteOffset: 4, as: Int32.self)
    }
    let result = withUnsafePointer(to: &name) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, 20) } }
    guard descriptor >= 0, result == 0 else { throw Failure("no packets of \(interface): \(String(cString: strerror(errno)))") }
    return descriptor
  }

  /// Returns the length of the next received frame; nil if there is none.
  private static func receive(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int? {
    while true {
      var name = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let count = withUnsafeMutablePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length) }
      }
      guard count >= 0 else { return nil }
      // Frames that this process has sent are received, too: PACKET_OUTGOING.
      if withUnsafeBytes(of: &name, { $0[10] }) != 4 { return count }
    }
  }

  private static func note(_ bytes: [UInt8], _ report: inout Report) {
    switch (bytes[12], bytes[13]) {
    case (8, 0) where bytes.count >= 34: report.destinations[bytes[30..<34].map(String.init).joined(separator: "."), default: 0] += 1
    case (8, 6) where bytes.count >= 42: report.destinations[bytes[38..<42].map(String.init).joined(separator: "."), default: 0] += 1
    default: report.destinations["other", default: 0] += 1
    }
  }

  /// Clears the checksum of UDP over IPv4, which is optional: the kernel leaves it to hardware, of which there is none here.
  private static func clearChecksum(_ bytes: inout [UInt8]) {
    guard bytes[12] == 8, bytes[13] == 0, bytes.count >= 42, bytes[23] == 17 else { return }
    let header = 14 + 4 * Int(bytes[14] & 0x0F)
    if header + 8 <= bytes.count { (bytes[header + 6], bytes[header + 7]) = (0, 0) }
  }
}
