import Nearend
import RealtimeCore
import SessionModel
import Synchronization

/// The participants' own counts of their writes, which must agree with the sinks' counters to the frame.
final class PacketAccount: Sendable {
  private struct Entry {
    var frames: UInt64 = 0
    var packets = 0
    var refused = 0
    /// Packets refused since the counters were cleared.
    var drops: UInt64 = 0
  }
  /// Held while a packet is written, so that no count is read in the middle.
  private let entries = Mutex<[String: Entry]>([:])

  func open(_ id: String) { entries.withLock { $0[id] = Entry() } }

  /// Writes a packet, and counts the result.
  func write(_ packet: UnsafeRawBufferPointer, to sink: RingSink) -> Bool {
    entries.withLock { entries in
      let isTaken = sink.write(packet)
      // The packet was in flight when its participant left.
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

  /// Returns the packets sent and refused.
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

  /// Returns the discrepancies.
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
