/// The host names that an exporter accepts in a request's `Host` header. [any]
///
/// A guard against DNS rebinding: a web page can point its own domain name at this machine and read the answers as its own, but it cannot
/// make the browser send any other name in `Host`.
struct HostNames: Sendable {
  private let names: Set<String>
  private let isLoopback: Bool

  /// - Parameters:
  ///   - names: names accepted besides "localhost" and numeric addresses.
  ///   - isLoopback: whether loopback addresses are the only numeric addresses accepted.
  init(_ names: [String], isLoopback: Bool) {
    self.names = Set(names.map { $0.lowercased() } + ["localhost"])
    self.isLoopback = isLoopback
  }

  /// Throws unless the exporter answers to the host in `header`.
  ///
  /// - Parameter header: a name or a numeric address, with or without a port; nil, which browsers never send, is accepted.
  func admit(_ header: String?) throws(RequestFailure) {
    guard let header else { return }
    let host = Self.host(header)
    if names.contains(host) { return }
    if let number = ListenAddress.number(host), number.isLoopback || !isLoopback { return }
    throw RequestFailure(
      421,
      "host name '\(header)' is not accepted; use a numeric address\(isLoopback ? " of this machine" : ""), localhost, or a name given with --host-name"
    )
  }

  /// Returns the host in lower case, without port, brackets and trailing dot.
  private static func host(_ header: String) -> String {
    let isWhole = header.last == "]" || !header.utf8.contains(UInt8(ascii: ":"))
    var (host, _) = ListenAddress.parts(isWhole ? "\(header):" : header)
    if host.last == "." { host = host.dropLast() }
    return host.lowercased()
  }
}
