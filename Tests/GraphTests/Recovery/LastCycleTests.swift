import Glibc
import PipeWireClient
import Synchronization
import Testing

@testable import SimulatedHardware

/// What a cycle does, which lasts for a tenth of a second once it `isSlow`.
private final class SlowCycle: Sendable {
  let isSlow = Atomic(false)
  let isRunning = Atomic(false)
  /// Whether what the cycle reads was freed, and whether it was in the midst then.
  let isFreed = Atomic(false)
  let wasRunning = Atomic(false)
}

/// What a cycle reads.
private final class Owner {
  let cycle: SlowCycle
  init(_ cycle: SlowCycle) { self.cycle = cycle }

  deinit {
    cycle.wasRunning.store(cycle.isRunning.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
    cycle.isFreed.store(true, ordering: .sequentiallyConsistent)
  }
}

extension GraphTests {
  @Suite("Last cycle", .serialized)
  struct LastCycle {
    @Test("I6: what the audio thread reads lives as long as it, also where the daemon has died in the midst of a cycle")
    func outlives() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      let cycle = SlowCycle(), loop = ThreadLoop(name: "last")
      try loop.start()
      defer { loop.stop() }
      var held: [AnyObject] = []
      try loop.locked { () throws(PipeWireError) in
        let made = try Connection(loop: loop, remote: live.session.socket, properties: ["application.name": "last"]) { _ in }
        let node = try Filter(
          made, name: "last", properties: ["node.group": SimulatedDevice.group, "node.always-process": "true"],
          data: Unmanaged.passUnretained(cycle).toOpaque(),
          process: { data, _ in
            guard let data else { return }
            let cycle = Unmanaged<SlowCycle>.fromOpaque(data).takeUnretainedValue()
            cycle.isRunning.store(true, ordering: .sequentiallyConsistent)
            if cycle.isSlow.load(ordering: .sequentiallyConsistent) { usleep(100_000) }
            cycle.isRunning.store(false, ordering: .sequentiallyConsistent)
          }, keepingAlive: Owner(cycle), handler: { _ in })
        _ = try node.addPort(.input, name: "port")
        try node.connect()
        made.roundTrip()
        held = [node, made]
      }
      try live.session.link("hw.speaker:monitor_FL", "last:port")
      cycle.isSlow.store(true, ordering: .sequentiallyConsistent)
      try live.session.wait(for: "a cycle") { cycle.isRunning.load(ordering: .sequentiallyConsistent) }
      live.session.stop(.pipewire)
      // First the filter: the thread ends with the connection.
      _ = loop.locked { held.removeFirst() }
      let isFreedEarly = cycle.isFreed.load(ordering: .sequentiallyConsistent)
      #expect(!isFreedEarly)
      loop.locked { held.removeAll() }
      let isFreed = cycle.isFreed.load(ordering: .sequentiallyConsistent)
      let wasRunning = cycle.wasRunning.load(ordering: .sequentiallyConsistent)
      #expect(isFreed && !wasRunning)
    }
  }
}
