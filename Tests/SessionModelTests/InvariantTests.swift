import SeededSignals
import Testing

@testable import SessionModel

/// Invariants after any sequence of events.
@Suite("The session's invariants")
struct InvariantTests {
  private static let sequences = 200
  private static let length = 60

  /// Walks through random events; a failure names the seed and the preceding events.
  private func walk(
    _ seed: UInt64, _ check: (_ old: SessionState, _ event: SessionEvent, _ new: SessionState, _ effects: [SessionEffect]) -> Bool
  ) {
    for sequence in 0..<UInt64(Self.sequences) {
      var generator = SeededGenerator(seed: seed &+ sequence)
      var state = Representative.allCases.randomElement(using: &generator)!.state
      var path: [String] = []
      for _ in 0..<Self.length {
        let (name, event) = events.randomElement(using: &generator)!
        let (next, effects) = reduce(state, event)
        path.append(name)
        guard check(state, event, next, effects) else {
          Issue.record("seed \(seed &+ sequence): \(path.joined(separator: ", ")) → \(next.words.joined(separator: " "))")
          return
        }
        state = next
      }
    }
  }

  /// A new seed for each run; a failure names it.
  private let seed = UInt64.random(in: 0...UInt64.max)

  @Test("S3: a source runs exactly while the unit does")
  func source() { walk(seed) { _, _, new, _ in new.source == nil || (new.source?.phase == .running) == new.isUnitRunning } }

  @Test("L2: source and sinks belong to media of a program, in their direction")
  func belongings() {
    walk(seed) { _, _, new, _ in
      let programs = new.media.filter { $0.owner == .program }
      return Set(new.sinks).isSubset(of: programs.filter(\.isReceive).map(\.id)) && Set(new.sinks).count == new.sinks.count
        && (new.source.map { source in programs.contains { $0.id == source.mediaId && $0.isSend } } ?? true)
    }
  }

  @Test("L4, I5: the demand is empty exactly while the unit is stopped, except for a frozen graph in default mode")
  func demand() {
    walk(seed) { _, _, new, _ in
      let isTried = !new.settings.isManual && new.interruptions == [.frozen]
      return new.isUnitRunning
        ? new.demand.isActive && new.demand == new.wanted : new.demand == SessionDemand() || isTried && new.demand == new.wanted
    }
  }

  @Test("L4: the graph is told about every change of demand, once, and nothing else")
  func demandEffects() {
    walk(seed) { old, _, new, effects in
      let told = effects.compactMap { effect -> SessionDemand? in
        guard case .demand(let demand) = effect else { return nil }
        return demand
      }
      return told == (old.demand == new.demand ? [] : [new.demand])
    }
  }

  @Test("L5: a source is detached before it is attached again")
  func attachments() {
    var attached: String?
    walk(seed) { old, _, new, effects in
      attached = old.source?.phase == .running ? old.source?.mediaId : nil
      for effect in effects {
        switch effect {
        case .attachSource(let id):
          guard attached == nil else { return false }
          attached = id
        case .detachSource(let id), .removeSource(let id):
          // A deferred source is removed without having been attached.
          guard attached == id || attached == nil && old.source?.mediaId == id else { return false }
          attached = nil
        default: break
        }
      }
      return attached == (new.source?.phase == .running ? new.source?.mediaId : nil)
    }
  }

  @Test("L2, S2: events are idempotent, and nothing is started, attached, removed or recovered twice")
  func twice() {
    walk(seed) { _, event, new, _ in
      let (again, effects) = reduce(new, event)
      return again == new
        && effects.allSatisfy {
          switch $0 {
          // Empty buffers stay empty.
          case .refused, .warn, .resetSinks: true
          default: false
          }
        }
    }
  }

  @Test("L2, L5: unregistered ids are ignored")
  func unknownIds() {
    let unknown: [SessionEvent] = [
      .unregisterMedia(id: "nobody"), .unregisterSource(mediaId: "nobody"), .unregisterSink(mediaId: "nobody"),
      .interruptionEnded(.noDevice),
    ]
    walk(seed) { _, _, new, _ in
      unknown.allSatisfy { event in
        if event == .interruptionEnded(.noDevice), (new.interruptions + new.unheeded).contains(.noDevice) { return true }
        let (next, effects) = reduce(new, event)
        return next == new && effects.isEmpty
      }
    }
  }

  @Test("L6: while media is registered no init-only setting changes but by setVoiceProcessingEnabled")
  func locks() {
    walk(seed) { old, event, new, effects in
      guard old.isLocked else { return true }
      var (before, after) = (old.settings, new.settings)
      if case .setVoiceProcessingEnabled = event { (before.usesVoiceProcessing, after.usesVoiceProcessing) = (true, true) }
      (before.isAutomaticConfigurationEnabled, after.isAutomaticConfigurationEnabled) = (true, true)
      (before.isAutomaticDeactivationEnabled, after.isAutomaticDeactivationEnabled) = (true, true)
      return before == after
    }
  }

  @Test("L2: a refused event leaves the state unchanged")
  func refusals() {
    walk(seed) { old, _, new, effects in
      effects.allSatisfy {
        guard case .refused = $0 else { return true }
        return new == old && effects.count == 1
      }
    }
  }

  @Test("S4: recovery is reported last, while the unit runs, and only if it did not run before")
  func recoveries() {
    walk(seed) { old, _, new, effects in
      guard let index = effects.firstIndex(of: .recovered) else { return true }
      return index == effects.count - 1 && new.isUnitRunning && !old.isUnitRunning
    }
  }

  @Test("I4, S1: in manual mode the unit comes to run only by activation or by media, never by the end of an interruption alone")
  func manualMode() {
    walk(seed) { old, event, new, _ in
      guard new.settings.isManual, !old.isUnitRunning, new.isUnitRunning else { return true }
      return new.isActivatedExternally && (old.isActivatedExternally || event == .activatedExternally)
    }
  }
}
