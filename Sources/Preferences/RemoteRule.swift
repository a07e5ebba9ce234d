import Border
import Nearend
import Platform
import RTP
import SessionModel
import TOMLKit

/// `[participant."bob"]` with `rtp` or `call`: a participant on another machine, connected at the start (K12). [any]
package struct RemoteRule: Sendable, Equatable {
  package enum Way: Sendable, Equatable {
    /// Received at an address of this machine, from the given host alone if there is one.
    case receive(at: String, from: String?)
    /// A call: the voice is sent there, too.
    case call(String)
  }
  package var id: String
  package var way: Way
  /// Milliseconds.
  package var latency: Int

  static let keys = ["rtp", "from", "call", "latency"]
  static let latencies = 20...100

  /// Reads these keys of a participant's table; `rule` is nil if it has none of them. Returns problems by key.
  static func read(_ id: String, _ table: TOMLTable) -> (rule: RemoteRule?, problems: [(key: String, message: String)]) {
    guard let first = keys.first(where: { table[$0] != nil }) else { return (nil, []) }
    var problems: [(key: String, message: String)] = []
    if let problem = IdRule.problem(id) {
      problems.append((first, "a remote participant needs a name, not a pattern: \(problem)"))
    }
    func address(_ key: String) -> String? {
      guard let value = table[key] else { return nil }
      guard let text = value.string else {
        problems.append((key, "invalid \(key): give an address, such as \"10.0.0.8:5004\""))
        return nil
      }
      do throws(RTPAddressError) { _ = try RTPAddress(text) } catch { problems.append((key, "\(key): \(error)")) }
      return text
    }
    let (at, from, peer) = (address("rtp"), address("from"), address("call"))
    if table["rtp"] != nil, table["call"] != nil { problems.append(("call", "give either rtp or call, which is both ways")) }
    if table["rtp"] == nil, table["call"] == nil { problems.append((first, "\(first) needs rtp or call")) }
    if table["from"] != nil, table["call"] != nil {
      problems.append(("from", "from applies only to rtp; a call accepts only the machine that it calls"))
    }
    var latency = 60
    if let value = table["latency"] {
      latency = value.int ?? 0
      if !latencies.contains(latency) { problems.append(("latency", "invalid latency: give a whole number of ms from 20 to 100")) }
    }
    guard problems.isEmpty, let way = at.map({ Way.receive(at: $0, from: from) }) ?? peer.map(Way.call) else { return (nil, problems) }
    return (RemoteRule(id: id, way: way, latency: latency), [])
  }
}

/// Keeps the connections that nearend.toml lists in a running service. One thread at a time.
struct RemoteKeeper {
  private var participants: [RemoteRule] = []
  /// The destinations of the voice, with the senders' names.
  private var sends: [(address: String, id: String)] = []

  /// Applies the changes of the file, and returns them in words. What could not be added is tried again each time.
  mutating func update(_ rules: [RemoteRule], sends addresses: [String], in service: NearendService) -> [String] {
    var words: [String] = []
    for rule in participants where !rules.contains(rule) {
      service.removeSink(id: rule.id)
      words.append("without \(rule.id)")
    }
    participants.removeAll { !rules.contains($0) }
    for send in sends where !addresses.contains(send.address) {
      try? service.endSend(id: send.id)
      words.append("not to \(send.address)")
    }
    sends.removeAll { !addresses.contains($0.address) }
    for rule in rules where !participants.contains(rule) {
      do throws(RemoteError) {
        switch rule.way {
        case .receive(let address, let host): try service.addRemoteSink(id: rule.id, at: address, from: host, latency: rule.latency)
        case .call(let address): try service.call(address, id: rule.id, latency: rule.latency)
        }
        participants.append(rule)
        words.append("with \(rule.id)")
      } catch { service.remark("participant \(rule.id): \(error)", .warning) }
    }
    for address in addresses where !sends.contains(where: { $0.address == address }) {
      do throws(RemoteError) {
        sends.append((address, try service.send(to: address)))
        words.append("to \(address)")
      } catch { service.remark("sends: \(error)", .warning) }
    }
    return words
  }
}
