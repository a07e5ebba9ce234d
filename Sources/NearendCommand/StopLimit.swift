import Glibc

/// The time that an orderly end may take. Whatever hangs then, the process ends without it: its sound stops, and the next start puts right
/// what it has left, as after a crash. [any]
enum StopLimit {
  private static let seconds: UInt32 = 2

  /// Begins the time, or begins it anew. Needs no thread: the kernel keeps it.
  static func begin() {
    signal(SIGALRM) { _ in
      let words: StaticString = "nearend: error: something hangs at the end; ended without it\n"
      // Perhaps it is the reader of the messages that hangs.
      var event = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      if poll(&event, 1, 0) == 1, Int32(event.revents) & POLLOUT != 0 { _ = write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount) }
      _exit(EXIT_FAILURE)
    }
    alarm(seconds)
  }

  static func end() { alarm(0) }
}
