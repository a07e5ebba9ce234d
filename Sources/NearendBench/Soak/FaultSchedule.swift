import SessionModel
import SimulatedHardware

/// The soak's faults of desk and login session: what is plugged in and unplugged, what interrupts, and when that ends. A function of the
/// random numbers alone.
struct FaultSchedule {
  /// The most seconds between faults, and the duration of one.
  private static let interval = 6.0
  private static let length = 0.3...4.0

  private var nextFault = interval
  /// Ends of faults in progress.
  private var pending: [(end: Double, event: SoakEvent)] = []
  private var cards: Set<DeskCard.Kind> = Set(Soak.cards)
  private var jacks: Set<DeskJack> = []
  /// Interruptions in progress, each at most once.
  private var isRinging = false, isAsleep = false, isAway = false, isBusGone = false

  /// Returns the next event at `now`, if any. No fault begins after `quiet`, and all have ended by then.
  mutating func event(at now: Double, quiet: Double, _ random: inout SeededGenerator) -> SoakEvent? {
    if let index = pending.firstIndex(where: { $0.end <= now || now >= quiet }) { return over(pending.remove(at: index).event) }
    guard now >= nextFault, now < quiet - Self.length.upperBound else { return nil }
    nextFault = now + Self.interval * random.fraction()
    let end = now + Self.length.lowerBound + (Self.length.upperBound - Self.length.lowerBound) * random.fraction()
    return begin(end, &random)
  }

  /// Time in seconds until which nothing else can happen, because a daemon is suspended; nil if none is.
  var standstill: Double? {
    pending.first {
      if case .incident(.thaw) = $0.event { true } else { false }
    }?.end
  }

  /// Begins a random fault: what a person does with cards and jacks, and what the machine and other programs do.
  private mutating func begin(_ end: Double, _ random: inout SeededGenerator) -> SoakEvent {
    switch random.below(17) {
    case 0...2: return jack(random.pick(DeskJack.allCases))
    case 3...5: return card(random.pick([.usb, .bluetooth, .hdmi]))
    case 6:
      guard cards.contains(.laptop) else { return .resume }
      cards.remove(.laptop)
      pending.append((end, .incident(.plug(.laptop))))
      return .incident(.unplug(.laptop))
    case 7:
      let present = DeskCard.Kind.allCases.filter(cards.contains)
      return present.isEmpty ? .resume : .incident(.replug(random.pick(present)))
    case 8:
      let (direction, name) = device(&random)
      return .configuredDefault(direction, name: name)
    case 9:
      let (direction, name) = device(&random)
      return .pick(direction, name: name)
    case 10 where !isRinging:
      isRinging = true
      pending.append((end, .phone(false)))
      return .phone(true)
    case 11 where !isAsleep:
      isAsleep = true
      pending.append((end, .incident(.wake)))
      return .incident(.sleep)
    case 12 where !isAway:
      isAway = true
      pending.append((end, .incident(.session(isActive: true))))
      return .incident(.session(isActive: false))
    case 13:
      let daemon = random.pick([PrivateSession.Daemon.pipewire, .wireplumber, .pulse])
      pending.append((end, .incident(.thaw(daemon))))
      return .incident(.freeze(daemon))
    case 14: return .incident(.xruns(count: 1 + random.below(5)))
    case 15 where !isBusGone:
      isBusGone = true
      pending.append((end, .incident(.start(.systemBus))))
      return .incident(.stop(.systemBus))
    default: return .resume
    }
  }

  private mutating func over(_ event: SoakEvent) -> SoakEvent {
    switch event {
    case .phone: isRinging = false
    case .incident(.wake): isAsleep = false
    case .incident(.session): isAway = false
    case .incident(.start): isBusGone = false
    case .incident(.plug(let kind)): cards.insert(kind)
    default: break
    }
    return event
  }

  private mutating func jack(_ jack: DeskJack) -> SoakEvent {
    let isPlugged = jacks.insert(jack).inserted
    if !isPlugged { jacks.remove(jack) }
    return .incident(.jack(jack, isPlugged: isPlugged))
  }

  private mutating func card(_ kind: DeskCard.Kind) -> SoakEvent {
    if cards.insert(kind).inserted { return .incident(.plug(kind)) }
    cards.remove(kind)
    return .incident(.unplug(kind))
  }

  /// Any device that the desk could have, present or not, or none in particular.
  private func device(_ random: inout SeededGenerator) -> (Device.Direction, String?) {
    let isInput = random.below(2) == 0
    let names = DeskCard.Kind.allCases.flatMap { kind in
      DeskCard.make(kind).profiles.flatMap(\.nodes).filter { ($0.direction == .input) == isInput }.map(\.name)
    }
    return (isInput ? .input : .output, random.below(3) == 0 ? nil : random.pick(names))
  }
}

extension SeededGenerator {
  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
  mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }
  /// Uniform in 0..<1.
  mutating func fraction() -> Double { Double(below(1_000)) / 1_000 }
}
