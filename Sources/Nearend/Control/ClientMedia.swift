/// Media that clients of the control socket have registered, by id, and how many of them have been told so, or are about to be.
///
/// Who is gone before the answer knows nothing of it, and would leave it behind for good.
struct ClientMedia {
  private var told: [String: Int] = [:]

  /// A client registers it. `isNew`: nobody had before.
  mutating func register(_ id: String, isNew: Bool) { told[id] = isNew ? 1 : (told[id] ?? 1) + 1 }

  /// A client could not be told. True where nobody else was: it is to be unregistered.
  mutating func untold(_ id: String) -> Bool {
    guard let count = told[id] else { return false }
    told[id] = count > 1 ? count - 1 : nil
    return count == 1
  }

  /// It is unregistered.
  mutating func unregister(_ id: String) { told[id] = nil }
}
