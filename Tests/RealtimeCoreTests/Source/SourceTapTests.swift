import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

@Suite("Source: the tap")
struct SourceTapTests {
  private func largest(_ samples: [Float]) -> Float { samples.reduce(0) { max($0, abs($1)) } }

  @Test("L5: a callback is given the voice of every cycle, with rate and position, from attach to detach")
  func callback() throws {
    let rig = try CoreRig()
    let recorder = CallbackRecorder()
    rig.cycle(noise(frames: 64))
    rig.core.source.attach(CallbackRecorder.callback, context: recorder.context)
    let cycles = [32, 256, 8_192, 100].enumerated().map { noise(frames: $1, seed: UInt64($0)) }
    var voice: [[Float]] = []
    for cycle in cycles {
      rig.cycle(cycle)
      voice.append(rig.voice)
    }
    rig.core.source.detach()
    rig.cycle(noise(frames: 64))
    let isSame = recorder.calls.map(\.samples) == voice
    #expect(isSame && largest(voice[2]) > 0.4)
    #expect(recorder.calls.map(\.position) == [0, 32, 288, 8_480])
    #expect(recorder.calls.map(\.frames) == [32, 256, 8_192, 100])
    #expect(recorder.calls.allSatisfy { $0.channelCount == 1 && $0.sampleRate == 48_000 })
  }

  @Test("L6: with captureChannelCount 2 a callback gets the mono voice on both channels")
  func stereo() throws {
    let rig = try CoreRig()
    let recorder = CallbackRecorder()
    #expect(rig.core.source.channelCount == 1)
    rig.core.source.channelCount = 2
    rig.core.source.attach(CallbackRecorder.callback, context: recorder.context)
    rig.cycle(noise(frames: 8_192))
    #expect(recorder.calls.first?.channelCount == 2)
    let isSame = recorder.calls.first?.samples == rig.voice.flatMap { [$0, $0] }
    #expect(isSame && largest(rig.voice) > 0.4)
    rig.core.source.detach()
  }

  @Test("L4: nothing is delivered where nobody sends, nor while the capture path is not ready for the graph's rate")
  func nothing() throws {
    let rig = try CoreRig()
    let recorder = CallbackRecorder()
    rig.core.source.attach(CallbackRecorder.callback, context: recorder.context)
    rig.core.isSending = false
    rig.cycle(noise(frames: 256))
    #expect(recorder.calls.isEmpty)
    rig.core.isSending = true
    rig.rate = 16_000
    rig.cycle(noise(frames: 256))
    #expect(recorder.calls.isEmpty)
    try rig.core.prepare(rate: rig.rate)
    rig.cycle(noise(frames: 256))
    #expect(recorder.calls.map(\.sampleRate) == [16_000])
    rig.core.source.detach()
  }

  @Test("L5: attaching a callback or a queue replaces the attached one")
  func replaces() throws {
    let rig = try CoreRig()
    let (first, queue) = (CallbackRecorder(), SourceQueue())
    rig.core.source.attach(CallbackRecorder.callback, context: first.context)
    rig.cycle(noise(frames: 32))
    rig.core.source.attach(queue)
    rig.cycle(noise(frames: 48))
    let voice = rig.voice
    rig.core.source.attach(CallbackRecorder.callback, context: first.context)
    rig.cycle(noise(frames: 64))
    rig.core.source.detach()
    rig.core.source.detach()
    #expect(first.calls.map(\.frames) == [32, 64])
    #expect(first.calls.map(\.position) == [0, 0])
    var samples: [Float] = []
    #expect(queue.read(into: &samples) == SourceQueue.Cycle(frames: 48, rate: 48_000, position: 0))
    #expect(samples == voice)
    #expect(queue.read(into: &samples) == nil)
  }

  @Test("L5: a full queue loses whole cycles, counts them, reports each run once, and the reader sees where they are missing")
  func overrun() throws {
    let rig = try CoreRig()
    let queue = SourceQueue(capacity: 8_196)
    rig.core.source.attach(queue)
    // 1024 frames with their header: seven such blocks fit.
    var voices: [[Float]] = []
    for i in 0..<10 {
      rig.cycle(noise(frames: 1_024, seed: UInt64(i)))
      voices.append(rig.voice)
    }
    #expect(queue.overruns == 3)
    #expect(queue.overrunRuns == 1)
    for i in 0..<7 {
      var samples: [Float] = []
      #expect(queue.read(into: &samples) == SourceQueue.Cycle(frames: 1_024, rate: 48_000, position: UInt64(i) * 1_024))
      let isSame = samples == voices[i]
      #expect(isSame, "cycle \(i)")
    }
    var samples: [Float] = []
    #expect(queue.read(into: &samples) == nil)
    rig.cycle(noise(frames: 512, seed: 99))
    #expect(queue.read(into: &samples) == SourceQueue.Cycle(frames: 512, rate: 48_000, position: 10_240), "three cycles are missing")
    let isSame = samples == rig.voice
    #expect(isSame)
    for i in 0..<9 { rig.cycle(noise(frames: 1_024, seed: UInt64(i))) }
    #expect(queue.overruns == 5)
    #expect(queue.overrunRuns == 2)
    rig.core.source.detach()
  }

