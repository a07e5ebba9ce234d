import Glibc
import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization
import Testing

@testable import Nearend

@Suite("The log of a program")
struct LogOutletTests {
  @Test("L6: warnings go to standard error unless the program takes the log; then it gets everything, and nobody else")
  func unheard() async throws {
    let written = Mutex<[LogEntry]>([])
    let taken = Mutex<[LogEntry]>([])
    let world = GraphWorld()
    let owner = SessionOwner(outlet: LogOutlet { entry in written.withLock { $0.append(entry) } }) { core, options, listener in
      GraphDouble(core: core, options: options, listener: listener, world: world)
    }
    let manager = AudioSessionManager(owner)
    manager.configuration = AudioSessionConfiguration(controlSocket: nil)
    owner.log.add(.info, "of no concern")
    manager.audioSessionDidActivateExternally()
    try await wait(for: "the warning") { !written.withLock { $0.isEmpty } }
    #expect(written.withLock { $0.map(\.level) } == [.warning])
    #expect(written.withLock { $0.first?.message.contains("audioSessionDidActivateExternally has no effect") } == true)

    manager.configuration = AudioSessionConfiguration(controlSocket: nil) { entry in taken.withLock { $0.append(entry) } }
    owner.log.add(.info, "of some concern")
    manager.audioSessionDidActivateExternally()
    try await wait(for: "both entries") { taken.withLock { $0.count == 2 } }
    #expect(taken.withLock { $0.map(\.level) } == [.info, .warning])
    #expect(written.withLock { $0.count } == 1)
  }

  @Test("L6: a warning on standard error is one line that says who warns")
  func standardError() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let before = dup(STDERR_FILENO)
    dup2(ends[1], STDERR_FILENO)
    LogOutlet.writeToStandardError(LogEntry(time: 0, level: .error, message: "no sound"))
    dup2(before, STDERR_FILENO)
    for descriptor in [before, ends[1]] { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 4_096)
    let count = read(ends[0], &text, text.count)
    close(ends[0])
    // Other tests may write there at the same moment.
    #expect(String(decoding: text.prefix(max(0, count)), as: UTF8.self).contains("nearend: error: no sound\n"))
  }
}
