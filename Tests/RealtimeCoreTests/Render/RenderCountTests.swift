import TestSupport
import Testing

@testable import RealtimeCore

/// Gaps and drops are counted exactly, against a known schedule.
@Suite struct RenderCountTests {
  /// A writer and a reader in lockstep: cycles of 10 ms, a ring of 200 ms.
  private struct Line {
    let rig = RenderRig(rate: 16_000, quantum: 160)
    let sink: RingSink
    let packet = [Int16](repeating: 1_000, count: 160)

    init() throws {
      rig.records = false
      sink = try rig.ring(rate: 16_000)
    }

    /// The writer keeps pace; if the sink has run dry, the ring first fills to its target.
    func flow(cycles: Int) {
      for _ in 0..<cycles {
        sink.write(packet)
        rig.cycle()
      }
    }

    /// The writer keeps pace, but its packets do not arrive.
    func gap(cycles: Int) { rig.cycles(cycles) }

    /// Fills the ring, then offers `refused` more packets.
    func burst(refused: Int) {
      while sink.capacityBytes - sink.status().fillBytes >= packet.count * 2 { sink.write(packet) }
      for _ in 0..<refused { sink.write(packet) }
    }
  }

  @Test("K5, K6: a schedule of gaps and of bursts is counted exactly, in total and in a row", arguments: 1...3)
  func schedule(seed: UInt64) throws {
    let line = try Line()
    var dice = SeededGenerator(seed: seed)
    var (gaps, gapsInARow, drops) = (UInt64(0), UInt64(0), UInt64(0))
    var isShort = false
    line.flow(cycles: 120)
    for _ in 0..<50 {
      // A short flow is followed by another gap, so that the run continues.
      switch isShort ? 1 : Int.random(in: 0..<4, using: &dice) {
      case 0:
        // Shorter than what the ring holds.
        line.gap(cycles: Int.random(in: 1...6, using: &dice))
        // Delayed packets arrive now.
        while line.sink.status().fillBytes < line.sink.capacityBytes / 2 { line.sink.write(line.packet) }
      case 1, 2:
        line.gap(cycles: Int.random(in: 25...60, using: &dice))
        gaps += 1
        gapsInARow += 1
        #expect(line.sink.status().state == .underrun)
      default:
        let refused = UInt64.random(in: 1...30, using: &dice)
        line.burst(refused: Int(refused))
        drops += refused
        #expect(line.sink.status().consecutiveDrops == refused)
        // Until there is room again.
        line.gap(cycles: 9)
      }
      #expect(line.sink.status().consecutiveUnderruns == gapsInARow)
      // 100 ms to fill the ring and 1 s of playing end a run; half a second does not.
      isShort = Bool.random(using: &dice)
      line.flow(cycles: isShort ? 50 : 130)
      if !isShort { gapsInARow = 0 }
      let status = line.sink.status()
      #expect(status.state == .playing)
      #expect(status.totalUnderruns == gaps)
      #expect(status.consecutiveUnderruns == gapsInARow)
      #expect(status.totalDrops == drops)
      #expect(status.consecutiveDrops == 0)
    }
    #expect(gaps > 10 && drops > 50)
  }

  @Test("K5: a sink that ends and starts again, or is reset, counts no gap, however often")
  func endsAreNoGaps() throws {
    let line = try Line()
    for round in 0..<20 {
      line.flow(cycles: 30)
      #expect(line.sink.status().state == .playing)
      if round % 2 == 0 { line.sink.end() } else { line.sink.reset() }
      line.gap(cycles: 40)
      #expect(line.sink.status().state == .idle)
    }
    #expect(line.sink.status().totalUnderruns == 0)
  }

  @Test("K2: a frame is taken exactly where it fits, and comes out as it went in, whatever the sizes", arguments: 1...4)
  func fits(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    let capacity = Int.random(in: 1...97, using: &dice)
    let memory = FrameRing(capacity: capacity, bytesPerFrame: 4), ring = memory.fifo
    var model: [UInt32] = []
    var next: UInt32 = 0
    var refused = 0
    for _ in 0..<5_000 {
      let count = Int.random(in: 1...60, using: &dice)
      if Bool.random(using: &dice) {
        let frames = (0..<UInt32(count)).map { next &+ $0 }
        let isTaken = frames.withUnsafeBytes { ring.write($0.baseAddress!, frames: count) }
        #expect(isTaken == (model.count + count <= capacity))
        if isTaken { model += frames } else { refused += 1 }
        next &+= UInt32(count)
      } else {
        var out = [UInt32](repeating: 0, count: count)
        let read = out.withUnsafeMutableBytes { ring.read(into: $0.baseAddress!, frames: count) }
        #expect(Array(out[..<read]) == Array(model.prefix(count)))
        model.removeFirst(read)
      }
      #expect(ring.count == model.count)
    }
    #expect(refused > 100)
    withExtendedLifetime(memory) {}
  }

  @Test("K5, K7: a sink that has been idle for long starts like a new one, at its current gain; its meter has decayed to silence")
  func startsFromRest() throws {
    let rig = RenderRig(quantum: 480)
    let sink = try rig.ring(milliseconds: 400)
    let fresh = [Int16](repeating: 8_192, count: 9_600)
    for gain: Float in [1, 0.5, 0.25] {
      sink.gain = gain
      #expect(sink.write(fresh))
      sink.end()
      rig.cycles(10)
      #expect(abs(rig.left.last! - 0.25 * gain) < 1e-4)
      rig.cycles(1_000)
      #expect(sink.status().state == .idle)
      #expect(sink.level.rms == 0)
      // It still follows a new quantum.
      rig.quantum = 960
      rig.cycles(2)
      let target = sink.status().targetFill
      rig.quantum = 480
      rig.cycles(2)
      #expect(sink.status().targetFill < target)
      sink.reset()
      rig.cycles(2)
      #expect(sink.status().state == .idle)
    }
    #expect(sink.status().totalUnderruns == 0)
    #expect(sink.status().framesRead == 3 * 9_600)
  }

  @Test("K7: a graph sink that is played into again has its current gain")
  func graphSinkFromRest() throws {
    let rig = RenderRig(quantum: 480)
    let sink = try rig.mixer.addGraphSink(id: "device")
    let audio = [Float](repeating: 0.5, count: 480)
    for gain: Float in [1, 0.5] {
      rig.graph[sink.slot] = (audio, audio)
      sink.gain = gain
      #expect(rig.cycle().left.first == (gain == 1 ? 0.5 : 0.25))
      rig.disconnect(sink.slot)
      rig.cycles(1_000)
      #expect(!sink.isConnected)
      #expect(sink.level.rms == 0)
    }
  }
}
