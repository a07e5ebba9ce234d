import Nearend
import RealtimeCore
import SessionModel
import Synchronization

/// What participants know of their own writes, to be held against the sinks' counters: they must agree to the frame.
final class PacketAccount: Sendable {
  private struct Entry {
    var frames: UInt64 = 0
    var packets = 0
    var refused = 0
    /// Refused since the counters were cleared.
    var drops: UInt64 = 0
  }
  /// Held while a packet is written, so that no count is looked at in the middle of one.
  private let entries = Mutex<[String: Entry]>([:])

  func open(_ id: String) { entries.withLock { $0[id] = Entry() } }

  /// Writes a packet, and notes what became of it.
  func write(_ packet: UnsafeRawBufferPointer, to sink: RingSink) -> Bool {
    entries.withLock { entries in
      let isTaken = sink.write(packet)
      // A packet that was on its way when its participant left.
      guard entries[sink.id] != nil, !sink.isRemoved else { return isTaken }
      entries[sink.id]?.packets += 1
      if isTaken {
        entries[sink.id]?.frames += UInt64(packet.count / sink.format.bytesPerFrame)
      } else {
        entries[sink.id]?.refused += 1
        entries[sink.id]?.drops += 1
      }
      return isTaken
    }
  }

  /// Packets that were sent and refused.
  func close(_ id: String) -> (packets: Int, refused: Int) {
    entries.withLock { entries in
      let entry = entries.removeValue(forKey: id)
      return (entry?.packets ?? 0, entry?.refused ?? 0)
    }
  }

  func clearCounters(of service: NearendService) {
    entries.withLock { entries in
      service.perform(.clearCounters)
      for id in entries.keys { entries[id]?.drops = 0 }
    }
  }

  /// What does not agree.
  func differences(from service: NearendService) -> [String] {
    entries.withLock { entries in
      let sinks = service.snapshot().sinks
      return entries.sorted { $0.key < $1.key }.flatMap { id, entry -> [String] in
        guard let sink = sinks.first(where: { $0.id == id }) else { return ["sink \(id) is not there"] }
        var differences: [String] = []
        if sink.framesWritten != entry.frames {
          differences.append("sink \(id) counts \(sink.framesWritten) frames written where \(entry.frames) were")
        }
        if sink.totalDrops != entry.drops { differences.append("sink \(id) counts \(sink.totalDrops) drops where \(entry.drops) were") }
        return differences
      }
    }
  }
}
