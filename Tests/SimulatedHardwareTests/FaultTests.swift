import Foundation
import Testing

@testable import SimulatedHardware

@Suite("Faults")
struct FaultTests {
  @Test("I6: the PipeWire daemon can die alone, and come back alone: the others are left to notice")
  func pipewireAlone() throws {
    let session = try PrivateSession()
    let bus = try #require(session.process(of: .bus)).pid
    session.stop(.pipewire, isAlone: true)
    #expect(try session.ports() == [])
    try session.start(.pipewire)
    #expect(session.process(of: .bus)?.pid == bus)
    try session.start()
    #expect(try session.ports().isSuperset(of: SimulatedDevice.speaker.ports))
  }

  @Test("I6: the session's bus can die alone and come back, and the rest of the session is left")
  func busAlone() throws {
    let session = try PrivateSession()
    let pipewire = try #require(session.process(of: .pipewire)).pid
    session.stop(.bus, isAlone: true)
    #expect(!session.isRunning(.bus))
    try session.start()
    #expect(session.isRunning(.bus))
    #expect(session.process(of: .pipewire)?.pid == pipewire)
    #expect(try session.ports().isSuperset(of: SimulatedDevice.speaker.ports))
  }

  @Test("I5: no cycle runs while the daemon is frozen, and cycles go on once it is thawed")
  func freezing() throws {
    let (session, room) = try runningRoom()
    session.freeze(.pipewire)
    let position = try #require(positionAtRest(room))
    session.thaw(.pipewire)
    try session.wait(for: "cycles") { room.position! > position }
  }

  @Test("I5: a driver that stops begins no cycle, while its node and links stay; started again, cycles go on")
  func stoppedDriver() throws {
    let (session, room) = try runningRoom()
    let links = Set(try session.links().keys)
    try session.stopDriver("hw.speaker")
    let position = try #require(positionAtRest(room))
    #expect(Set(try session.links().keys) == links)
    try session.startDriver("hw.speaker")
    try session.wait(for: "cycles") { room.position! > position }
    #expect(sessionError { try session.stopDriver("hw.nothing") }?.code == .invalidRequest)
  }

  @Test("I5: in a storm of xruns cycles are late each time, and the graph goes on after it")
  func storm() throws {
    let (session, room) = try runningRoom()
    let storm = Thread { session.stormOfXruns(count: 5, length: 0.08, interval: 0.05) }
    storm.start()
    var late = 0
    var (last, since) = (room.position, monotonicSeconds())
    while !storm.isFinished {
      usleep(1_000)
      guard room.position != last else { continue }
      // A cycle lasts 5 ms.
      if monotonicSeconds() - since > 0.04 { late += 1 }
      (last, since) = (room.position, monotonicSeconds())
    }
    #expect(late >= 5)
    let position = try #require(room.position)
    try session.wait(for: "cycles") { room.position! > position + 4_800 }
  }

  /// A session whose graph runs, with a room that counts its cycles.
  private func runningRoom() throws -> (PrivateSession, Room) {
    var configuration = SessionConfiguration()
    configuration.runsPulse = false
    configuration.quantum = 256
    let session = try PrivateSession(configuration)
    var options = RoomOptions(socket: session.socket, epoch: monotonicSeconds() + 1_000)
    options.cache = speechCache
    let room = try Room(options)
    try room.start()
    try session.wait(for: "cycles") { room.report.isLinked && (room.position ?? 0) > 0 }
    return (session, room)
  }

  /// Returns the clock's position once it has stood still for 20 quanta; nil if it keeps moving.
  private func positionAtRest(_ room: Room) -> UInt64? {
    var last = room.position
    return poll {
      defer { last = room.position }
      usleep(100_000)
      return room.position == last ? last : nil
    }
  }
}
