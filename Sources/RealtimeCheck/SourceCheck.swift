import Foundation
import RealtimeCore

/// Checks of both kinds of source, and of attaching and detaching them.
let sourceChecks: [Check] = [
  Check("source: a callback, mono and stereo, at every quantum") {
    let driver = try CoreDriver()
    let calls = Owned(0)
    driver.core.source.attach({ context, _, _, _, _, _ in context!.assumingMemoryBound(to: Int.self).pointee += 1 }, context: calls.pointer)
    for channelCount in [1, 2] {
      driver.core.source.channelCount = channelCount
      for quantum in [32, 100, 480, 8_192] { driver.cycles(5, quantum: quantum) }
    }
    driver.core.source.detach()
    driver.cycles(5, quantum: 256)
    return require(calls.pointer.pointee == 40 && driver.core.source.hadAudio, "\(calls.pointer.pointee) calls")
  },
  Check("source: a queue, until it is full and after") {
    let driver = try CoreDriver()
    let queue = SourceQueue()
    driver.core.source.attach(queue)
    for quantum in [32, 100, 480, 8_192] { driver.cycles(20, quantum: quantum) }
    var samples: [Float] = []
    while queue.read(into: &samples) != nil {}
    driver.cycles(1, quantum: 256)
    let isBack = queue.read(into: &samples)?.frames == 256
    driver.core.source.detach()
    return require(queue.overruns > 0 && queue.overrunRuns == 1 && isBack, "\(queue.overruns) overruns in \(queue.overrunRuns) runs")
  },
  Check("source: attached and detached by another thread") {
    let driver = try CoreDriver()
    let tap = driver.core.source
    let isDone = DispatchSemaphore(value: 0)
    let other = Thread {
      for round in 0..<500 {
        let queue = SourceQueue()
        if round % 3 != 0 { tap.attach(queue) } else { tap.attach({ _, _, _, _, _, _ in }, context: nil) }
        var samples: [Float] = []
        for _ in 0..<3 { _ = queue.read(into: &samples) }
        // Lets cycles run in between: on a busy machine all rounds could otherwise be over before the next cycle.
        let end = ProcessInfo.processInfo.systemUptime + 60
        while round % 60 == 1, queue.read(into: &samples) == nil, ProcessInfo.processInfo.systemUptime < end { usleep(100) }
        if round % 2 == 0 { tap.detach() }
      }
      tap.detach()
      isDone.signal()
    }
    other.start()
    while isDone.wait(timeout: .now()) == .timedOut { driver.cycles(5, quantum: 64) }
    return require(tap.hadAudio, "nothing was delivered")
  },
  Check("mix: mono and stereo") {
    let driver = try CoreDriver()
    let peaks = [1, 2, 1].map { channelCount in
      driver.core.mixer.channelCount = channelCount
      // Until the meter has decayed to the level played.
      driver.cycles(100, quantum: 256)
      return driver.core.mixer.speakerPeak
    }
    return require(peaks == [0.25, 0.5, 0.25], "the peaks were \(peaks)")
  },
]
