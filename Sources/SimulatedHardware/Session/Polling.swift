internal import Glibc
import Platform

/// Polls `question`, every 5 ms and later every 20 ms, until it answers or `timeout` seconds have passed.
///
/// Counts at most 0.2 s of a single pause and 5 s of a single question: while the whole machine stands still, what is waited for stands
/// still with it, and has to have its time afterwards. After three times `timeout` it is over in any case. [any]
func poll<Answer>(timeout: Double = factTimeout, _ question: () throws -> Answer?) rethrows -> Answer? {
  let begin = monotonicSeconds()
  var waited = 0.0
  while true {
    let asked = monotonicSeconds()
    if let answer = try question() { return answer }
    let paused = monotonicSeconds()
    if waited >= timeout || paused - begin >= 3 * timeout { return nil }
    usleep(waited < 0.2 ? 5_000 : 20_000)
    waited += min(paused - asked, 5) + min(monotonicSeconds() - paused, 0.2)
  }
}
