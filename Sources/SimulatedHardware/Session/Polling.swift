internal import Glibc
import Platform

/// Polls `question`, every 5 ms and later every 20 ms, until it returns an answer or `timeout` seconds have passed.
///
/// Counts at most 0.2 s of a single pause and 5 s of a single question: if the whole machine stalls, so does whatever is waited for, which
/// must have its time afterwards. Gives up after three times `timeout` in any case. [any]
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

/// Seconds that a test or rehearsal waits for a fact before it gives up: far more than anything takes on a busy machine, so that it gives
/// up only on what never happens.
package let factTimeout = 60.0
