/// Media registered by clients of the control socket, by id, with the number of clients that know of it or are about to.
///
/// A client that disconnects before the answer does not know of its registration, which would otherwise stay for good.
struct ClientMedia {
  private var told: [String: Int] = [:]

  /// Counts a client's registration. `isNew`: it was not registered before.
  mutating func register(_ id: String, isNew: Bool) { told[id] = isNew ? 1 : (told[id] ?? 1) + 1 }

  /// Takes back a registration whose client never got the answer. Returns true if no other client knows of it: then it must be
  /// unregistered.
  mutating func untold(_ id: String) -> Bool {
    guard let count = told[id] else { return false }
    told[id] = count > 1 ? count - 1 : nil
    return count == 1
  }

  /// Forgets unregistered media.
  mutating func unregister(_ id: String) { told[id] = nil }
}
