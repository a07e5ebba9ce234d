import Glibc
import Synchronization

/// The sender's address and port of a datagram, for comparison. [any]
package struct DatagramSource: Sendable, Hashable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64
  package let port: UInt16
  private let isIPv6: Bool

  init(_ name: sockaddr_storage) {
    let isIPv6 = name.ss_family == sa_family_t(AF_INET6)
    self.isIPv6 = isIPv6
    (high, low, port) = withUnsafeBytes(of: name) { bytes in
      let port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
      guard isIPv6 else { return (0, UInt64(bytes.bigEndian(at: 4)), port) }
      func word(_ offset: Int) -> UInt64 { UInt64(bytes.bigEndian(at: offset)) << 32 | UInt64(bytes.bigEndian(at: offset + 4)) }
      return (word(8), word(16), port)
    }
  }

  /// Creates a source with an IPv4 address, for tests.
  init(ipv4: UInt32, port: UInt16) { (high, low, self.port, isIPv6) = (0, UInt64(ipv4), port, false) }

  /// Creates the source of datagrams sent from `address`.
  package init(_ address: RTPAddress) {
    self = address.withName { name, _ in name.withMemoryRebound(to: sockaddr_storage.self, capacity: 1) { DatagramSource($0.pointee) } }
  }

  /// Returns whether both have the same host, at whatever port.
  package func isHost(of other: DatagramSource) -> Bool { high == other.high && low == other.low && isIPv6 == other.isIPv6 }

  /// The host in the system's notation.
  package var host: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    if isIPv6 {
      var words = (high.bigEndian, low.bigEndian)
      inet_ntop(AF_INET6, &words, &text, socklen_t(text.count))
    } else {
      var word = UInt32(truncatingIfNeeded: low).bigEndian
      inet_ntop(AF_INET, &word, &text, socklen_t(text.count))
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Why a socket could not be opened. [any]
package struct DatagramError: Error, Sendable, Equatable {
  /// The `errno`.
  package let code: Int32
  package init(code: Int32) { self.code = code }
  package var reason: String { String(cString: strerror(code)) }
  /// Whether no interface of this machine has the address.
  package var isNotHere: Bool { code == EADDRNOTAVAIL }
  package var isTaken: Bool { code == EADDRINUSE }
}

/// A non-blocking UDP socket. One thread uses it; any thread may wake it. [any]
package final class DatagramSocket: Sendable {
  private let descriptor: Int32
  /// Readable after `wake`.
  private let alarm: Int32
  private let far: Int32
  private let isOpen = Atomic(true)

  /// Size of the kernel's receive buffer in bytes: half a second of a stream, and what other senders add.
  private static let kernelBytes: Int32 = 256 << 10

  /// Opens a socket bound to an address of this machine.
  package init(at address: RTPAddress) throws(DatagramError) {
    (descriptor, alarm, far) = try Self.open(address.isIPv6)
    let result = address.withName { Glibc.bind(descriptor, $0, $1) }
    if result != 0 { throw failed() }
  }

  /// Opens a socket connected to `address`, which reports when nothing listens there.
  package init(to address: RTPAddress) throws(DatagramError) {
    (descriptor, alarm, far) = try Self.open(address.isIPv6)
    // Expedited forwarding, where routers follow RFC 3246.
    var expedited: Int32 = 0xB8
    setsockopt(
      descriptor, address.isIPv6 ? Int32(IPPROTO_IPV6) : Int32(IPPROTO_IP), address.isIPv6 ? IPV6_TCLASS : IP_TOS, &expedited, 4)
    let result = address.withName { Glibc.connect(descriptor, $0, $1) }
    if result != 0 { throw failed() }
  }

  deinit {
    close()
    Glibc.close(alarm)
    Glibc.close(far)
  }

  /// Releases the port. The thread that waits, receives and sends calls it last. Idempotent.
  package func close() {
    if isOpen.exchange(false, ordering: .relaxed) { Glibc.close(descriptor) }
  }

  private func failed() -> DatagramError { DatagramError(code: errno) }

  private static func open(_ isIPv6: Bool) throws(DatagramError) -> (Int32, Int32, Int32) {
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, kind, 0)
    guard descriptor >= 0 else { throw DatagramError(code: errno) }
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      defer { Glibc.close(descriptor) }
      throw DatagramError(code: errno)
    }
    var (bytes, only) = (kernelBytes, Int32(1))
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, 4)
    if isIPv6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &only, 4) }
    return (descriptor, ends[0], ends[1])
  }

  /// The local port.
  package var port: UInt16 {
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    _ = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return DatagramSource(name).port
  }

  /// Returns the local address from which `address` is reached; sends nothing.
  package static func local(towards address: RTPAddress) throws(DatagramError) -> DatagramSource {
    let socket = try DatagramSocket(to: address)
    var name = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.descriptor, $0, &length) }
    }
    guard result == 0 else { throw socket.failed() }
    return DatagramSource(name)
  }

  /// Ends a `wait` that is under way, and every later one. [any]
  package func wake() {
    _ = Glibc.send(far, [1], 1, Int32(MSG_NOSIGNAL))
  }

  /// Waits up to `seconds` for a datagram, or for `other` to become readable instead if it is given. Returns false once `wake` was called.
  package func wait(seconds: Double, insteadFor other: Int32? = nil) -> Bool {
    var descriptors = [
      pollfd(fd: other ?? descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: alarm, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&descriptors, 2, Int32(max(0, min(seconds, 3_600)) * 1_000 + 0.999))
    return descriptors[1].revents == 0
  }

  /// Receives the next datagram; nil if there is none. `length` is the length sent, which may exceed `buffer`'s.
  package func receive(into buffer: UnsafeMutableRawBufferPointer) -> (length: Int, source: DatagramSource)? {
    var name = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let length = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        recvfrom(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_TRUNC), $0, &size)
      }
    }
    return length < 0 ? nil : (length, DatagramSource(name))
  }

  /// Sends to the address that the socket is connected to. Returns 0, or the `errno`.
  package func send(_ bytes: [UInt8]) -> Int32 {
    Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count ? 0 : errno
  }

  /// Sends to `address` from a socket bound to an address of this machine. Returns 0, or the `errno`.
  package func send(_ bytes: [UInt8], to address: RTPAddress) -> Int32 {
    address.withName { sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) } == bytes.count ? 0 : errno
  }
}

extension RTPAddress {
  /// Calls `body` with the address as a `sockaddr`.
  fileprivate func withName<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    if isIPv6 {
      var hints = addrinfo()
      hints.ai_flags = AI_NUMERICHOST
      hints.ai_family = AF_INET6
      var found: UnsafeMutablePointer<addrinfo>?
      if getaddrinfo(host, nil, &hints, &found) == 0, let found {
        length = found.pointee.ai_addrlen
        memcpy(&storage, found.pointee.ai_addr, Int(length))
        freeaddrinfo(found)
      }
    } else {
      storage.ss_family = sa_family_t(AF_INET)
      var four = in_addr()
      inet_pton(AF_INET, host, &four)
      withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: four, toByteOffset: 4, as: in_addr.self) }
    }
    withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self) }
    return withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
