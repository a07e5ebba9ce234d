/// Whether applications would see Nearend Speaker or Nearend Microphone change into another device while the daemon lives.
///
/// Its thread works on an object of its own: nothing may refer to an object any more whose end has begun, and nothing that the thread drops may wait for it.
final class IdentityWatch: Sendable {
  private let work: IdentityWork

  init(socket: String) {
    work = IdentityWork(socket: socket)
    work.start()
  }

  deinit { work.stop() }

  /// Every change so far, in words; asked for once.
  func takeChanges() -> [String] { work.takeChanges() }
}
