import Testing

@testable import RealtimeCore

/// The voice gets a consumer again after a pause, while the far end talks throughout.
@Suite("Capture path: taken again")
struct ResumptionTests {
  private let rate = 48_000, quantum = 256

  /// What comes over the link of the reference: silence while it is not active yet, and what was played a cycle ago where the graph has a
  /// loop.
  enum Link: Sendable { case works, isSilent, isLate }

  /// Runs cycles of the far end's echo, and of the call itself, which the speaker plays.
  private func run(
    _ rig: CoreRig, _ far: [Float], _ microphone: [Float], _ seconds: Range<Double>, hasReference: Bool = true, reference: Link = .works
  ) -> [Float] {
    var voice: [Float] = []
    for start in stride(from: Int(seconds.lowerBound * Double(rate)), to: Int(seconds.upperBound * Double(rate)) - quantum, by: quantum) {
      let part = Array(far[start..<start + quantum])
      let heard: [Float]? =
        switch reference {
        case .works: part
        case .isSilent: nil
        case .isLate: Array(far[start - quantum..<start])
        }
      rig.cycle(Array(microphone[start..<start + quantum]), call: (part, part), reference: heard, hasReference: hasReference)
      voice += rig.voice
    }
    return voice
  }

  private func rig(_ far: [Float], _ microphone: [Float]) throws -> CoreRig {
    let rig = try CoreRig()
    rig.core.controls.usesVoiceProcessing = true
    try rig.core.prepare(rate: rate)
    _ = run(rig, far, microphone, 0..<8)
    rig.core.isSending = false
    _ = run(rig, far, microphone, 8..<9)
    rig.core.isSending = true
    return rig
  }

  @Test("R7: the echo is as low as before from the first sample on, though what played in the pause is unknown; then the near end is heard")
  func echo() throws {
    let far = CaptureSignals.noise(seconds: 12, rate: rate, level: -24)
    var microphone = CaptureSignals.room(far, rate: rate, delay: 960, gain: 0.5)
    let near = CaptureSignals.speech(seconds: 2, rate: rate, level: -20, seed: 5)
    for i in near.indices { microphone[10 * rate + i] += near[i] }
    let rig = try rig(far, microphone)
    let voice = run(rig, far, microphone, 9..<12)
    func loss(_ seconds: Range<Double>) -> Double {
      func part(_ samples: [Float], _ offset: Double) -> Double {
        CaptureSignals.power(samples[Int((seconds.lowerBound - offset) * Double(rate))..<Int((seconds.upperBound - offset) * Double(rate))])
      }
      return CaptureSignals.decibels(part(microphone, 0) / part(voice, 9))
    }
    #expect(loss(9..<9.1) > 30)
    #expect(loss(9.1..<9.5) > 30)
    #expect(loss(9.5..<10) > 30)
    #expect(abs(loss(10.2..<11.9)) < 3, "who talks is heard")
  }

  @Test("V1: voice processing that was off for a while begins with the echo cancelled")
  func processing() throws {
    let far = CaptureSignals.noise(seconds: 13, rate: rate, level: -24)
    let microphone = CaptureSignals.room(far, rate: rate, delay: 960, gain: 0.5)
    let rig = try CoreRig()
    rig.core.controls.usesVoiceProcessing = true
    try rig.core.prepare(rate: rate)
    _ = run(rig, far, microphone, 0..<8)
    rig.core.controls.usesVoiceProcessing = false
    _ = run(rig, far, microphone, 8..<11)
    rig.core.controls.usesVoiceProcessing = true
    let voice = run(rig, far, microphone, 11..<12)
    let start = 11 * rate
    // The unprocessed microphone fades at first.
    for part in [rate / 50..<rate / 10, rate / 10..<rate / 2, rate / 2..<rate * 9 / 10] {
      let before = CaptureSignals.power(microphone[start + part.lowerBound..<start + part.upperBound])
      #expect(CaptureSignals.decibels(before / CaptureSignals.power(voice[part])) > 30, "\(part)")
    }
  }

  @Test("S9 V4: a path that nobody has used yet begins like one in a file, bit by bit")
  func beginning() throws {
    let far = CaptureSignals.noise(seconds: 2, rate: rate, level: -24)
    let microphone = CaptureSignals.room(far, rate: rate, delay: 960, gain: 0.5)
    var voices: [[Float]] = []
    for rests in [false, true] {
      let rig = try CoreRig()
      rig.core.controls.usesVoiceProcessing = true
      try rig.core.prepare(rate: rate)
      if rests {
        rig.core.isSending = false
        for _ in 0..<100 { rig.cycle([Float](repeating: 0, count: quantum)) }
        rig.core.isSending = true
      }
      voices.append(run(rig, far, microphone, 0..<2))
    }
    #expect(voices[0] == voices[1])
  }

