import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

@Suite struct RenderRingSinkTests {
  @Test("K1: an impossible rate is refused, and said", arguments: [0, -1, 7_999, 192_001])
  func impossibleRate(rate: Int) {
    #expect(throws: SinkError.impossibleSampleRate(rate)) { try SinkFormat(sampleRate: rate, channelCount: 1) }
    #expect(SinkError.impossibleSampleRate(rate).description.contains("\(rate) Hz"))
  }

  @Test("K1: an impossible channel count is refused", arguments: [0, 3, -1])
  func impossibleChannels(count: Int) {
    #expect(throws: SinkError.impossibleChannelCount(count)) { try SinkFormat(sampleRate: 48_000, channelCount: count) }
  }

  @Test("K1: an impossible buffer size is refused", arguments: [0, -5, 3, Int.max])
  func impossibleBuffer(size: Int) throws {
    let format = try SinkFormat(sampleRate: 48_000, channelCount: 2)
    #expect(throws: SinkError.impossibleBufferSize(size, minimum: 4)) { try RingSink(id: "a", format: format, capacityBytes: size) }
  }

  @Test("K1: an id is registered once; ids keep their order")
  func registeredOnce() throws {
    let rig = RenderRig()
    for id in ["zoe", "alice", "bob"] { _ = try rig.ring(id) }
    #expect(throws: SinkError.alreadyRegistered(id: "alice")) { try rig.ring("alice") }
    #expect(throws: SinkError.alreadyRegistered(id: "bob")) { try rig.mixer.addGraphSink(id: "bob") }
    #expect(rig.mixer.ids == ["zoe", "alice", "bob"])
    #expect(rig.mixer.remove(id: "alice"))
    #expect(!rig.mixer.remove(id: "alice"))
    #expect(rig.mixer.ids == ["zoe", "bob"])
  }

  @Test("K2: a frame that does not fit is dropped whole, and counted")
  func dropsWhole() throws {
    let rig = RenderRig()
    let sink = try rig.ring(channels: 2, milliseconds: 10)
    #expect(sink.write([Int16](repeating: 1, count: 2 * 400)))
    #expect(!sink.write([Int16](repeating: 1, count: 2 * 81)))
    #expect(!sink.write([Int16](repeating: 1, count: 2 * 400)))
    #expect(sink.status().fillBytes == 1_600)
    #expect(sink.status().consecutiveDrops == 2)
    #expect(sink.write([Int16](repeating: 1, count: 2 * 80)))
    #expect(sink.status().consecutiveDrops == 0)
    #expect(sink.status().totalDrops == 2)
    #expect(sink.status().framesWritten == 480)
    sink.clearCounters()
    #expect(sink.status().totalDrops == 0)
  }

  @Test("K2: half a frame is refused, and is no drop", arguments: [1, 2, 3, 5])
  func halfFrame(bytes: Int) throws {
    let sink = try RenderRig().ring(channels: 2)
    #expect(![UInt8](repeating: 0, count: bytes).withUnsafeBytes { sink.write($0) })
    #expect(sink.status().framesWritten == 0)
    #expect(sink.status().totalDrops == 0)
  }

  @Test("K2: a removed sink refuses writes")
  func removed() throws {
    let rig = RenderRig()
    let sink = try rig.ring()
    rig.mixer.remove(id: "alice")
    #expect(!sink.write([1, 2, 3]))
  }

