import Glibc
import Testing

extension GraphTests {
  @Suite("Kept sessions", .serialized)
  struct KeptSessions {
    @Test("O3: the test in which a daemon dies says so, and the next one gets another session")
    func diedDaemon() throws {
      let session = try LiveGraph.session(.hardware)
      let pulse = try #require(session.process(of: .pulse))
      pulse.signal(SIGKILL)
      #expect(pulse.wait() == .signal(SIGKILL))
      #expect { try session.checkDaemons("at the end of the test") } throws: { "\($0)".contains("pipewire-pulse has ended") }
      let next = try LiveGraph.session(.hardware)
      #expect(next !== session)
      #expect(next.isComplete)
    }
  }
}