  @Test("V9: the control thread does not wait for another rate's capture path: it is made on another thread, and collected later")
  func madeElsewhere() throws {
    let rig = try CoreRig()
    let sound = [Float](repeating: 0.25, count: 960)
    rig.rate = 96_000
    rig.cycle(sound)
    #expect(rig.voice.allSatisfy { $0 == 0 })
    try rig.core.renewCapturePath()
    #expect(rig.core.isMakingCapturePath, "asked for, and not there yet")
    while rig.core.isMakingCapturePath { try rig.core.renewCapturePath() }
    rig.cycle(sound)
    rig.cycle(sound)
    #expect(rig.voice == sound)
    rig.rate = 8_000
    rig.cycle(sound)
    try rig.core.renewCapturePath()
    #expect(throws: CapturePathError.unsupportedRate(8_000)) {
      while rig.core.isMakingCapturePath { try rig.core.renewCapturePath() }
    }
    rig.cycle(sound)
    try rig.core.renewCapturePath()
    #expect(!rig.core.isMakingCapturePath, "an impossible rate is told of once")
  }

  @Test("T5: the first sound is noted, silence is not, and a new source starts over")
  func hadAudio() throws {
    let rig = try CoreRig()
    let tap = rig.core.source
    rig.cycle(noise(frames: 64))
    #expect(!tap.hadAudio, "nobody was there to hear it")
    // Let the earlier sound fade out, so that it does not end in a step.
    rig.cycle([Float](repeating: 0, count: 480))
    let recorder = CallbackRecorder()
    tap.attach(CallbackRecorder.callback, context: recorder.context)
    // −60 dBFS: a microphone in a quiet room.
    for seed in 0..<50 { rig.cycle(noise(frames: 480, seed: UInt64(seed)).map { $0 * 0.001 }) }
    #expect(!tap.hadAudio)
    rig.cycle([Float](repeating: 0, count: 479) + [-0.01])
    #expect(tap.hadAudio)
    rig.cycle([Float](repeating: 0, count: 480))
    #expect(tap.hadAudio)
    tap.forgetAudio()
    #expect(!tap.hadAudio)
    tap.detach()
  }

  @Test("T5: the first sound counts with voice processing, too, and in bypass: a tone within a second", arguments: [false, true])
  func tone(isBypassed: Bool) throws {
    let rig = try CoreRig()
    rig.core.controls.usesVoiceProcessing = true
    rig.core.controls.isBypassed = isBypassed
    let recorder = CallbackRecorder()
    rig.core.source.attach(CallbackRecorder.callback, context: recorder.context)
    for cycle in 0..<100 {
      rig.cycle((0..<480).map { Float(0.316 * sin(Double(cycle * 480 + $0) * 0.1)) })
    }
    #expect(rig.core.source.hadAudio)
    rig.core.source.detach()
  }

  @Test("T5: application audio, a quiet room and a muted talker do not count as the microphone's audio; a voice does")
  func onlyTheMicrophone() throws {
    let rig = try CoreRig()
    let core = rig.core
    core.controls.usesVoiceProcessing = true
    let recorder = CallbackRecorder()
    core.source.attach(CallbackRecorder.callback, context: recorder.context)
    func run(_ microphone: [Float]) {
      for start in stride(from: 0, to: microphone.count - 479, by: 480) { rig.cycle(Array(microphone[start..<start + 480])) }
    }
    let tone = try AppAudioBuffer(
      interleaved: (0..<48_000).map { Float(0.3 * sin(Double($0) * 0.1)) }, sampleRate: 48_000, channelCount: 1)
    #expect(core.capture(appAudio: tone))
    var loudest: Float = 0
    for _ in 0..<100 {
      rig.cycle([Float](repeating: 0, count: 480))
      loudest = max(loudest, rig.voice.map(abs).max() ?? 0)
    }
    #expect(loudest > 0.2, "it is heard")
    #expect(!core.source.hadAudio)
    run(CaptureSignals.noise(seconds: 3, rate: 48_000, level: -70))
    #expect(!core.source.hadAudio)
    core.controls.isMicrophoneMuted = true
    run(CaptureSignals.speech(seconds: 4, rate: 48_000, level: -26))
    run([Float](repeating: 0, count: 48_000))
    #expect(!core.source.hadAudio)
    core.controls.isMicrophoneMuted = false
    run(CaptureSignals.speech(seconds: 4, rate: 48_000, level: -26))
    #expect(core.source.hadAudio)
    core.source.detach()
  }

  @Test("L8: consumers come and go from another thread while cycles run; after detach none is touched, and each got one piece of the voice")
  func hammered() throws {
    let rig = try CoreRig()
    let tap = rig.core.source
    let isDone = DispatchSemaphore(value: 0)
    let problems = Problems()
    let other = Thread {
      for round in 0..<600 {
        if round % 2 == 0 {
          // Plain memory, freed right after the detach: a late call would be a race and a use after free.
          let counter = UnsafeMutablePointer<Counter>.allocate(capacity: 1)
          counter.initialize(to: Counter())
          tap.attach(
            { context, samples, frames, _, _, position in
              let counter = context!.assumingMemoryBound(to: Counter.self)
              if counter.pointee.frames != position { counter.pointee.gaps += 1 }
              counter.pointee.frames += UInt64(frames)
              counter.pointee.last = samples[frames - 1]
            }, context: counter)
          if round % 4 == 0 { usleep(200) }
          tap.detach()
          let before = counter.pointee
          sched_yield()
          if counter.pointee != before { problems.note("called after detach") }
          if before.gaps != 0 { problems.note("\(before.gaps) gaps") }
          counter.deinitialize(count: 1)
          counter.deallocate()
        } else {
          let queue = SourceQueue(capacity: 9_000)
          tap.attach(queue)
          if round % 3 == 0 { usleep(300) }
          if round % 5 == 0 { tap.attach(queue) }
          var samples: [Float] = []
          // Only a few, because the other side writes continuously.
          for _ in 0..<20 {
            guard let cycle = queue.read(into: &samples) else { break }
            if cycle.frames != 64 || samples.contains(where: { $0 != 0.25 }) { problems.note("a torn cycle") }
            samples = []
          }
          tap.detach()
        }
      }
      isDone.signal()
    }
    other.start()
    let voice = [Float](repeating: 0.25, count: 64)
    while isDone.wait(timeout: .now()) == .timedOut { rig.cycle(voice) }
    #expect(problems.all == [])
  }

  private struct Counter: Equatable {
    var frames: UInt64 = 0
    var gaps = 0
    var last: Float = 0
  }

  // `@unchecked Sendable`: guarded by the lock.
  private final class Problems: @unchecked Sendable {
    private let lock = NSLock()
    private var found: Set<String> = []
    var all: Set<String> { lock.withLock { found } }
    func note(_ problem: String) { lock.withLock { _ = found.insert(problem) } }
  }

  @Test(
    "T5: the voice is resampled with more than 90 dB between signal and noise",
    arguments: [(48_000, 16_000), (16_000, 48_000), (44_100, 48_000), (192_000, 8_000), (8_000, 192_000)])
  func resampler(input: Int, output: Int) throws {
    let resampler = try #require(VoiceResampler())
    let tone = sine(1_000, frames: input, rate: input, level: 0.5)
    var result: [Float] = []
    for start in stride(from: 0, to: tone.count, by: 300) {
      result += resampler.convert(Array(tone[start..<min(tone.count, start + 300)]), ratio: Double(output) / Double(input))
    }
    #expect(abs(result.count - output) < output / 20, "one second gives \(result.count) frames")
    let quality = Measures.purity(ofTone: 1_000, in: result[output / 4..<output * 3 / 4], rate: Double(output))
    #expect(quality > 90)
    resampler.reset()
    #expect(resampler.convert([Float](repeating: 0, count: input / 10), ratio: Double(output) / Double(input)).allSatisfy { $0 == 0 })
  }
}

@Suite("Channels of the mix")
struct MixChannelTests {
  @Test("K10, L6: with renderChannelCount 2 the call passes bit by bit; with 1 both speakers play the mean of its sides")
  func monoMix() throws {
    let rig = try CoreRig()
    let call = (left: noise(frames: 256, seed: 1), right: noise(frames: 256, seed: 2))
    let stereo = rig.cycle(noise(frames: 256, seed: 3), call: call)
    let isSame = stereo.left == call.left && stereo.right == call.right
    #expect(isSame)
    #expect(rig.core.mixer.channelCount == 2)
    rig.core.mixer.channelCount = 1
    let mono = rig.cycle(noise(frames: 256, seed: 3), call: call)
    let isMean = mono.left == zip(call.left, call.right).map { 0.5 * ($0 + $1) } && mono.right == mono.left
    #expect(isMean)
    rig.core.mixer.channelCount = 2
    let isBack = rig.cycle(noise(frames: 256, seed: 3), call: call).left == call.left
    #expect(isBack)
  }
}
