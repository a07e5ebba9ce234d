import ControlClient
import Foundation

extension RunningNearend {
  /// Writes a stream to standard output until nearend ends it; quietly, where the reader of standard output goes first.
  func stream(_ target: String) {
    signal(SIGPIPE, SIG_IGN)
    do {
      let answer = try client.download(target) { bytes in
        var written = 0
        while written < bytes.count {
          let count = write(STDOUT_FILENO, bytes.baseAddress! + written, bytes.count - written)
          if count < 0, errno != EINTR { return false }
          written += max(0, count)
        }
        return true
      }
      if let answer, answer.hasSource { fail("there is one source at a time, and somebody has it: end that one", .failure) }
      if let answer { _ = good(answer) }
    } catch {
      end(error)
    }
  }
}
