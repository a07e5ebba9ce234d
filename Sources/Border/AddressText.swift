extension String {
  /// Of an address, such as `https://user:password@host:8443/path?key=value`, scheme, host, port and path: where it leads. Errors end up in
  /// logs, status and telemetry, and passwords and keys stand in what is left out. Takes addresses that are none, too. [any]
  package var withoutSecrets: String {
    let start = firstRange(of: "//")?.upperBound ?? startIndex
    var place = self[start...]
    let authority = place.prefix { !"/?#".contains($0) }
    // A password that is not escaped may hold what would end the authority; a port has digits only.
    let end = authority.drop { $0 != "]" }
    let isCut = (end.isEmpty ? authority : end).split(separator: ":", maxSplits: 1).dropFirst().contains { !$0.allSatisfy(\.isNumber) }
    if let sign = authority.lastIndex(of: "@") ?? (isCut ? place.lastIndex(of: "@") : nil) { place = place[index(after: sign)...] }
    return String(self[..<start]) + place.prefix { !"?#".contains($0) }
  }
}
