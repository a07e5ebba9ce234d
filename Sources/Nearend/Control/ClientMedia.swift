/// Media that clients of the control socket have registered, by id, with the number of clients that have been or are about to be told.
///
/// A client that disconnects before the answer does not know of its registration, and would leave it behind for good.
struct ClientMedia {
  private var told: [String: Int] = [:]

  /// Counts a client's registration. `isNew`: it was not registered before.
  mutating func register(_ id: String, isNew: Bool) { told[id] = isNew ? 1 : (told[id] ?? 1) + 1 }

  /// Takes back a registration whose client could not be told. Returns true if no other client was: then it must be unregistered.
  mutating func untold(_ id: String) -> Bool {
    guard let count = told[id] else { return false }
    told[id] = count > 1 ? count - 1 : nil
    return count == 1
  }

  /// Forgets unregistered media.
  mutating func unregister(_ id: String) { told[id] = nil }
}
