import RealtimeCore
import SessionModel

/// `GET /playout/<id>`: plays a joined program's PCM, and reports to it how much has left the ring. [any]
///
/// The program tracks what has left the ring, and itself refuses what would not fit (K2), so nothing queues on the way and nothing accepted
/// is lost. If PCM is consumed late, the program therefore refuses writes, as a ring in its own process would.
struct SinkStream {
  private let sink: RingSink
  private let connection: ControlConnection
  private let stall: Double
  /// Called with the count of all refused writes so far, at the first of a run.
  private let dropped: (_ total: UInt64) -> Void

  /// Seconds after which what has left the ring is reported, at the latest.
  private static let step = 0.01
  /// Seconds between checks while the ring is empty.
  private static let idleStep = 1.0

  /// - Parameters:
  ///   - dropped: called with the count of all refused writes so far, at the first of a run (K6).
  ///   - register: creates the sink that plays the PCM.
  static func answer(
    _ request: ControlRequest, dropped: @escaping (_ total: UInt64) -> Void, register: () throws(SinkError) -> PCMRegistration
  ) throws {
    let exchange = request.exchange
    let registration: PCMRegistration
    do throws(SinkError) {
      let result = ControlEndpoints.registering.withLock { _ in
        do throws(SinkError) { return Result<PCMRegistration, SinkError>.success(try register()) } catch { return .failure(error) }
      }
      registration = try result.get()
    } catch {
      throw RequestFailure(error.status, error.description, code: error.code)
    }
    defer { registration.end() }
    try exchange.upgrade(to: HostProtocol.name)
    try SinkStream(sink: registration.sink, connection: exchange.connection, stall: exchange.limits.stallSeconds, dropped: dropped).run()
  }

  private func run() throws {
    var (received, reported): (UInt64, UInt64) = (0, 0)
    while !sink.isRemoved {
      let fill = sink.fill.bytes
      let played = received - min(received, UInt64(fill))
      if played != reported {
        try connection.send(HostProtocol.bytes(of: played), stall: stall)
        reported = played
      }
      if connection.input.count < HostProtocol.SinkRecord.size, try !connection.fill(within: fill > 0 ? Self.step : Self.idleStep) {
        continue
      }
      received += UInt64(try consumeRecord() ?? 0)
    }
  }

  /// Consumes the next record, if its head has arrived; returns the size of its PCM in bytes.
  private func consumeRecord() throws -> Int? {
    guard let record = HostProtocol.read(HostProtocol.SinkRecord.self, from: connection.input) else { return nil }
    _ = connection.consume(HostProtocol.SinkRecord.size)
    switch HostProtocol.SinkRecord.Kind(rawValue: record.kind) {
    case .drops:
      let count = UInt64(record.count)
      if case .dropped(count, let total) = sink.noteDrops(count) { dropped(total) }
      return 0
    case .audio:
      let count = Int(record.count)
      guard count <= sink.capacityBytes else { throw ConnectionEnd.closed }
      while connection.input.count < count { guard try connection.fill(within: stall) else { throw ConnectionEnd.timedOut } }
      _ = connection.consume(count).withUnsafeBytes { sink.put($0) }
      return count
    case nil: throw ConnectionEnd.closed
    }
  }
}
