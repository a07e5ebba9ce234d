/// Puts packets in order, and decides when a missing one counts as lost. A pure value.
struct PacketWindow: Sendable {
  struct Held: Sendable {
    var timestamp: UInt32
    /// Interleaved, two channels.
    var samples: [Int16]
    /// Time of arrival in seconds.
    var arrival: Double
    var frames: Int { samples.count / 2 }
  }
  /// The next thing to play.
  enum Step: Equatable {
    case audio([Int16])
    /// A gap of this many packets and frames.
    case lost(packets: Int, frames: Int)
  }
  enum Verdict { case kept, duplicate, late }

  /// Packets held at most; when it is full, missing packets count as lost.
  static let mostHeld = 64
  /// The longest gap that is concealed, in frames; a longer one is skipped.
  static let longestGap = 9_600

  private var next: Int64
  /// The timestamp expected of the next packet; nil before the first.
  private var due: UInt32?
  private var waiting: [Int64: Held] = [:]
  /// Packets given up that may still arrive.
  private var givenUp: Set<Int64> = []
  /// Seconds to wait for a missing packet.
  let patience: Double

  init(next: Int64, patience: Double) { (self.next, self.patience) = (next, patience) }

  mutating func insert(_ packet: Held, at place: Int64) -> Verdict {
    guard place >= next else { return givenUp.remove(place) == nil ? .duplicate : .late }
    guard waiting[place] == nil else { return .duplicate }
    waiting[place] = packet
    return .kept
  }

  /// The time at which a missing packet is given up, in seconds; nil while none is missing.
  var deadline: Double? { waiting.isEmpty || waiting[next] != nil ? nil : waiting.values.map(\.arrival).min().map { $0 + patience } }

  /// Returns what can be played at `time`, in order.
  mutating func dequeue(at time: Double) -> [Step] {
    var steps: [Step] = []
    while !waiting.isEmpty {
      if let packet = waiting.removeValue(forKey: next) {
        steps.append(.audio(packet.samples))
        due = packet.timestamp &+ UInt32(packet.frames)
        next += 1
      } else if waiting.count >= Self.mostHeld || deadline.map({ $0 <= time }) == true {
        steps.append(giveUp())
      } else {
        break
      }
    }
    return steps
  }

  /// Counts everything before the earliest packet held as lost.
  private mutating func giveUp() -> Step {
    let (place, packet) = waiting.min { $0.key < $1.key }!
    let packets = Int(place - next)
    for lost in max(next, place - 200)..<place { givenUp.insert(lost) }
    if givenUp.count > 1_000 { givenUp = givenUp.filter { $0 > place - 500 } }
    let gap = due.map { Int(Int32(bitPattern: packet.timestamp &- $0)) } ?? 0
    next = place
    // A timestamp that does not fit the number of packets means that the sender paused.
    let isPlausible = gap > 0 && gap <= Self.longestGap && gap <= packets * 4_800
    return .lost(packets: packets, frames: isPlausible ? gap : 0)
  }
}
