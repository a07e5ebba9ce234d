import Testing

@testable import RealtimeCore

/// An array whose links are gone for a while, as where the daemon, or the device, comes back: its ports are there before them.
@Suite("Links of an array")
struct ArrayLinkTests {
  private static let quantum = 256

  /// What is heard without links of an array whose memory has become this meanwhile, as another's is once it is freed.
  private static func voice(_ other: Float, hasFewerLinks: Bool = false) throws -> [Float] {
    let microphones = (0..<3).map { CaptureSignals.noise(seconds: 0.5, rate: 48_000, level: -30, seed: UInt64($0)) }
    let rig = try CoreRig(), controls = rig.core.controls
    (controls.usesVoiceProcessing, controls.isNoiseSuppressionEnabled, controls.isGainControlEnabled) = (true, false, false)
    rig.core.expect(microphoneChannels: 3)
    try rig.core.prepare(rate: 48_000)
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: 3 * quantum)
    defer { memory.deallocate() }
    let silence = [Float](repeating: 0, count: quantum)
    for start in stride(from: 0, through: 24_000 - quantum, by: quantum) {
      for channel in 0..<3 { for i in 0..<quantum { memory[channel * quantum + i] = microphones[channel][start + i] } }
      rig.cycle(silence, links: (0..<3).map { UnsafePointer(memory + $0 * quantum) })
    }
    for i in 0..<3 * quantum { memory[i] = i % 2 == 0 ? other : -other }
    var voice: [Float] = []
    for _ in 0..<20 {
      _ = microphones[1].withUnsafeBufferPointer { rig.cycle(silence, links: [nil, hasFewerLinks ? $0.baseAddress : nil, nil]) }
      voice += rig.voice
    }
    return voice
  }

  @Test("V15, I6: without links, nothing of an array's former cycles is read", arguments: [false, true])
  func unlinked(hasFewerLinks: Bool) throws {
    let soft = try Self.voice(0, hasFewerLinks: hasFewerLinks), loud = try Self.voice(0.9, hasFewerLinks: hasFewerLinks)
    let isSame = soft == loud, isHeard = soft.suffix(Self.quantum).contains { abs($0) > 0.01 }
    #expect(isSame)
    #expect(isHeard == hasFewerLinks)
  }
}
