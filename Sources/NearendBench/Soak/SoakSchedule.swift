import SessionModel
import SimulatedHardware

/// The events of a soak with their times: a function of the seed and the length alone, so that a soak can be repeated. Its clock stops
/// while an event is carried out.
struct SoakSchedule: Sequence, IteratorProtocol {
  typealias Element = (seconds: Double, event: SoakEvent)

  private let seconds: Double
  private var random: SeededGenerator
  private var now = 0.0
  private var nextMeasurement = 0.0
  private var nextRestart = Self.restartInterval / 2
  private var nextHangUp = Self.callLength
  private var number = 0
  private var faults = FaultSchedule()

  private enum Guest: String { case guest, device, player, recorder, upload, music }
  private var present: [Guest: [String]] = [:]

  /// Mean seconds between restarts of a daemon.
  private static let restartInterval = 60.0
  /// Mean length of a call in seconds.
  private static let callLength = 15.0
  /// Seconds before the end in which nothing fails.
  private static let quiet = 15.0
  /// The most seconds between events.
  private static let pause = 0.8
  private static let most = 6
  private static let mostRecorders = 2
  private static let mostUploads = 2

  init(seed: UInt64, seconds: Double) {
    self.seconds = seconds
    random = SeededGenerator(seed: seed)
  }

  mutating func next() -> Element? {
    guard now < seconds else { return nil }
    let event = chooseEvent()
    defer { now = faults.standstill ?? now + Self.pause * random.fraction() }
    return (now, event)
  }

  private mutating func chooseEvent() -> SoakEvent {
    if let fault = faults.event(at: now, quiet: seconds - Self.quiet, &random) { return fault }
    if now >= nextMeasurement {
      nextMeasurement += seconds / Double(MemoryWatch.samples)
      present = [:]
      return .measurement
    }
    if now > nextRestart, seconds - now > Self.quiet {
      nextRestart = now + Self.restartInterval * (0.5 + random.fraction())
      return restart()
    }
    if now >= nextHangUp {
      nextHangUp = now + Self.callLength * (0.5 + random.fraction())
      present = present.filter { $0.key == .music }
      return .hangUp
    }
    switch random.below(14) {
    case 0...3: return toggle()
    case 4: return ringSink()
    case 5: return device()
    case 6: return player()
    case 7: return recorder()
    case 8: return sinkSetting() ?? toggle()
    case 9: return callSetting()
    case 10: return upload()
    case 11: return .capture(frames: 1 + random.below(rate() / 2), rate: rate(), channels: 1 + random.below(2))
    case 12: return coin() ? .gate(random.pick(MicrophoneMuteMode.allCases)) : music()
    default: return .quantum([0, 64, 128, 256, 512, 1_024, 2_048][random.below(7)])
    }
  }

  private mutating func restart() -> SoakEvent {
    let daemon: PrivateSession.Daemon = random.below(3) == 0 ? .wireplumber : .pipewire
    // Clients of a daemon end with it; they are not part of the test.
    if daemon == .pipewire { (present[.player], present[.recorder], present[.music]) = (nil, nil, nil) }
    return .restart(daemon, isKilled: coin())
  }

  private mutating func toggle() -> SoakEvent {
    switch random.below(5) {
    case 0: return .bypass(coin())
    case 1: return .mute(coin())
    case 2: return .clearCounters
    case 3: return .setting(.echoCanceller, .string(random.pick(EchoCanceller.allCases).rawValue))
    default: return .component(ProcessingComponent.allCases[random.below(ProcessingComponent.allCases.count)], coin())
    }
  }

  private mutating func ringSink() -> SoakEvent {
    if let id = leaver(.guest, most: Self.most) { return .ringSinkLeaves(id: id) }
    let id = newcomer(.guest)
    return .ringSinkComes(id: id, talker: number % 3, rate: rate())
  }

  private mutating func device() -> SoakEvent {
    if let id = leaver(.device, most: Self.most) { return .deviceLeaves(id: id) }
    return .deviceComes(id: newcomer(.device))
  }

  private mutating func player() -> SoakEvent {
    if let id = leaver(.player, most: Self.most) { return .playerLeaves(id: id) }
    return .playerComes(id: newcomer(.player), target: present[.device]?.last.map { "nearend.sink.\($0)" } ?? "nearend.speaker")
  }

  private mutating func recorder() -> SoakEvent {
    if let id = leaver(.recorder, most: Self.mostRecorders) { return .recorderLeaves(id: id) }
    return .recorderComes(id: newcomer(.recorder))
  }

  private mutating func upload() -> SoakEvent {
    if let id = leaver(.upload, most: Self.mostUploads) { return .uploadLeaves(id: id) }
    return .uploadComes(id: newcomer(.upload), rate: rate(), channels: 1 + random.below(2), seconds: 0.1 + 4 * random.fraction())
  }

  private mutating func music() -> SoakEvent {
    if leaver(.music, most: 1) != nil { return .musicLeaves }
    _ = newcomer(.music)
    return .musicComes
  }

  /// Switches that an application changes for its call, and that are off at rest.
  static let switches: [Setting] = [.recordingAlwaysPrepared, .isAdvancedDuckingEnabled, .appDucking, .appMonitor]

  /// A setting that an application changes for its call.
  private mutating func callSetting() -> SoakEvent {
    switch random.below(2 + Self.switches.count) {
    case 0: return .setting(.microphoneMuteMode, .string(random.pick(MicrophoneMuteMode.allCases).rawValue))
    case 1: return .setting(.duckingLevel, .string(random.pick(DuckingLevel.allCases).rawValue))
    default: return .setting(random.pick(Self.switches), .bool(coin()))
    }
  }

  private mutating func sinkSetting() -> SoakEvent? {
    let ids = present[.guest, default: []] + present[.device, default: []]
    guard !ids.isEmpty else { return nil }
    let id = ids[random.below(ids.count)]
    return coin() ? .sinkMuted(id: id, coin()) : .sinkGain(id: id, Double(random.below(400)) / 100)
  }

  /// Returns a guest to remove; nil if one is to arrive.
  private mutating func leaver(_ guest: Guest, most: Int) -> String? {
    let count = present[guest]?.count ?? 0
    guard count >= most || (count > 0 && coin()) else { return nil }
    let index = random.below(count)
    return present[guest]?.remove(at: index)
  }

  private mutating func newcomer(_ guest: Guest) -> String {
    number += 1
    let id = "\(guest.rawValue)\(number)"
    present[guest, default: []].append(id)
    return id
  }

  private mutating func rate() -> Int { random.pick([8_000, 16_000, 44_100, 48_000]) }

  private mutating func coin() -> Bool { random.below(2) == 0 }
}
