import Foundation
import Nearend
import SessionModel
import Synchronization
import Testing

/// A program's own stages in the chains of a manual renderer, which runs the audio thread's cycle.
@Suite("Stages")
struct StageTests {
  private static let quantum = 256
  private static let halving: StageCallback = { _, left, right, frames, _ in
    for i in 0..<frames {
      left[i] *= 0.5
      right?[i] *= 0.5
    }
  }
  private static let adding: StageCallback = { _, left, right, frames, _ in
    for i in 0..<frames {
      left[i] += 0.125
      right?[i] += 0.125
    }
  }

  private func renderer() throws -> ManualRenderer {
    let renderer = try ManualRenderer()
    try renderer.set(.useVoiceProcessingIO, to: .bool(false))
    return renderer
  }

  /// Runs cycles of a constant microphone and call; returns the voice and the speaker's left side.
  private func cycles(_ renderer: ManualRenderer, _ count: Int) throws -> (voice: [Float], speaker: [Float]) {
    let constant = [Float](repeating: 0.5, count: Self.quantum)
    var out: (voice: [Float], speaker: [Float]) = ([], [])
    for _ in 0..<count {
      let cycle = try renderer.cycle(microphone: constant, call: StereoBlock(mono: constant))
      out.voice += cycle.voice
      out.speaker += cycle.speaker.left
    }
    return out
  }

  private func largestStep(_ samples: [Float]) -> Float {
    zip(samples.dropFirst(), samples).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }

  @Test("S6: a stage in either chain changes what goes through it, comes and goes over 10 ms without a click, and leaves no trace")
  func comesAndGoes() throws {
    for isCapture in [true, false] {
      let renderer = try renderer()
      let chain = isCapture ? renderer.captureStages : renderer.renderStages
      func output(_ count: Int) throws -> [Float] {
        let out = try cycles(renderer, count)
        #expect(Set(isCapture ? out.speaker : out.voice) == [0.5], "the other chain is not concerned")
        return isCapture ? out.voice : out.speaker
      }
      var sound = try output(4)
      #expect(Set(sound) == [0.5])
      let stage = chain.append(AudioStage(callback: Self.halving))
      let coming = try output(4)
      #expect(Set(coming[480...]) == [0.25])
      chain.remove(stage)
      let going = try output(4)
      #expect(Set(going[480...]) == [0.5])
      sound += coming + going
      #expect(largestStep(sound) < 0.25 / 480 * 1.01, "\(largestStep(sound))")
    }
  }

  @Test(
    "S6: stages run in the order in which they were put in, the render chain's before volume and limiter, the capture chain's before mute")
  func order() throws {
    for (first, second, result): (StageCallback, StageCallback, Float) in [
      (Self.halving, Self.adding, 0.375), (Self.adding, Self.halving, 0.3125),
    ] {
      let renderer = try renderer()
      for chain in [renderer.captureStages, renderer.renderStages] {
        for callback in [first, second] { _ = chain.append(AudioStage(callback: callback)) }
      }
      _ = try cycles(renderer, 4)
      let out = try cycles(renderer, 1)
      #expect(Set(out.voice) == [result] && Set(out.speaker) == [result])
      try renderer.set(.outputVolume, to: .number(0))
      try renderer.set(.microphoneMuted, to: .bool(true))
      _ = try cycles(renderer, 4)
      let silent = try cycles(renderer, 1)
      #expect(Set(silent.voice) == [0] && Set(silent.speaker) == [0], "what a stage makes is silent, too")
    }
  }

  @Test("S6 V8: stages' declared latency is added until they are removed")
  func latency() throws {
    let renderer = try ManualRenderer()
    let before = renderer.latency(quantum: 480)
    let ids = [100, 23].map { renderer.captureStages.append(AudioStage(latency: $0, callback: Self.halving)) }
    #expect(renderer.latency(quantum: 480) == before + 123)
    renderer.captureStages.remove(ids[0])
    #expect(renderer.latency(quantum: 480) == before + 23)
  }

  @Test("S6: a stage is called with the chain's channels, the cycle's frames and the rate, and with its own context")
  func arguments() throws {
    struct Seen: Equatable { var calls = 0, stereo = 0, frames = 0, rate = 0 }
    let renderer = try ManualRenderer(rate: 44_100)
    let note: StageCallback = { context, _, right, frames, rate in
      let seen = context!.assumingMemoryBound(to: Seen.self)
      seen.pointee.calls += 1
      seen.pointee.stereo += right == nil ? 0 : 1
      seen.pointee.frames += frames
      seen.pointee.rate = rate
    }
    let seen = UnsafeMutablePointer<Seen>.allocate(capacity: 2)
    seen.initialize(repeating: Seen(), count: 2)
    defer { seen.deallocate() }
    _ = renderer.captureStages.append(AudioStage(context: seen, callback: note))
    _ = renderer.renderStages.append(AudioStage(context: seen + 1, callback: note))
    for frames in [32, 480, 8_192] { _ = try renderer.cycle(microphone: [Float](repeating: 0, count: frames)) }
    #expect(seen[0] == Seen(calls: 3, stereo: 0, frames: 8_704, rate: 44_100))
    #expect(seen[1] == Seen(calls: 3, stereo: 3, frames: 8_704, rate: 44_100))
  }