  @Test("K2: several writers and a reader at once: every write arrives whole, in one piece, or not at all")
  func concurrentWriters() throws {
    let format = try SinkFormat(sampleRate: 48_000, channelCount: 2)
    let sink = try RingSink(id: "a", format: format, capacityBytes: 4 * 1_000)
    // First the FIFO, frame by frame, with a reader on another thread; then the sink's lock, with many threads.
    let ring = FrameRing(capacity: 997, bytesPerFrame: 4), fifo = ring.fifo
    let writes = 20_000
    let writer = Thread {
      var next: UInt32 = 0
      for i in 0..<writes {
        let chunk = (0..<UInt32(1 + i % 50)).map { next &+ $0 }
        while !(chunk.withUnsafeBytes { fifo.write($0.baseAddress!, frames: chunk.count) }) { sched_yield() }
        next &+= UInt32(chunk.count)
      }
    }
    writer.start()
    var expected: UInt32 = 0
    let total = (0..<writes).reduce(0) { $0 + 1 + $1 % 50 }
    var buffer = [UInt32](repeating: 0, count: 64)
    var torn = 0
    while expected < total {
      let count = buffer.withUnsafeMutableBytes { fifo.read(into: $0.baseAddress!, frames: 64) }
      for value in buffer[0..<count] {
        if value != expected { torn += 1 }
        expected &+= 1
      }
      if count == 0 { sched_yield() }
    }
    #expect(torn == 0)
    #expect(fifo.count == 0)
    withExtendedLifetime(ring) {}

    let accepted = CounterBox()
    DispatchQueue.concurrentPerform(iterations: 8) { worker in
      for _ in 0..<200 {
        if sink.write([Int16](repeating: Int16(worker), count: 2 * 7)) { accepted.add(7) }
      }
    }
    #expect(sink.status().framesWritten == accepted.value)
    #expect(sink.status().totalDrops == 8 * 200 - accepted.value / 7)
    #expect(accepted.value == 994)
  }

  @Test(
    "K3: a 1 kHz tone keeps a signal-to-noise ratio above 80 dB through every rate",
    arguments: [8_000, 16_000, 44_100, 48_000, 96_000, 192_000])
  func toneAtEveryRate(sinkRate: Int) throws {
    for graphRate in [16_000, 44_100, 48_000, 96_000, 192_000] {
      let rig = RenderRig(rate: graphRate, quantum: graphRate / 100)
      let sink = try rig.ring(rate: sinkRate, milliseconds: 400)
      var tone = Tone(frequency: 1_000, rate: Double(sinkRate), amplitude: 0.5)
      for _ in 0..<35 {
        sink.write(tone.next(sinkRate / 100))
        rig.cycle()
      }
      #expect(sink.status().isResampling == (sinkRate != graphRate))
      // The loop steers the speed, which is constant over so short a time: the tone is shifted by that speed only.
      let steady = rig.left.suffix(graphRate / 50)
      let snr = Measures.bestPurity(ofToneNear: 1_000, in: steady, rate: Double(graphRate))
      #expect(snr > 80, "\(sinkRate) Hz into \(graphRate) Hz: \(snr) dB")
      #expect(rig.left == rig.right)
    }
  }

  @Test("K5: a sink never written to, and one that ended, is idle and never underruns")
  func idle() throws {
    let rig = RenderRig()
    let sink = try rig.ring()
    rig.cycles(100)
    #expect(sink.status().state == .idle)
    sink.write([Int16](repeating: 1_000, count: 2_400))
    sink.end()
    rig.cycles(100)
    #expect(sink.status().state == .idle)
    #expect(sink.status().totalUnderruns == 0)
    #expect(sink.status().framesRead == 2_400)
    #expect(sink.status().fillBytes == 0)
  }

  @Test(
    "K5: a sink that has ended with next to nothing in it plays that and is idle, whatever its rate and the quantum, and once more after a rest",
    arguments: [8_000, 44_100, 48_000, 192_000], [32, 441, 8_192])
  func nextToNothing(sinkRate: Int, quantum: Int) throws {
    let rig = RenderRig(quantum: quantum)
    rig.records = false
    let sink = try rig.ring(rate: sinkRate, milliseconds: 10)
    var written: UInt64 = 0
    for frames in [1, 2, 10, sinkRate / 100] {
      rig.cycles(3)
      #expect(sink.write([Int16](repeating: 100, count: frames)))
      written += UInt64(frames)
      sink.end()
      rig.cycles(2_048 / quantum + 4)
      #expect(sink.isIdle)
      #expect(sink.status().framesRead == written)
      #expect(sink.status().totalUnderruns == 0)
    }
  }

  @Test("K5: a sink waits for its target before it plays, and plays what it has when nothing more comes")
  func buffers() throws {
    let rig = RenderRig(quantum: 480)
    let sink = try rig.ring(milliseconds: 200)
    sink.write([Int16](repeating: 1_000, count: 4_500))
    rig.cycle()
    #expect(sink.status().state == .buffering)
    sink.write([Int16](repeating: 1_000, count: 480))
    rig.cycle()
    #expect(sink.status().state == .playing)

    let short = try rig.ring("bob")
    short.write([Int16](repeating: 1_000, count: 480))
    rig.cycles(19)
    #expect(short.status().state == .buffering)
    rig.cycles(2)
    #expect(short.status().framesRead == 480)
  }

