import Foundation
import RealtimeCore

/// Checks of a program's own stages, and of adding and removing them.
let stageChecks: [Check] = [
  Check("stages: in both chains, at every quantum; they fade in and out") {
    let driver = try CoreDriver()
    let calls = Owned(0)
    let stage = AudioStage(context: calls.pointer) { context, left, right, frames, _ in
      context!.assumingMemoryBound(to: Int.self).pointee += 1
      for i in 0..<frames {
        left[i] *= 0.5
        right?[i] *= 0.5
      }
    }
    let chains = [driver.core.captureStages, driver.core.mixer.stages]
    for quantum in [32, 100, 480, 8_192] {
      let ids = chains.map { $0.append(stage) }
      driver.cycles(30, quantum: quantum)
      for (chain, id) in zip(chains, ids) { chain.remove(id) }
      driver.cycles(30, quantum: quantum)
      for chain in chains { chain.collect() }
    }
    return require(calls.pointer.pointee > 240 && chains.allSatisfy { $0.latency == 0 }, "\(calls.pointer.pointee) calls")
  },
  Check("stages: NaN and infinite output") {
    let driver = try CoreDriver()
    let broken = AudioStage { _, left, right, frames, _ in
      left[0] = .nan
      right?[frames - 1] = .infinity
    }
    let chains = [driver.core.captureStages, driver.core.mixer.stages]
    for chain in chains { chain.append(broken) }
    driver.cycles(10, quantum: 480)
    return require(chains.map(\.silencedSamples) == [10, 20], "\(chains.map(\.silencedSamples)) samples silenced")
  },
  Check("plug-ins (swh-plugins): hard-realtime ones in both chains, at every quantum; set, put in and removed") {
    let driver = try CoreDriver()
    let rack = driver.core.plugIns
    for quantum in [32, 100, 480, 8_192] {
      for chain in PlugInChain.allCases { try rack.add(PlugInAddress("amp_1181:amp"), to: chain, id: chain.rawValue) }
      try rack.add(PlugInAddress("fast_lookahead_limiter_1913:fastLookaheadLimiter"), to: .render, id: "limiter")
      driver.cycles(40, quantum: quantum)
      try rack.set("capture", ["Amps gain (dB)": -6])
      driver.cycles(10, quantum: quantum)
      let status = rack.status
      guard status.allSatisfy({ $0.plugIn.isHardRealtime && !$0.isBroken }), driver.core.renderLatency > 0 else { return "\(status)" }
      for stage in status { rack.remove(stage.id) }
      driver.cycles(30, quantum: quantum)
    }
    return require(driver.core.renderLatency == 0, "a plug-in is left")
  },
  Check("plug-ins (swh-plugins): one for the worker in both chains, at every quantum, late and in time; set, put in and removed") {
    let driver = try CoreDriver()
    let rack = driver.core.plugIns
    for quantum in [32, 100, 480, 8_192] {
      for chain in PlugInChain.allCases { try rack.add(PlugInAddress("decimator_1202:decimator"), to: chain, id: chain.rawValue) }
      // Without a pause, so that the worker is late; then slowly enough for it.
      driver.cycles(40, quantum: quantum)
      for _ in 0..<max(8, 9_600 / quantum) {
        driver.cycles(1, quantum: quantum)
        usleep(500)
        driver.core.collect()
      }
      try rack.set("capture", ["Bit depth": 8])
      driver.cycles(10, quantum: quantum)
      let status = rack.status
      guard status.allSatisfy({ !$0.plugIn.isHardRealtime && !$0.isBroken }), driver.core.renderLatency > 0 else { return "\(status)" }
      for stage in status { rack.remove(stage.id) }
      driver.cycles(30, quantum: quantum)
      driver.core.collect()
    }
    return require(driver.core.renderLatency == 0, "a plug-in is left")
  },
  Check("stages: put in and removed by another thread") {
    let driver = try CoreDriver()
    let isDone = DispatchSemaphore(value: 0)
    let chains = [driver.core.captureStages, driver.core.mixer.stages]
    let other = Thread {
      for round in 0..<300 {
        let chain = chains[round % 2]
        let id = chain.append(AudioStage { _, left, _, _, _ in left[0] = 0 })
        if round % 3 != 0 { usleep(100) }
        chain.remove(id)
        chain.collect()
      }
      isDone.signal()
    }
    other.start()
    while isDone.wait(timeout: .now()) == .timedOut { driver.cycles(5, quantum: 64) }
    driver.cycles(30, quantum: 64)
    for chain in chains { chain.collect() }
    return nil
  },
]
