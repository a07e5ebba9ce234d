/// Statistics of a stream after RFC 3550: extended sequence numbers (A.1), packets expected and received (A.3), jitter (A.8). A pure value.
struct SequenceMeter: Sendable {
  /// The position of a packet in the stream.
  enum Place: Equatable {
    /// Its sequence number, extended beyond 16 bits.
    case at(Int64)
    /// Far from the stream's position; a successor would mean that the stream has restarted.
    case astray
    /// The second consecutive packet of a stream that restarted its numbering; counting restarts with it.
    case restarted(Int64)
  }

  /// Packets by which a sequence number may jump ahead, or lag behind the highest.
  static let mostSkipped: Int64 = 3_000
  static let mostBack: Int64 = 100

  private var first: Int64
  private(set) var highest: Int64
  private(set) var received: UInt64 = 0
  /// Packets expected before counting restarted.
  private var formerExpected: Int64 = 0
  private var awaited: UInt16?
  private var transit: UInt32?
  /// Smoothed, in timestamp units.
  private(set) var jitter = 0.0

  /// - Parameter sequence: the sequence number of the first packet counted.
  init(from sequence: UInt16) {
    first = Int64(sequence)
    highest = first - 1
  }

  /// Packets that should have arrived by now.
  var expected: Int64 { formerExpected + max(0, highest - first + 1) }

  mutating func place(_ sequence: UInt16) -> Place {
    let distance = Int64(Int16(bitPattern: sequence &- UInt16(truncatingIfNeeded: highest)))
    if distance <= Self.mostSkipped, distance >= -Self.mostBack {
      highest = max(highest, highest + distance)
      received += 1
      awaited = nil
      return .at(distance > 0 ? highest : highest + distance)
    }
    guard sequence == awaited else {
      awaited = sequence &+ 1
      return .astray
    }
    formerExpected = expected
    first = Int64(sequence)
    highest = first
    received += 1
    (awaited, transit) = (nil, nil)
    return .restarted(highest)
  }

  /// Updates the jitter with a packet's arrival, in timestamp units modulo 2³².
  mutating func note(arrival: UInt32, timestamp: UInt32) {
    let now = arrival &- timestamp
    if let transit {
      let difference = abs(Double(Int32(bitPattern: now &- transit)))
      // More than 10 s means that the sender set its clock.
      if difference < 480_000 { jitter += (difference - jitter) / 16 }
    }
    transit = now
  }
}
