import Testing

@testable import PipeWireGraph

@Suite("A closed microphone")
struct MicrophoneClosingTests {
  @Test("D1: a closed microphone is suspended once its links are gone, and again after each opening")
  func once() {
    var closing = MicrophoneClosing()
    let polls: [(microphone: UInt32?, isLinked: Bool, suspends: Bool)] = [
      (11, true, false), (11, false, true), (11, false, false), (12, false, true), (nil, false, false), (12, false, true),
    ]
    for (time, poll) in polls.enumerated() {
      let suspends = closing.update(poll.microphone, isLinked: poll.isLinked, at: Double(time))
      #expect(suspends == poll.suspends, "poll \(time)")
    }
  }

  @Test("D1: an open microphone is never suspended")
  func open() {
    var closing = MicrophoneClosing()
    let looksAgain = closing.wasWoken(isRunning: true, at: 10)
    #expect(!looksAgain)
  }

  @Test("D1: a closed microphone that the daemon wakes is suspended again, at most five times, 0.5 s apart")
  func woken() {
    var closing = MicrophoneClosing()
    var suspensions: [Double] = []
    for step in 1...200 {
      let time = Double(step) / 10
      if closing.update(11, isLinked: false, at: time) { suspensions.append(time) }
      _ = closing.wasWoken(isRunning: true, at: time)
    }
    #expect(suspensions.count == 5)
    #expect(zip(suspensions, suspensions.dropFirst()).allSatisfy { $1 - $0 > 0.5 })
  }

  @Test("D1: a microphone that stays suspended is not suspended again")
  func asleep() {
    var closing = MicrophoneClosing()
    _ = closing.update(11, isLinked: false, at: 0)
    let looksAgain = closing.wasWoken(isRunning: false, at: 10)
    #expect(!looksAgain)
  }
}
