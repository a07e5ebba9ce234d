import RealtimeCore
import SessionModel

/// `GET /playout/<id>`: plays what a joined program writes, and tells it how much room there is. [any]
///
/// The program counts what has left the ring, and refuses by itself what would not fit (K2): so nothing waits on the way, and nothing that
/// was accepted is lost. PCM that is taken late is therefore refused there, as by a ring in the program's own process.
struct SinkStream {
  private let sink: RingSink
  private let connection: ControlConnection
  private let stall: Double

  /// Seconds after which what has left the ring is told, at the latest.
  private static let step = 0.01
  /// Seconds between looks while the ring is empty.
  private static let idleStep = 1.0

  /// - Parameter register: makes what plays the PCM.
  static func answer(_ request: ControlRequest, register: () throws(SinkError) -> PCMRegistration) throws {
    let exchange = request.exchange
    let registration: PCMRegistration
    do throws(SinkError) {
      let result = ControlEndpoints.registering.withLock { _ in
        do throws(SinkError) { return Result<PCMRegistration, SinkError>.success(try register()) } catch { return .failure(error) }
      }
      registration = try result.get()
    } catch {
      throw RequestFailure(error.status, error.description)
    }
    defer { registration.end() }
    try exchange.upgrade(to: HostProtocol.name)
    try SinkStream(sink: registration.sink, connection: exchange.connection, stall: exchange.limits.stallSeconds).run()
  }

  private func run() throws {
    var (received, told): (UInt64, UInt64) = (0, 0)
    while !sink.isRemoved {
      let fill = sink.fill.bytes
      let played = received - min(received, UInt64(fill))
      if played != told {
        try connection.send(HostProtocol.bytes(of: played), stall: stall)
        told = played
      }
      if connection.input.count < HostProtocol.SinkRecord.size, try !connection.fill(within: fill > 0 ? Self.step : Self.idleStep) {
        continue
      }
      received += UInt64(try takeRecord() ?? 0)
    }
  }

  /// Takes the next record, once its head has come; returns its bytes of PCM.
  private func takeRecord() throws -> Int? {
    guard let record = HostProtocol.read(HostProtocol.SinkRecord.self, from: connection.input) else { return nil }
    _ = connection.take(HostProtocol.SinkRecord.size)
    switch HostProtocol.SinkRecord.Kind(rawValue: record.kind) {
    case .drops:
      sink.noteDrops(UInt64(record.count))
      return 0
    case .audio:
      let count = Int(record.count)
      guard count <= sink.capacityBytes else { throw ConnectionEnd.closed }
      while connection.input.count < count { guard try connection.fill(within: stall) else { throw ConnectionEnd.timedOut } }
      _ = connection.take(count).withUnsafeBytes { sink.put($0) }
      return count
    case nil: throw ConnectionEnd.closed
    }
  }
}