  @Test("R7 V4: while the link of the reference is still being made, the voice is silent rather than full of echo")
  func reference() throws {
    let far = CaptureSignals.noise(seconds: 12, rate: rate, level: -24)
    let microphone = CaptureSignals.room(far, rate: rate, delay: 960, gain: 0.5)
    let rig = try rig(far, microphone)
    let silent = run(rig, far, microphone, 9..<9.3, hasReference: false)
    #expect(silent.allSatisfy { $0 == 0 })
    let voice = run(rig, far, microphone, 9.3..<10.3)
    #expect(
      CaptureSignals.decibels(CaptureSignals.power(microphone[Int(9.3 * 48_000)...].prefix(voice.count)) / CaptureSignals.power(voice)) > 30
    )
    rig.core.isSending = false
    _ = run(rig, far, microphone, 10.3..<10.4)
    rig.core.isSending = true
    let without = run(rig, far, microphone, 10.4..<11.4, hasReference: false)
    #expect(
      without.prefix(rate * 4 / 10).allSatisfy { $0 == 0 } && CaptureSignals.power(without.suffix(rate * 4 / 10)) > 0, "it may never come")
  }

  @Test(
    "R7 V4: the same where the speaker begins to play only after the voice was taken, or the graph stood still, and is linked later still",
    arguments: [false, true], [false, true])
  func laterReference(standsStill: Bool, isLinked: Bool) throws {
    var far = CaptureSignals.noise(seconds: 12, rate: rate, level: -24)
    var microphone = CaptureSignals.room(far, rate: rate, delay: 960, gain: 0.5)
    let rig = try rig(far, microphone)
    if standsStill {
      _ = run(rig, far, microphone, 9..<9.5)
      rig.core.graphRestarted()
      rig.stand(seconds: 3)
    }
    for i in 0..<9 * rate { far[i] = 0 }
    microphone = CaptureSignals.room(far, rate: rate, delay: 960, gain: 0.5)
    for _ in 0..<20 { rig.cycle([Float](repeating: 0, count: quantum), hasReference: isLinked) }
    let silent = run(rig, far, microphone, 9..<9.3, hasReference: isLinked, reference: .isSilent)
    // Before its echo can be heard, a link that exists has the time of a cycle, or 10 ms.
    #expect(silent[(isLinked ? 768 : 0)...].allSatisfy { $0 == 0 })
    let voice = run(rig, far, microphone, 9.3..<10.3)
    let heard = CaptureSignals.power(microphone[Int(9.3 * 48_000)...].prefix(voice.count))
    #expect(CaptureSignals.decibels(heard / CaptureSignals.power(voice)) > 30)
  }

  @Test("R7 V4: the same in mid-call, where another speaker plays before its reference is linked")
  func betweenDevices() throws {
    let far = CaptureSignals.noise(seconds: 12, rate: rate, level: -24)
    let microphone = CaptureSignals.room(far, rate: rate, delay: 960, gain: 0.5)
    let rig = try CoreRig()
    rig.core.controls.usesVoiceProcessing = true
    try rig.core.prepare(rate: rate)
    _ = run(rig, far, microphone, 0..<8)
    let silent = run(rig, far, microphone, 8..<8.1, hasReference: false)
    #expect(silent.allSatisfy { $0 == 0 })
    let voice = run(rig, far, microphone, 8.1..<9)
    let heard = CaptureSignals.power(microphone[Int(8.1 * 48_000)...].prefix(voice.count))
    #expect(CaptureSignals.decibels(heard / CaptureSignals.power(voice)) > 30)
  }

  @Test("R7 V4: a reference that comes a cycle late does not interrupt who talks when the far end begins", arguments: [64, 256, 1_024])
  func lateReference(quantum: Int) throws {
    let near = CaptureSignals.noise(seconds: 3, rate: rate, level: -30, seed: 3)
    var far = CaptureSignals.noise(seconds: 3, rate: rate, level: -40)
    for i in 0..<rate { far[i] = 0 }
    let microphone = zip(CaptureSignals.room(far, rate: rate, delay: 2_400, gain: 0.1), near).map { $0 + $1 }
    let rig = try CoreRig()
    rig.core.controls.usesVoiceProcessing = true
    rig.core.controls.isNoiseSuppressionEnabled = false
    try rig.core.prepare(rate: rate)
    var voice: [Float] = []
    for start in stride(from: quantum, to: 2 * rate, by: quantum) {
      let part = Array(far[start..<start + quantum])
      rig.cycle(Array(microphone[start..<start + quantum]), call: (part, part), reference: Array(far[start - quantum..<start]))
      voice += rig.voice
    }
    let begin = voice[rate - 1_024..<rate + 4_800]
    #expect(!begin.contains(0))
  }
}
