import ControlClient
import Foundation

extension RunningNearend {
  /// Writes a stream to standard output until nearend ends it, or, without a message, until the reader of standard output leaves.
  func stream(_ target: String) {
    do {
      let answer = try client.download(target) { writeWhole(UnsafeRawBufferPointer($0), to: STDOUT_FILENO) }
      if let answer, answer.hasSource { fail("the microphone already has a consumer; stop it first", .failure) }
      if let answer { _ = requireSuccess(answer) }
    } catch {
      end(error)
    }
  }
}
