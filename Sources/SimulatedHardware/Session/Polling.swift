internal import Glibc
import Platform

/// Polls `question`, every 5 ms and later every 20 ms, until it answers or `timeout` seconds have passed.
///
/// A pause of a poll counts for 0.2 s at most: while the whole machine stands still, what is waited for stands still with it, and has to
/// have its time afterwards. [any]
func poll<Answer>(timeout: Double = factTimeout, _ question: () throws -> Answer?) rethrows -> Answer? {
  var waited = 0.0
  while true {
    let asked = monotonicSeconds()
    if let answer = try question() { return answer }
    if waited >= timeout { return nil }
    usleep(waited < 0.2 ? 5_000 : 20_000)
    waited += min(monotonicSeconds() - asked, 0.2)
  }
}
