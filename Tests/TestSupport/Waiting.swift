import Foundation

/// Returns whether a fact becomes true within 60 s; polls it every 5 ms.
package func eventually(_ fact: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + .seconds(60)
  while ContinuousClock.now < end {
    if try fact() { return true }
    usleep(5_000)
  }
  return try fact()
}
