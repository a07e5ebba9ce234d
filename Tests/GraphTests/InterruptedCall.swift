import Foundation
import Nearend
import RealtimeCore
import SessionModel
import Synchronization
import Testing

@testable import SimulatedHardware

/// A call to be interrupted: media that sends and receives, and a ring sink with a packet in it.
final class InterruptedCall {
  let live: LiveGraph
  let isManual: Bool
  let sink: RingSink
  private final class Heard: Sendable {
    let events = Mutex<[AudioEvent]>([])
  }
  private let heard = Heard()
  private var subscription: EventBus.Subscription?

  /// Returns once the call is up and every device is linked.
  init(_ live: LiveGraph, isManual: Bool = false) throws {
    self.live = live
    self.isManual = isManual
    let session = live.service.session
    session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
    sink = try live.service.addRingSink(id: "ear", sampleRate: 48_000, channelCount: 1, bufferSize: 96_000)
    if isManual { session.send(.activatedExternally) }
    try waitUntilUp()
    subscription = live.service.events.subscribe { [heard] in
      if case .event(let event) = $0 { heard.events.withLock { $0.append(event) } }
    }
  }

  var events: [AudioEvent] { heard.events.withLock { $0 } }
  func count(_ kind: AudioEvent.Kind) -> Int { events.count { $0.kind == kind } }

  /// Waits until the call is up, and `recoveries` recoveries have been counted in all.
  func waitUntilUp(recoveries: Int) throws {
    try waitUntilUp()
    try live.session.wait(for: "\(recoveries) × didRecover") { count(.didRecover) >= recoveries }
    #expect(count(.didRecover) == recoveries)
  }

  /// Waits until cycles run, and every device is linked.
  func waitUntilUp() throws {
    var linkedAt: UInt64?
    try live.wait(for: "the call to be up") { now in
      guard now.session.state == .active, now.graph.captureLinks == 1, now.graph.renderLinks == 2 else { return false }
      guard let cycles = linkedAt else {
        linkedAt = now.graph.cycles
        return false
      }
      return now.graph.cycles > cycles + 2 && now.graph.driver == "hw.speaker"
    }
  }

  /// Waits until the devices are released.
  func waitUntilDown() throws { try live.wait(for: "the devices to be free") { $0.graph.captureLinks == 0 && $0.graph.renderLinks == 0 } }

  /// Returns the seconds from `end` until sound passes again; in manual mode expects that nothing recovers before the call manager
  /// activates.
  func recovery(_ reason: Interruption.Reason, _ end: () throws -> Void) throws -> Double {
    var began = SimulatedHardware.monotonicSeconds()
    try end()
    if isManual {
      try live.wait(for: "the end of the interruption") { $0.session.interruption == nil }
      #expect(live.service.snapshot().session.state == .waiting)
      #expect(live.service.snapshot().graph.captureLinks == 0)
      #expect(count(.didRecover) == 0)
      began = SimulatedHardware.monotonicSeconds()
      live.service.session.send(.activatedExternally)
    }
    try waitUntilUp(recoveries: 1)
    let seconds = SimulatedHardware.monotonicSeconds() - began
    print("\(reason)\(isManual ? ", manual" : ""): sound again after \(Int(seconds * 1_000)) ms")
    let record = live.service.snapshot().session.interruptions.last { $0.reason == reason }
    #expect(record?.outcome == .recovered)
    #expect(events.contains { $0.kind == .interruptionBegan && $0.detail["reason"] == .string(reason.rawValue) })
    let over = events.last { $0.kind == .interruptionEnded && $0.detail["reason"] == .string(reason.rawValue) }
    #expect(over?.detail["duration"] == record.map { .number($0.duration) })
    #expect(live.service.snapshot().log.contains { $0.message.hasPrefix("interruption (\(reason.rawValue)) over") })
    return seconds
  }

  /// Bytes in the ring sink.
  var fill: Int { sink.status().fillBytes }

  func write() -> Bool { [Int16](repeating: 100, count: 480).withUnsafeBytes { sink.write($0) } }
}

/// nearend's nodes by name, with their serials, which change when a node is recreated.
extension LiveGraph {
  func serials() throws -> [String: Int] {
    Dictionary(try GraphDump(session).ourNodes.map { ($0.name, $0.serial) }) { $1 }
  }
}
