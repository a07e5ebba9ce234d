import Testing

@testable import PipeWireGraph

@Suite("When polling begins")
struct FirstPollTests {
  @Test("V9: the first cycle is noticed at once, and its lack after 0.2 s", arguments: [(1, 1), (4, 4), (10, 10), (11, 10)])
  func begins(firstCycle: Int, expected: Int) {
    var poll = FirstPoll()
    #expect(!poll.isAwaited)
    poll.start(cycles: 7)
    var checks = 0
    repeat { checks += 1 } while !poll.begins(cycles: checks < firstCycle ? 7 : 8)
    #expect(checks == expected && !poll.isAwaited)
  }
}
