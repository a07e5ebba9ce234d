import Testing

@testable import RealtimeCore

@Suite("Capture path: pauses of the microphone")
struct PauseWatchTests {
  private let rate = 48_000, quantum = 480

  @Test("D1: silence of 0.1 s and more between sounds is a pause; a shorter one, the beginning, and a microphone that is away are none")
  func pauses() throws {
    let rig = try CoreRig()
    try rig.core.prepare(rate: rate)
    let sound = CaptureSignals.noise(seconds: 1, rate: rate, level: -60)
    let silence = [Float](repeating: 0, count: quantum)
    func hear(seconds: Double, _ source: (Int) -> [Float]?) {
      for cycle in 0..<Int(100 * seconds) {
        let samples = source(cycle * quantum)
        rig.cycle(samples ?? silence, hasMicrophone: samples != nil)
      }
    }
    func talk() { hear(seconds: 0.3) { Array(sound[$0..<$0 + quantum]) } }
    func pauses() -> UInt32 { rig.core.meters.snapshot().microphonePauses }
    hear(seconds: 0.5) { _ in silence }
    talk()
    #expect(pauses() == 0, "it had not sounded")
    hear(seconds: 0.09) { _ in silence }
    talk()
    #expect(pauses() == 0, "too short")
    for usesVoiceProcessing in [true, false] {
      let before = pauses()
      rig.core.controls.usesVoiceProcessing = usesVoiceProcessing
      hear(seconds: 0.11) { _ in silence }
      talk()
      #expect(pauses() == before + 1)
      hear(seconds: 0.11) { _ in nil }
      talk()
      #expect(pauses() == before + 1, "it was away")
    }
  }
}
