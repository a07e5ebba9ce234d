import Glibc
import Platform

/// A TCP address to listen at: a numeric IP address and a port. [any]
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
  package let host: String
  /// 0 for any free port.
  package let port: UInt16
  let isIPv6: Bool

  /// - Parameters:
  ///   - text: "127.0.0.1:9464", "[::1]:9464", "localhost:9464", ":9464" or "9464"; without a host it is 127.0.0.1.
  ///   - allowsRemote: whether other machines may reach it.
  /// - Throws: `ListenError.malformed` or `.notLoopback`.
  package init(_ text: String, allowsRemote: Bool = false) throws(ListenError) {
    let (host, digits) = Self.parts(text)
    guard let port = UInt16(digits), digits.utf8.allSatisfy({ (48...57).contains($0) }) else { throw .malformed(text) }
    self.port = port
    self.host = host.isEmpty || host == "localhost" ? "127.0.0.1" : String(host)
    guard let number = Self.number(self.host) else { throw .malformed(text) }
    isIPv6 = number.isIPv6
    guard number.isLoopback || allowsRemote else { throw .notLoopback(self.host) }
  }

  /// Whether only this machine can reach the address.
  var isLoopback: Bool { Self.number(host)?.isLoopback ?? false }

  /// Classifies a numeric address; nil for a name.
  static func number(_ host: String) -> (isIPv6: Bool, isLoopback: Bool)? {
    var four = in_addr()
    if inet_pton(AF_INET, host, &four) == 1 { return (false, UInt32(bigEndian: four.s_addr) >> 24 == 127) }
    var six = in6_addr()
    guard inet_pton(AF_INET6, host, &six) == 1 else { return nil }
    return (true, withUnsafeBytes(of: &six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 })
  }

  static func parts(_ text: String) -> (host: Substring, port: Substring) {
    guard let colon = text.lastIndex(of: ":") else { return ("", text[...]) }
    let (host, port) = (text[..<colon], text[text.index(after: colon)...])
    guard host.first == "[", host.last == "]" else { return (host.includes(":") ? "?" : host, port) }
    return (host.dropFirst().dropLast(), port)
  }

  init(host: String, port: UInt16, isIPv6: Bool) { (self.host, self.port, self.isIPv6) = (host, port, isIPv6) }

  package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Why listening at an address fails, with what to do about it. [any]
package enum ListenError: Error, Sendable, Equatable, CustomStringConvertible {
  case malformed(String)
  /// An address that other machines can reach, although that was not allowed.
  case notLoopback(String)
  case refused(address: String, reason: String)

  package var description: String {
    switch self {
    case .malformed(let text):
      "'\(text)' is no address to listen at; give a numeric one with a port, such as 127.0.0.1:9464 or [::1]:9464"
    case .notLoopback(let host):
      "\(host) is not this machine alone: whoever reaches it reads the names of its devices and participants; give 127.0.0.1 or [::1]"
    case .refused(let address, let reason):
      "cannot listen at \(address): \(reason); give another address or port, or stop the program that uses it"
    }
  }
}

/// A listening TCP socket. [any]
final class TCPListener: ListeningSocket {
  let descriptor: Int32
  /// The address with its actual port, even if any free one was requested.
  let address: ListenAddress

  init(_ address: ListenAddress) throws(ListenError) {
    let family = address.isIPv6 ? AF_INET6 : AF_INET
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .refused(address: "\(address)", reason: lastError()) }
    // Connections of a former listener may linger for a minute.
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    guard Self.bind(descriptor, address) == 0, listen(descriptor, 32) == 0 else {
      defer { close(descriptor) }
      throw .refused(address: "\(address)", reason: lastError())
    }
    self.descriptor = descriptor
    self.address = ListenAddress(host: address.host, port: Self.port(of: descriptor), isIPv6: address.isIPv6)
  }

  func remove() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  func admits(_ client: Int32) -> Bool { true }

  deinit {
    remove()
    close(descriptor)
  }

  private static func bind(_ descriptor: Int32, _ address: ListenAddress) -> Int32 {
    if address.isIPv6 {
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_port = address.port.bigEndian
      inet_pton(AF_INET6, address.host, &name.sin6_addr)
      return bind(descriptor, &name)
    }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = address.port.bigEndian
    inet_pton(AF_INET, address.host, &name.sin_addr)
    return bind(descriptor, &name)
  }

  private static func bind<Name>(_ descriptor: Int32, _ name: inout Name) -> Int32 {
    withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Name>.size)) }
    }
  }

  /// Returns the bound port, which has the same offset in the addresses of both families.
  private static func port(of descriptor: Int32) -> UInt16 {
    var name = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    _ = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return UInt16(bigEndian: name.sin6_port)
  }
}
