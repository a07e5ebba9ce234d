import Glibc

/// The address of a Unix socket. [any]
package struct UnixAddress: Sendable {
  private let address: sockaddr_un
  private let length: socklen_t

  /// Bytes of the longest path: those of `sun_path`, less the terminating 0.
  package static let pathLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// The socket of a file; nil if the path is too long.
  package init?(path: String) { self.init(Array(path.utf8) + [0]) }

  /// The abstract socket of a name, which no file has; nil if the name is empty or too long.
  package init?(abstractName name: String) {
    guard !name.isEmpty else { return nil }
    // An abstract name is as long as the address says.
    self.init([0] + name.utf8)
  }

  private init?(_ name: [UInt8]) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard name.count <= MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    self.address = address
    length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.count)
  }

  /// Connects a socket to it. Returns whether that has succeeded; `errno` says why not.
  package func connect(_ descriptor: Int32) -> Bool { withAddress { Glibc.connect(descriptor, $0, length) } == 0 }

  /// Binds a socket to it. Returns whether that has succeeded; `errno` says why not.
  package func bind(_ descriptor: Int32) -> Bool { withAddress { Glibc.bind(descriptor, $0, length) } == 0 }

  /// Sends a datagram to it, without waiting for room. Returns whether that has succeeded; `errno` says why not.
  package func send(_ datagram: [UInt8], from descriptor: Int32) -> Bool {
    withAddress { sendto(descriptor, datagram, datagram.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL), $0, length) } == datagram.count
  }

  private func withAddress<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
    withUnsafePointer(to: address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
  }
}
