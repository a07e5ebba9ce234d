/// Detects whether Nearend Speaker or Nearend Microphone becomes a different device for applications while the daemon lives.
///
/// Its thread works on a separate object: nothing may refer to an object whose deinitialization has begun, and nothing that the thread
/// releases may wait for it.
final class IdentityWatch: Sendable {
  private let work: IdentityWork

  init(socket: String) {
    work = IdentityWork(socket: socket)
    work.start()
  }

  deinit { work.stop() }

  /// Returns every change since the last call, for people.
  func takeChanges() -> [String] { work.takeChanges() }
}