  @Test("K5: gaps are counted one by one, in a row and in total")
  func counts() throws {
    let rig = RenderRig(quantum: 480)
    let sink = try rig.ring(milliseconds: 200)
    for gap in 1...4 {
      sink.write([Int16](repeating: 1_000, count: 7_200))
      rig.cycles(200)
      #expect(sink.status().state == .underrun)
      #expect(sink.status().totalUnderruns == UInt64(gap))
      #expect(sink.status().consecutiveUnderruns == UInt64(gap))
    }
    for _ in 0..<12 { sink.write([Int16](repeating: 1_000, count: 480)) }
    for _ in 0..<150 {
      sink.write([Int16](repeating: 1_000, count: 480))
      rig.cycle()
    }
    #expect(sink.status().consecutiveUnderruns == 0)
    #expect(sink.status().totalUnderruns == 4)
    sink.clearCounters()
    #expect(sink.status().totalUnderruns == 0)
  }

  @Test("K5: a gap, and the sound's return, do not click", arguments: [32, 480, 1_024])
  func gapsDoNotClick(quantum: Int) throws {
    let rig = RenderRig(quantum: quantum)
    let sink = try rig.ring()
    var tone = Tone(frequency: 200, rate: 48_000, amplitude: 0.5)
    for _ in 0..<3 {
      sink.write(tone.next(9_000))
      rig.cycles(20_000 / quantum)
    }
    #expect(sink.status().totalUnderruns == 3)
    // The tone's own steepest step is 0.0131.
    #expect(largestStep(rig.left) < 0.02)
    #expect(rig.left.max()! > 0.45)
  }

  @Test("S2: reset drops what is buffered without a click; the sink is idle and takes new sound")
  func reset() throws {
    let rig = RenderRig()
    let sink = try rig.ring()
    var tone = Tone(frequency: 200, rate: 48_000, amplitude: 0.5)
    sink.write(tone.next(9_000))
    rig.cycles(10)
    #expect(sink.status().state == .playing)
    sink.reset()
    #expect(sink.status().fillBytes == 0)
    rig.cycles(10)
    #expect(sink.status().state == .idle)
    #expect(sink.write(tone.next(9_600)), "the whole ring is free again")
    rig.cycles(10)
    #expect(largestStep(rig.left) < 0.02)
    #expect(sink.status().totalUnderruns == 0)
  }

  @Test("S2: reset empties the ring while no cycle runs")
  func resetAtRest() throws {
    let sink = try RenderRig().ring()
    #expect(sink.write([Int16](repeating: 1, count: 9_600)))
    #expect(!sink.write([1]))
    sink.reset()
    #expect(sink.write([Int16](repeating: 1, count: 9_600)))
  }

  @Test("V9: quantum and rate change between cycles without a click or a gap")
  func changes() throws {
    let rig = RenderRig()
    let sink = try rig.ring(milliseconds: 400)
    var tone = Tone(frequency: 200, rate: 48_000, amplitude: 0.5)
    sink.write(tone.next(19_200))
    for (quantum, rate) in [(256, 48_000), (32, 48_000), (1_024, 48_000), (1_024, 96_000), (512, 44_100), (256, 48_000)] {
      (rig.quantum, rig.rate) = (quantum, rate)
      for _ in 0..<6 {
        rig.cycle()
        while sink.status().fillBytes < 30_000 { sink.write(tone.next(480)) }
      }
    }
    #expect(sink.status().totalUnderruns == 0)
    #expect(largestStep(rig.left) < 0.025)
  }
}

/// A counter that several threads increment.
final class CounterBox: @unchecked Sendable {
  private let lock = NSLock()
  private var count: UInt64 = 0
  func add(_ value: UInt64) {
    lock.lock()
    count += value
    lock.unlock()
  }
  var value: UInt64 {
    lock.lock()
    defer { lock.unlock() }
    return count
  }
}
