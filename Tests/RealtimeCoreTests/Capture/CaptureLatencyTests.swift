import Foundation
import Testing

@testable import RealtimeCore

@Suite("Capture path: latency")
struct CaptureLatencyTests {
  @Test(
    "V9: re-blocking adds exactly block − gcd(quantum, block) frames, to the sample", arguments: [32, 128, 256, 441, 480, 512, 1024, 8192],
    EchoCanceller.engines)
  func latencyToTheSample(quantum: Int, engine: EchoCanceller) throws {
    let block = engine == .nearend ? 256 : 480
    var run = try CaptureRun(engine: engine) { $0.isBypassed = true }
    var microphone = [Float](repeating: 0, count: 3 * 8192)
    microphone[8200] = 0.5
    let voice = run.process(microphone, quantum: quantum)
    let stages = run.latency(quantum: block)
    var a = quantum, b = block
    while b != 0 { (a, b) = (b, a % b) }
    #expect(run.latency(quantum: quantum) == stages + block - a)
    #expect(voice.firstIndex { $0 != 0 } == 8200 + run.latency(quantum: quantum))
    #expect(voice.filter { $0 != 0 } == [0.5], "the impulse comes out once and whole")
  }

  @Test("V1: with voice processing off the voice is the microphone, with no frame added", arguments: [32, 441, 8192])
  func offAddsNothing(quantum: Int) throws {
    var run = try CaptureRun { $0.usesVoiceProcessing = false }
    let microphone = CaptureSignals.noise(seconds: 0.4, rate: 48000, level: -20)
    #expect(run.latency(quantum: quantum) == 0)
    let voice = run.process(microphone, quantum: quantum)
    #expect(voice == Array(microphone.prefix(voice.count)))
  }

  @Test("V2: wet and dry leave the stages at the same time", arguments: [16000, 44100, 48000], EchoCanceller.engines)
  func wetAndDryAreAligned(rate: Int, engine: EchoCanceller) throws {
    let microphone = CaptureSignals.speech(seconds: 0.6, rate: rate, level: -24)
    // Above 16 kHz the library's band split delays bass, middle and treble by some samples relative to one another.
    let tolerance = max(1, rate / 8000)
    for stages in [(true, false), (false, true)] {
      var run = try CaptureRun(engine: engine, rate: rate) {
        $0.isHighPassFilterEnabled = false
        $0.isGainControlEnabled = false
        ($0.isEchoCancellationEnabled, $0.isNoiseSuppressionEnabled) = stages
      }
      let quantum = rate / 100, latency = run.latency(quantum: rate / 100)
      let voice = run.process(microphone, quantum: quantum)
      let lag = CaptureSignals.lag(of: voice, behind: microphone, in: latency - 12...latency + 12, at: rate / 10, count: rate / 8)
      #expect(abs(lag - latency) <= tolerance, "AEC \(stages.0), NS \(stages.1): declared \(latency), measured \(lag)")
    }
  }

  @Test("V9: a quantum that changes while running brings its own latency, and nothing drifts afterwards", arguments: EchoCanceller.engines)
  func quantumChanges(engine: EchoCanceller) throws {
    var run = try CaptureRun(engine: engine) { $0.isBypassed = true }
    let speech = CaptureSignals.speech(seconds: 0.2, rate: 48000, level: -20)
    var last: Float = 0
    for quantum in [256, 480, 441, 32, 8192, 256] {
      let voice = run.process(speech, quantum: quantum)
      #expect(Swift.abs(voice[0] - last) < 0.02, "no click where the quantum becomes \(quantum)")
      last = voice[voice.count - 1]
      var impulse = [Float](repeating: 0, count: 3 * 8192)
      impulse[8500] = 0.5
      let answer = run.process(impulse, quantum: quantum)
      #expect(answer[8000...].firstIndex { $0 != 0 } == 8500 + run.latency(quantum: quantum))
      last = answer[answer.count - 1]
    }
  }

  @Test(
    "V9: any graph rate runs and passes voice", arguments: [16000, 22050, 32000, 44100, 48000, 88200, 96000, 176_400, 192_000],
    EchoCanceller.engines)
  func everyRate(rate: Int, engine: EchoCanceller) throws {
    var run = try CaptureRun(engine: engine, rate: rate)
    // Noise suppression learns in the first half second.
    _ = run.process(CaptureSignals.noise(seconds: 0.5, rate: rate, level: -70), quantum: 1024)
    let microphone = CaptureSignals.speech(seconds: 0.5, rate: rate, level: -22)
    let voice = run.process(microphone, quantum: 1024)
    let change = CaptureSignals.decibels(CaptureSignals.activePower(voice) / CaptureSignals.activePower(microphone))
    #expect(abs(change) < 3)
    #expect(run.meters.snapshot().errors == 0)
  }

  @Test(
    "V9: a stage's delay is found to the frame at every rate, without trying every frame",
    arguments: [16000, 22050, 32000, 44100, 48000, 88200, 96000, 176_400, 192_000])
  func delayIsFound(rate: Int) {
    let block = rate / 100
    var sweep = [Float](repeating: 0, count: 10 * block)
    for i in 0..<4 * block {
      let t = Float(i) / Float(4 * block)
      sweep[block + i] = 0.25 * sin(2 * .pi * 0.04 * (300 * t + 1350 * t * t)) * (1 - cos(2 * .pi * t))
    }
    for delay in [0, 1, block / 7, block - 1, 2 * block + 3, 3 * block] {
      // Halved and with noise, as a processor may change it.
      let noise = CaptureSignals.noise(seconds: 0.1, rate: rate, level: -50)
      let output = sweep.indices.map { (0.5 * ($0 >= delay ? sweep[$0 - delay] : 0)) + (noise.indices.contains($0) ? noise[$0] : 0) }
      let found = StageDelay.bestLag(of: output, behind: sweep, from: block, count: 4 * block, longest: 3 * block, rate: rate)
      #expect(found == delay)
    }
  }

  @Test("V9: a rate that cannot be served is refused by name")
  func impossibleRates() {
    #expect(throws: CapturePathError.unsupportedRate(8000)) { _ = try CaptureRun(rate: 8000) }
    #expect(throws: CapturePathError.unsupportedRate(384_000)) { _ = try CaptureRun(rate: 384_000) }
    #expect(CapturePathError.unsupportedRate(8000).description.contains("8000 Hz"))
  }
}
