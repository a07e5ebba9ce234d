import Testing

@testable import PipeWireGraph

@Suite("A closed microphone")
struct MicrophoneClosingTests {
  @Test("D1: it is suspended once, when its links are gone, and again after it was opened")
  func once() {
    var closing = MicrophoneClosing()
    let looks: [(microphone: UInt32?, isLinked: Bool, suspends: Bool)] = [
      (11, true, false), (11, false, true), (11, false, false), (12, false, true), (nil, false, false), (12, false, true),
    ]
    for (time, look) in looks.enumerated() {
      let suspends = closing.update(look.microphone, isLinked: look.isLinked, at: Double(time))
      #expect(suspends == look.suspends, "look \(time)")
    }
  }

  @Test("D1: one that is open may run")
  func open() {
    var closing = MicrophoneClosing()
    let looksAgain = closing.wasWoken(isRunning: true, at: 10)
    #expect(!looksAgain)
  }

  @Test("D1: one that the daemon wakes with its group is suspended again, a few times, not at once")
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

  @Test("D1: one that stays suspended is left alone")
  func asleep() {
    var closing = MicrophoneClosing()
    _ = closing.update(11, isLinked: false, at: 0)
    let looksAgain = closing.wasWoken(isRunning: false, at: 10)
    #expect(!looksAgain)
  }
}
