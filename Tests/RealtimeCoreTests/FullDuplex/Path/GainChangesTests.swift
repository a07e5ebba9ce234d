import Testing

@testable import RealtimeCore

@Suite("Full duplex: known volumes")
struct GainChangesTests {
  /// The factors of the next hops, 1 where nothing changes.
  private func factors(_ changes: inout GainChanges, hops: Int) -> [Float] { (0..<hops).map { _ in changes.next() ?? 1 } }

  @Test("V10: a change of volume waits for its echo, and several of one hop are multiplied")
  func delay() {
    var changes = GainChanges(hops: 10, memory: 20)
    changes.add(2, in: 3)
    changes.add(0.25, in: 3)
    changes.add(3, in: 99)
    let all = factors(&changes, hops: 12)
    #expect(all == [1, 1, 1, 0.5, 1, 1, 1, 1, 1, 3, 1, 1])
  }

  @Test(
    "V10: of a change that was heard before it was told, only the rest is applied, and all of it if it was heard long ago, or was another",
    arguments: [(2.8, 2.8, 0, 1), (2, 3, 5, 1.5), (0.5, 0.25, 5, 0.5), (4, 2, 5, 1), (2, 0.5, 5, 0.5), (2, 2, 30, 2)]
      as [(Float, Float, Int, Float)])
  func heardBefore(found: Float, told: Float, later hops: Int, rest: Float) {
    var changes = GainChanges(hops: 10, memory: 20)
    changes.note(found)
    _ = factors(&changes, hops: hops)
    changes.add(told, in: 0)
    let factor = factors(&changes, hops: 1)[0]
    #expect(factor == rest)
  }
}
