import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

@Suite struct RenderMixTests {
  @Test("K10: the call alone comes out bit by bit, in the same cycle", arguments: [32, 100, 256, 8_192])
  func callIsExact(quantum: Int) throws {
    let rig = RenderRig(quantum: quantum)
    for seed in 1..<4 {
      let l = noise(frames: quantum, level: 0.89, seed: UInt64(seed))
      let r = noise(frames: quantum, level: 0.89, seed: UInt64(seed + 100))
      let out = rig.cycle(callLeft: l, callRight: r)
      #expect(out.left == l && out.right == r)
    }
    #expect(rig.mixer.limiterGain == 1)
  }

  @Test("K10: a graph sink alone comes out bit by bit, in the same cycle, with or without idle sinks around it")
  func graphSinkIsExact() throws {
    let rig = RenderRig(quantum: 512)
    _ = try rig.ring()
    let sink = try rig.mixer.addGraphSink(id: "device")
    for seed in 1..<4 {
      let left = noise(frames: 512, level: 0.89, seed: UInt64(seed))
      let audio = (left: left, right: noise(frames: 512, level: 0.89, seed: UInt64(seed + 9)))
      rig.graph[sink.slot] = audio
      let out = rig.cycle()
      #expect(out.left == audio.left && out.right == audio.right)
    }
    #expect(abs(sink.level.peak - 0.89) < 0.01)
    #expect(sink.isConnected)
  }

  @Test("K4: any number of sinks mixes inside full scale, without wrap and without flat tops", arguments: [1, 8, 64, 512])
  func mixes(count: Int) throws {
    let rig = RenderRig(rate: 16_000, quantum: 160)
    for i in 0..<count {
      let sink = try rig.ring("s\(i)", rate: 16_000, milliseconds: 100)
      var tone = Tone(frequency: 310, rate: 16_000, amplitude: 0.8)
      sink.write(tone.next(1_600))
    }
    rig.cycles(9)
    let steady = rig.left.suffix(800)
    #expect(steady.allSatisfy { abs($0) <= 1 })
    #expect(steady.map(abs).max()! > 0.7)
    // Hard clipping would leave a square wave: many samples in a row at full scale.
    #expect(steady.filter { abs($0) > 0.999 }.count < 80)
    #expect(Measures.purity(ofTone: 310, in: steady, rate: 16_000) > 60)
    #expect(rig.mixer.limiterGain <= (count == 1 ? 1 : 1.3 / Float(count)))
  }

  @Test("K4: the limiter gives back unity gain, bit by bit, after a peak")
  func recovers() {
    let rig = RenderRig(quantum: 480)
    rig.cycle(callLeft: noise(frames: 480, level: 4, seed: 1), callRight: nil)
    let quiet = noise(frames: 480, level: 0.5, seed: 2)
    for _ in 0..<200 { rig.cycle(callLeft: quiet, callRight: quiet) }
    let out = rig.cycle(callLeft: quiet, callRight: quiet)
    #expect(out.left == quiet && out.right == quiet)
  }

  @Test("K4: one gain for both channels keeps the stereo image")
  func stereoLinked() {
    let rig = RenderRig(quantum: 480)
    let loud = noise(frames: 480, level: 3, seed: 3)
    let half = loud.map { $0 / 2 }
    let out = rig.cycle(callLeft: loud, callRight: half)
    #expect(zip(out.left, out.right).allSatisfy { abs($0.0 - 2 * $0.1) < 1e-4 })
    #expect(out.left.allSatisfy { abs($0) <= 1 })
  }

  @Test("K4: NaN and infinite samples become silence and leave nothing behind")
  func nonNumbers() {
    let rig = RenderRig(quantum: 64)
    var bad = noise(frames: 64, level: 0.5, seed: 1)
    bad[3] = .nan
    bad[40] = .infinity
    let out = rig.cycle(callLeft: bad, callRight: bad)
    #expect(out.left.allSatisfy { $0.isFinite } && out.left[3] == 0 && out.left[5] == bad[5])
    let good = noise(frames: 64, level: 0.5, seed: 2)
    #expect(rig.cycle(callLeft: good, callRight: good).left == good)
    #expect(rig.mixer.speakerRMS.isFinite)
  }

  @Test("K7: gain and mute move without a click and arrive exactly; peak and RMS are measured after gain")
  func gainAndMeters() throws {
    let rig = RenderRig(quantum: 480)
    let sink = try rig.mixer.addGraphSink(id: "device")
    let level = [Float](repeating: 0.2, count: 480)
    rig.graph[sink.slot] = (level, level)
    rig.cycles(3)
    sink.gain = 4
    rig.cycles(100)
    #expect(rig.left.last == 0.8)
    #expect(abs(sink.level.peak - 0.8) < 1e-6)
    #expect(abs(sink.level.rms - 0.8) < 0.05)
    sink.isMuted = true
    rig.cycles(3)
    #expect(rig.left.last == 0)
    #expect(abs(sink.level.peak - 0.8 * pow(10, -0.02)) < 0.02, "it falls by 20 dB/s, however often it is read")
    rig.cycles(97)
    #expect(abs(sink.level.peak - 0.08) < 0.002)
    rig.cycles(1_000)
    #expect(sink.level.peak == 0)
    sink.isMuted = false
    sink.gain = 9
    #expect(sink.gain == 4)
    sink.gain = .nan
    #expect(sink.gain == 4)
    rig.cycles(3)
    // From 0 to 0.8 in 480 frames.
    #expect(largestStep(rig.left.dropFirst(480).map { $0 }) < 0.0018)
  }

