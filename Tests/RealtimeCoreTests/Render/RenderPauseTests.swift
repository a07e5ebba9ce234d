import Testing

@testable import RealtimeCore

@Suite struct RenderPauseTests {
  private let tone = [Int16](repeating: 8_000, count: 4_800)

  private func playing() throws -> (RenderRig, RingSink) {
    let rig = RenderRig()
    let sink = try rig.ring(milliseconds: 400)
    for _ in 0..<3 { #expect(sink.write(tone)) }
    rig.cycles(10)
    #expect(sink.status().state == .playing)
    return (rig, sink)
  }

  @Test("R5: paused, everything falls silent without a click within 10 ms, and a ring keeps what it has; nothing is an underrun")
  func holds() throws {
    let (rig, sink) = try playing()
    let before = rig.left.count
    rig.mixer.isPaused = true
    rig.cycles(3)
    let fade = rig.left[(before - 1)...]
    #expect(zip(fade, fade.dropFirst()).allSatisfy { abs($0 - $1) < 0.001 })
    #expect(rig.left[(before + 480)...].allSatisfy { $0 == 0 })
    let fill = sink.status().fillBytes
    rig.cycles(1_000)
    #expect(rig.cycle(callLeft: [Float](repeating: 0.5, count: 256)).left.allSatisfy { $0 == 0 }, "the call too")
    #expect(sink.status().fillBytes == fill)
    #expect(sink.status().totalUnderruns == 0)
    #expect(rig.cycle().left.allSatisfy { $0 == 0 })
  }

  @Test("R5: a writer that waited goes on where it stopped, to the frame")
  func goesOn() throws {
    let (rig, sink) = try playing()
    rig.mixer.isPaused = true
    rig.cycles(200)
    let read = sink.status().framesRead
    let fill = sink.status().fillBytes / 2
    rig.mixer.isPaused = false
    rig.records = false
    var heard = false
    for _ in 0..<20 { heard = rig.cycle().left.contains { $0 > 0.2 } || heard }
    #expect(heard)
    #expect(sink.status().framesRead > read)
    #expect(sink.status().framesRead + UInt64(sink.status().fillBytes / 2) == read + UInt64(fill), "none was thrown away")
    #expect(sink.status().totalUnderruns == 0)
  }

  @Test("R5: a writer that did not wait is heard with what it writes then, not with what was left from before")
  func beginsAnew() throws {
    let (rig, sink) = try playing()
    rig.mixer.isPaused = true
    rig.cycles(10)
    while sink.write(tone) {}
    #expect(sink.status().totalDrops == 1)
    rig.cycles(100)
    rig.mixer.isPaused = false
    rig.cycle()
    #expect(sink.status().fillBytes == 0)
    #expect(sink.status().totalUnderruns == 0)
    for _ in 0..<3 { #expect(sink.write(tone)) }
    rig.cycles(20)
    #expect(sink.status().state == .playing)
    #expect(sink.status().totalUnderruns == 0)
  }

  @Test("R5: a sink that was idle in a pause loses nothing of what is written long after it")
  func idleBefore() throws {
    let rig = RenderRig()
    let sink = try rig.ring(milliseconds: 400)
    rig.cycles(20)
    rig.mixer.isPaused = true
    rig.cycles(20)
    rig.mixer.isPaused = false
    rig.cycles(20)
    while sink.write(tone) {}
    let written = sink.status().fillBytes
    #expect(written > 0)
    rig.records = false
    rig.cycle()
    #expect(sink.status().fillBytes >= written - 4 * rig.quantum, "no more is taken than a cycle needs")
    rig.cycles(20)
    #expect(sink.status().state == .playing)
  }
}
