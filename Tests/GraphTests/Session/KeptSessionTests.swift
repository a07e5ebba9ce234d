import Glibc
import Testing

extension GraphTests {
  @Suite("Kept sessions", .serialized)
  struct KeptSessions {
    @Test("O3: a session whose daemon has died is told of, and is not used by the next test")
    func diedDaemon() throws {
      let session = try LiveGraph.session(.hardware)
      let pulse = try #require(session.process(of: .pulse))
      pulse.signal(SIGKILL)
      #expect(pulse.wait() == .signal(SIGKILL))
      #expect(throws: (any Error).self) { try session.checkDaemons(whileWaitingFor: "nothing") }
      let next = try LiveGraph.session(.hardware)
      #expect(next !== session)
      try next.checkDaemons(whileWaitingFor: "nothing")
    }
  }
}