  @Test("S6: a stage is released once, after its last call, and with the renderer at the latest")
  func released() throws {
    let count = Mutex(0)
    var renderer: ManualRenderer? = try renderer()
    let stage = AudioStage(released: { _ in count.withLock { $0 += 1 } }, callback: Self.halving)
    let chain = try #require(renderer?.captureStages)
    let id = chain.append(stage)
    _ = try cycles(renderer!, 1)
    chain.remove(id)
    chain.remove(id)
    #expect(count.withLock { $0 } == 0, "it has yet to fade")
    _ = try cycles(renderer!, 6)
    #expect(count.withLock { $0 } == 1)
    withExtendedLifetime(chain) {}
    _ = renderer!.renderStages.append(stage)
    renderer = nil
    #expect(count.withLock { $0 } == 2)
  }

  @Test("S6: NaN from a stage becomes silence for everything behind it, and is counted; NaN in its input is not its fault")
  func nonNumbers() throws {
    let renderer = try renderer()
    let broken: StageCallback = { _, left, right, frames, _ in
      for side in [left, right].compactMap({ $0 }) {
        side[3] = .nan
        side[frames - 1] = -.infinity
      }
    }
    // A filter with a memory, like most: one NaN would stay in it for good.
    let summing: StageCallback = { context, left, _, frames, _ in
      let sum = context!.assumingMemoryBound(to: Float.self)
      for i in 0..<frames { sum.pointee += left[i] }
    }
    let sums = UnsafeMutablePointer<Float>.allocate(capacity: 2)
    sums.initialize(repeating: 0, count: 2)
    defer { sums.deallocate() }
    let chains = [renderer.captureStages, renderer.renderStages]
    for (i, chain) in chains.enumerated() {
      chain.append(AudioStage(callback: broken))
      chain.append(AudioStage(context: sums + i, callback: summing))
    }
    let out = try cycles(renderer, 4)
    for (sound, what) in [(out.voice, "voice"), (out.speaker, "speaker")] {
      #expect(sound.allSatisfy { $0.isFinite }, "\(what)")
      #expect(sound[3 * Self.quantum + 3] == 0 && sound[3 * Self.quantum + 4] == 0.5, "\(what)")
    }
    #expect(sums[0].isFinite && sums[1].isFinite)
    #expect(chains.map { $0.silencedSamples } == [8, 16], "two and four in each cycle")
    let other = try self.renderer()
    sums[0] = 0
    other.renderStages.append(AudioStage(context: sums, callback: summing))
    let bad = [Float](repeating: .nan, count: Self.quantum)
    let cycle = try other.cycle(microphone: bad, call: StereoBlock(mono: bad))
    #expect(cycle.speaker.left.allSatisfy { $0 == 0 } && sums[0] == 0 && other.renderStages.silencedSamples == 0)
  }

  @Test("S6: stages come and go while another thread runs the cycles; none is called after it was released")
  func threads() throws {
    let renderer = try renderer()
    let isDone = Mutex(false)
    let late = Mutex(0)
    let block = [Float](repeating: 0.5, count: 64)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while !isDone.withLock({ $0 }) { _ = try? renderer.cycle(microphone: block, call: StereoBlock(mono: block)) }
      ended.signal()
    }
    let check: StageCallback = { context, _, _, _, _ in
      // Alive is 1; a call after the release finds 0, and counts it in the next cell.
      let state = context!.assumingMemoryBound(to: Int.self)
      if state[0] != 1 { state[1] += 1 }
    }
    let states = UnsafeMutablePointer<Int>.allocate(capacity: 400)
    states.initialize(repeating: 1, count: 400)
    let releases = Mutex(0)
    for round in 0..<200 {
      states[2 * round + 1] = 0
      let stage = AudioStage(
        context: states + 2 * round,
        released: { context in
          context!.assumingMemoryBound(to: Int.self).pointee = 0
          releases.withLock { $0 += 1 }
        }, callback: check)
      let chain = round % 2 == 0 ? renderer.captureStages : renderer.renderStages
      let id = chain.append(stage)
      if round % 3 == 0 { usleep(200) }
      chain.remove(id)
      if round % 5 == 0 { chain.collect() }
    }
    while releases.withLock({ $0 }) < 200 { usleep(1_000) }
    isDone.withLock { $0 = true }
    ended.wait()
    late.withLock { $0 = (0..<200).reduce(0) { $0 + states[2 * $1 + 1] } }
    states.deallocate()
    #expect(late.withLock { $0 } == 0)
  }
}
