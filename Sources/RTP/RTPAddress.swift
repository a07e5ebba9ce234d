import Border
import Glibc

/// A numeric unicast IP address with a UDP port. [any]
package struct RTPAddress: Sendable, Hashable, CustomStringConvertible {
  /// The host in the system's notation: "10.0.0.7", "fe80::1%eth0".
  package let host: String
  package let port: UInt16
  package let isIPv6: Bool

  /// The default port, as in PipeWire's modules and RFC 3551.
  package static let standardPort: UInt16 = 5_004

  /// - Parameter text: "10.0.0.7:5004", "10.0.0.7", "[fd00::7]:5004" or "fd00::7"; names are not looked up.
  /// - Throws: `RTPAddressError`.
  package init(_ text: String) throws(RTPAddressError) {
    guard !text.utf8.contains(0) else { throw .malformed(text) }
    let (host, digits) = try Self.parts(text)
    var port = Self.standardPort
    if let digits {
      guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(digits), number > 0 else { throw .port(text) }
      port = number
    }
    try self.init(host: host, port: port, in: text)
  }

  /// Returns the same host with another port.
  func with(port: UInt16) -> RTPAddress { RTPAddress(checked: host, port: port, isIPv6: isIPv6) }

  /// The next port, which RFC 3550 assigns to a stream's control packets; nil after the last port.
  package var control: RTPAddress? { port < .max ? with(port: port + 1) : nil }

  /// Returns the wildcard address of this machine, in the same family as `other`.
  package static func any(like other: RTPAddress, port: UInt16) -> RTPAddress {
    RTPAddress(checked: other.isIPv6 ? "::" : "0.0.0.0", port: port, isIPv6: other.isIPv6)
  }

  /// Whether this is a wildcard address, to which nothing can be sent.
  package var isAny: Bool { host == "::" || host == "0.0.0.0" }

  package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  private init(checked host: String, port: UInt16, isIPv6: Bool) { (self.host, self.port, self.isIPv6) = (host, port, isIPv6) }

  private static func parts(_ text: String) throws(RTPAddressError) -> (host: String, port: String?) {
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { throw .malformed(text) }
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { throw .malformed(text) }
      return (String(text[text.index(after: text.startIndex)..<end]), rest.isEmpty ? nil : String(rest.dropFirst()))
    }
    let pieces = text.split(separator: ":", omittingEmptySubsequences: false)
    return pieces.count == 2 ? (String(pieces[0]), String(pieces[1])) : (text, nil)
  }

  private init(host: String, port: UInt16, in text: String) throws(RTPAddressError) {
    var four = in_addr()
    if inet_pton(AF_INET, host, &four) == 1 {
      let bits = UInt32(bigEndian: four.s_addr)
      guard bits >> 28 != 0xE, bits != .max else { throw .multicast(text) }
      self.init(checked: host, port: port, isIPv6: false)
      return
    }
    // Handles the interface of a link-local address, which inet_pton does not know.
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    hints.ai_family = AF_INET6
    var found: UnsafeMutablePointer<addrinfo>?
    guard host.utf8.count < 100, host.contains(":"), getaddrinfo(host, nil, &hints, &found) == 0, let found else { throw .malformed(text) }
    defer { freeaddrinfo(found) }
    let first = found.pointee.ai_addr.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
      withUnsafeBytes(of: address.pointee.sin6_addr) { $0[0] }
    }
    guard first != 0xFF else { throw .multicast(text) }
    var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard getnameinfo(found.pointee.ai_addr, found.pointee.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0 else {
      throw .malformed(text)
    }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    self.init(checked: String(decoding: bytes, as: UTF8.self), port: port, isIPv6: true)
  }
}

/// Why a text is not an address for RTP, with what to do about it. [any]
package enum RTPAddressError: Error, Sendable, Equatable, CustomStringConvertible {
  case malformed(String)
  case port(String)
  case multicast(String)
  /// A wildcard address, to send to or to call.
  case anyAddress(String)

  package var description: String {
    switch self {
    case .malformed(let text):
      "'\(text.printable())' is no address: give a numeric one, such as 10.0.0.8:5004 or [fd00::8]:5004; names are not looked up"
    case .port(let text): "'\(text.printable())' has no possible port: give 1 to 65535, such as 10.0.0.8:5004"
    case .multicast(let text): "'\(text.printable())' is a group of machines: give the address of one, such as 10.0.0.8:5004"
    case .anyAddress(let text): "'\(text.printable())' is every address of this machine: give the other machine's, such as 10.0.0.8:5004"
    }
  }
}