  @Test("K7: a ring sink has gain, mute and meters too")
  func ringGain() throws {
    let rig = RenderRig(quantum: 480)
    let sink = try rig.ring(milliseconds: 400)
    sink.gain = 0.5
    var tone = Tone(frequency: 400, rate: 48_000, amplitude: 0.8)
    sink.write(tone.next(19_200))
    rig.cycles(10)
    #expect(abs(sink.level.peak - 0.4) < 0.01)
    #expect(abs(sink.level.rms - 0.4 * Float(0.5).squareRoot()) < 0.15)
    sink.isMuted = true
    rig.cycles(3)
    #expect(rig.left.suffix(480).allSatisfy { $0 == 0 })
    #expect(largestStep(rig.left) < 0.04)
  }

  @Test("K7: the whole mix has a gain and a mute")
  func master() {
    let rig = RenderRig(quantum: 960)
    let level = [Float](repeating: 0.5, count: 960)
    rig.mixer.masterGain = 0.5
    #expect(rig.cycle(callLeft: level, callRight: level).left.last == 0.25)
    rig.mixer.isMuted = true
    #expect(rig.cycle(callLeft: level, callRight: level).left.last == 0)
    #expect(largestStep(rig.left) < 0.002)
  }

  @Test("K3: mono goes to both speakers, stereo to its own, both at unity")
  func channels() throws {
    let rig = RenderRig(quantum: 480)
    let sink = try rig.ring(channels: 2)
    sink.write((0..<9_600).flatMap { _ in [Int16(8_192), Int16(-4_096)] })
    rig.cycles(10)
    #expect(abs(rig.left.last! - 0.25) < 1e-4 && abs(rig.right.last! + 0.125) < 1e-4)
    rig.mixer.remove(id: "alice")
    rig.cycles(4)
    let mono = try rig.ring("bob")
    mono.write([Int16](repeating: 8_192, count: 9_600))
    rig.cycles(10)
    #expect(abs(rig.left.last! - 0.25) < 1e-4 && rig.left.last! == rig.right.last!)
  }

  @Test("L8: a sink that is removed while it plays fades out")
  func removalDoesNotClick() throws {
    let rig = RenderRig(quantum: 64)
    let sink = try rig.ring()
    var tone = Tone(frequency: 200, rate: 48_000, amplitude: 0.5)
    sink.write(tone.next(9_000))
    rig.cycles(50)
    rig.mixer.remove(id: "alice")
    rig.cycles(20)
    #expect(largestStep(rig.left) < 0.02)
    #expect(rig.left.suffix(640).allSatisfy { $0 == 0 })
  }

  @Test("L8: sinks come and go under a running cycle; nothing is freed early and nothing stays")
  func churn() throws {
    let mixer = Mixer()
    let stop = CounterBox()
    let finished = DispatchSemaphore(value: 0)
    let path = SendablePath(pointer: mixer.renderPath)
    Thread {
      let memory = UnsafeMutablePointer<Float>.allocate(capacity: 128)
      while stop.value == 0 {
        path.pointer.pointee.process(
          call: StereoInput(left: nil, right: nil), graphSinks: nil, speakerLeft: memory, speakerRight: memory + 64, frames: 64,
          rate: 48_000)
      }
      memory.deallocate()
      finished.signal()
    }.start()
    let format = try SinkFormat(sampleRate: 48_000, channelCount: 1)
    let witnesses = (0..<200).map { _ in Witness() }
    for (i, witness) in witnesses.enumerated() {
      try autoreleasing {
        let sink = try RingSink(id: "\(i)", format: format, capacityBytes: 4_800)
        witness.sink = sink
        try mixer.add(sink)
        sink.write([Int16](repeating: 500, count: 2_000))
        if i % 3 == 0 { _ = try mixer.addGraphSink(id: "g\(i)") }
      }
      if i >= 4 { mixer.remove(id: "\(i - 4)") }
      if i % 3 == 0 { mixer.remove(id: "g\(i)") }
    }
    for i in 196..<200 { mixer.remove(id: "\(i)") }
    // After two more cycles the last fades are on the bus; after the third, nothing holds the last sink.
    let seen = mixer.cycles
    while mixer.cycles < seen + 3 { sched_yield() }
    mixer.collect()
    let later = mixer.cycles
    while mixer.cycles < later + 2 { sched_yield() }
    mixer.collect()
    #expect(witnesses.filter { $0.sink != nil }.isEmpty)
    #expect(mixer.ids.isEmpty)
    stop.add(1)
    finished.wait()
  }

  @Test("L8: with no cycle running, a removed graph sink is freed at once")
  func freedAtRest() throws {
    let mixer = Mixer()
    let witness = Witness()
    witness.graph = try mixer.addGraphSink(id: "g")
    #expect(witness.graph != nil)
    mixer.remove(id: "g")
    #expect(witness.graph == nil)
  }
}

private final class Witness {
  weak var sink: RingSink?
  weak var graph: GraphSink?
}

// `@unchecked Sendable`: only the thread that it is passed to uses it.
private struct SendablePath: @unchecked Sendable { let pointer: UnsafeMutablePointer<RenderPath> }

private func autoreleasing(_ body: () throws -> Void) rethrows { try body() }
