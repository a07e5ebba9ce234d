import Foundation
import RealtimeCore

/// Checks of every state of the render path.
let renderChecks: [Check] = [
  Check("render: no sinks, call silent and loud") {
    let driver = RenderDriver()
    driver.cycles(10)
    driver.cycles(10, call: 0.5)
    return require(driver.mixer.speakerPeak == 0.5, "the call was not heard")
  },
  Check("ring sink: idle, buffering, playing, underrun, end, reset") {
    let driver = RenderDriver()
    let sink = try driver.ring("alice", rate: 44_100, channels: 2)
    var seen: [SinkStatus.State] = []
    func step(_ count: Int = 1) {
      driver.cycles(count)
      let state = sink.status().state
      if seen.last != state { seen.append(state) }
    }
    step()
    sink.feed(milliseconds: 50)
    step()
    sink.feed(milliseconds: 120)
    step(2)
    step(100)
    sink.feed(milliseconds: 150)
    step(2)
    sink.feed(milliseconds: 20)
    sink.end()
    step(200)
    sink.feed(milliseconds: 190)
    step()
    sink.reset()
    step()
    let all: [SinkStatus.State] = [.idle, .buffering, .playing, .underrun, .playing, .idle, .playing, .idle]
    return require(seen == all && sink.status().totalUnderruns == 1, "went through \(seen)")
  },
  Check("ring sink: gain, mute and master gain ramps, at every quantum") {
    let driver = RenderDriver()
    let sink = try driver.ring("alice")
    for quantum in [32, 64, 1_024, 8_192, 16_384] {
      driver.quantum = quantum
      for gain: Float in [0, 4, 1] {
        sink.feed(milliseconds: 150)
        sink.gain = gain
        driver.mixer.masterGain = gain
        driver.cycles(3)
        sink.isMuted.toggle()
        driver.mixer.isMuted.toggle()
        driver.cycles(3)
      }
    }
    return require(sink.status().framesRead > 0, "nothing was played")
  },
  Check("limiter: descending, active, recovering; infinite and NaN samples") {
    let driver = RenderDriver()
    driver.cycles(3, call: 0.5)
    driver.cycles(3, call: 3)
    let gain = driver.mixer.limiterGain
    driver.cycles(100, call: 0.5)
    driver.cycles(1, call: .infinity)
    driver.cycles(1, call: .nan)
    return require(gain < 0.5, "the limiter did nothing")
  },
  Check("graph sinks: connected, disconnected, gain, mute") {
    let driver = RenderDriver()
    let sinks = try (0..<16).map { try driver.mixer.addGraphSink(id: "device-\($0)") }
    driver.cycles(4, call: 0.05, slots: 0..<16)
    sinks[3].gain = 0.5
    sinks[4].isMuted = true
    driver.cycles(4, call: 0.05, slots: 0..<8)
    return require(sinks[0].isConnected && !sinks[9].isConnected, "connection was not told")
  },
  Check("every pair of rates and quanta, changing from cycle to cycle") {
    let driver = RenderDriver()
    let rates = [8_000, 16_000, 44_100, 48_000, 96_000, 192_000]
    let sinks = try rates.enumerated().map { i, rate in
      try driver.ring("s\(i)", rate: rate, channels: 1 + i % 2, milliseconds: 400)
    }
    for rate in [16_000, 22_050, 44_100, 48_000, 96_000, 192_000] {
      for quantum in [32, 100, 256, 1_024, 8_192] {
        (driver.rate, driver.quantum) = (rate, quantum)
        for sink in sinks { while sink.feed(milliseconds: 100) {} }
        driver.cycles(3)
      }
    }
    return require(sinks.allSatisfy { $0.status().framesRead > 0 }, "a sink did not play")
  },
  Check("1024 ring sinks and 1024 graph sinks") {
    let driver = RenderDriver()
    for i in 0..<Mixer.capacity {
      try driver.ring("r\(i)", rate: 16_000, milliseconds: 60).feed(milliseconds: 60)
      _ = try driver.mixer.addGraphSink(id: "g\(i)")
    }
    driver.cycles(3, call: 0.01, slots: 0..<Mixer.capacity)
    return require(driver.mixer.ringSinks.allSatisfy { $0.status().framesRead > 0 }, "a sink did not play")
  },
  Check("sinks come, go, are written, reset and muted by another thread") {
    let driver = RenderDriver()
    let mixer = driver.mixer
    let isDone = DispatchSemaphore(value: 0)
    let other = Thread {
      for round in 0..<300 {
        let format = try! SinkFormat(sampleRate: [16_000, 44_100, 48_000][round % 3], channelCount: 1 + round % 2)
        let sink = try! RingSink(id: "guest \(round)", format: format, capacityBytes: 20_000)
        try! mixer.add(sink)
        sink.feed(milliseconds: 80)
        sink.end()
        sink.isMuted = round % 5 == 0
        if round % 4 == 0 { sink.reset() }
        if round >= 8 { mixer.remove(id: "guest \(round - 8)") }
        if round % 7 == 0 { _ = try! mixer.addGraphSink(id: "device \(round)") }
        mixer.collect()
        _ = sink.status()
      }
      isDone.signal()
    }
    other.start()
    while isDone.wait(timeout: .now()) == .timedOut { driver.cycles(5, call: 0.1, slots: 0..<50) }
    driver.cycles(10)
    mixer.collect()
    return require(mixer.ringSinks.count == 8, "\(mixer.ringSinks.count) sinks are left")
  },
]
