import Foundation
import Testing

@testable import RealtimeCore

@Suite("Tuning")
struct TuningTests {
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (inout Tuning) -> Void

    init(_ stage: String, _ make: @escaping @Sendable (inout Tuning) -> Void) { (testDescription, self.make) = (stage, make) }

    /// The standard with this change, which has to be one.
    var tuning: Tuning {
      var tuning = Tuning.standard
      make(&tuning)
      #expect(tuning != .standard)
      return tuning
    }
  }

  private static let rate = 16_000
  /// A noisy room in which both talk; the echo comes late; the far end begins with a tone, pauses for a second, and goes on
  /// twice as loud at the microphone.
  private static let far: [Float] = {
    let tone = (0..<rate).map { 0.1 * Float(sin(2 * .pi * 440 * Double($0) / Double(rate))) }
    let words = CaptureSignals.speech(seconds: 3, rate: rate, level: -20)
    return tone + [Float](repeating: 0, count: rate / 2) + words + [Float](repeating: 0, count: rate) + words
  }()
  private static let microphone: [Float] = {
    let echo = CaptureSignals.room(far, rate: rate, delay: 2 * rate / 5, gain: 0.5)
    let seconds = Double(far.count) / Double(rate)
    let near = CaptureSignals.speech(seconds: seconds, rate: rate, level: -26, seed: 5)
    let noise = CaptureSignals.noise(seconds: seconds, rate: rate, level: -60)
    return far.indices.map { i in (i > 5 * rate ? 2 : 1) * echo[i] + (i > 3 * rate && i < 4 * rate ? near[i] : 0) + noise[i] }
  }()

  private static func voice(_ tuning: Tuning) -> [Float] {
    var processor = FullDuplexProcessor(rate: rate, tuning: tuning)
    return processor.run(microphone, far: far)
  }
  private static let standard = voice(.standard)

  /// A far end that is not heard for 8 s, and then is; pauses for 3 s; and becomes twice as loud at the microphone, of which the canceller
  /// is told half a second later.
  private static let (lateFar, lateMicrophone): ([Float], [Float]) = {
    let far =
      CaptureSignals.speech(seconds: 11, rate: rate, level: -26, seed: 9) + [Float](repeating: 0, count: 3 * rate)
      + CaptureSignals.speech(seconds: 4, rate: rate, level: -26, seed: 3)
    let echo = CaptureSignals.room(far, rate: rate, delay: rate / 100, gain: 0.5)
    let noise = CaptureSignals.noise(seconds: Double(far.count) / Double(rate), rate: rate, level: -75)
    return (far, far.indices.map { i in (i < 8 * rate ? 0 : i < turned ? 1 : 2) * echo[i] + noise[i] })
  }()
  private static let turned = 16 * rate, told = turned + rate / 2

  private static func lateVoice(_ tuning: Tuning) -> [Float] {
    var processor = FullDuplexProcessor(rate: rate, tuning: tuning)
    let before = processor.run(Array(lateMicrophone[..<told]), far: Array(lateFar[..<told]))
    processor.scaleEcho(by: 2)
    return before + processor.run(Array(lateMicrophone[told...]), far: Array(lateFar[told...]))
  }
  private static let lateStandard = lateVoice(.standard)

  private static let changes = [
    Change("microphone") { $0.microphone.closed = 1 },
    Change("referenceLevel") { $0.referenceLevel.usual = 1 },
    Change("referenceSpectra") { $0.referenceSpectra.silence = 1e-3 },
    Change("excitation") { $0.excitation.tonal = 1 },
    Change("loudspeakerModel") { $0.loudspeakerModel.significance = 0 },
    Change("loudspeakerTerms") { $0.loudspeakerTerms.steepness = 80 },
    Change("fastFilter") { $0.fastFilter.overcount = 10 },
    Change("carefulFilter") { $0.carefulFilter.overcount = 10 },
    Change("kalmanFilter") { $0.kalmanFilter.leastShare = 0.9 },
    Change("pathPrior") { $0.pathPrior.initial = 1 },
    Change("pathSelector") { $0.pathSelector.better = 0.9 },
    Change("filterMix") { $0.filterMix.memory = 2.0 },
    Change("estimateShare") { $0.estimateShare.memory = 2.0 },
    Change("echoSubtraction") { $0.echoSubtraction.mostPeak = 0.01 },
    Change("supervisor") { $0.supervisor.speaking = 10 },
    Change("firstWords") { $0.firstWords.word = 30 },
    Change("pathVerification") { $0.pathVerification.leastPause = 0.01 },
    Change("delayScout") { $0.delayScout.telling = 100 },
    Change("gainTracker") { ($0.gainTracker.smallExplained, $0.gainTracker.least) = (0.01, 1) },
    Change("pathChangeDetector") { ($0.pathChangeDetector.converged, $0.pathChangeDetector.loud) = (0.9, 0.01) },
    Change("initialGuard") { ($0.initialGuard.first, $0.initialGuard.hold) = (0.001, 0.001) },
    Change("driftTracker") { $0.driftTracker.certain = 0 },
    Change("residualEcho") { $0.residualEcho.margin = 4 },
    Change("nearEndEvidence") { ($0.nearEndEvidence.excess, $0.nearEndEvidence.remaining, $0.nearEndEvidence.learnt) = (0.01, 0.01, 0.01) },
    Change("nearEndPresence") { $0.nearEndPresence.width = 3 },
    Change("suppressor") { $0.suppressor.noiseFloor = 0.1 },
    Change("kernel") { $0.suppressor.ownOdds = 3 },
    Change("learnedGains") { $0.learnedGains.whereAlone = 1 },
    Change("harmonicComb") { $0.harmonicComb.least = 0.1 },
    Change("echoMeter") { $0.echoMeter.nearEnd = 1 },
  ]

  @Test("V10: each stage has its own constants of the tuning that the processor was given", arguments: changes)
  func stages(change: Change) {
    let isHeard = Self.voice(change.tuning) != Self.standard
    #expect(isHeard)
  }

  private static let lateChanges = [
    Change("filterPair") { $0.filterPair.louder = 0.01 },
    Change("echoEvidence") { $0.echoEvidence.memory = 2.0 },
    Change("echoTrial") { $0.echoTrial.patience = 0.01 },
    Change("gainChanges") { $0.gainChanges.memory = 0.01 },
    Change("window") { $0.window.mostSilence = 0.01 },
  ]

  @Test("V10: so have those of an echo that begins late, of a pause, and of a volume that is told", arguments: lateChanges)
  func lateStages(change: Change) {
    let isHeard = Self.lateVoice(change.tuning) != Self.lateStandard
    #expect(isHeard)
  }

  /// An array of two, whose second microphone dies.
  private static let array: [[Float]] = {
    let own = CaptureSignals.noise(seconds: Double(microphone.count) / Double(rate), rate: rate, level: -60, seed: 77)
    let other = microphone.indices.map { i in (i > 0 && i < 4 * rate ? 0.7 * microphone[i - 1] + own[i] : 0) }
    return [microphone, other]
  }()

  private static func arrayVoice(_ tuning: Tuning) -> [Float] {
    var processor = FullDuplexProcessor(rate: rate, tuning: tuning, microphones: 2)
    return processor.run(array, far: far)
  }
  private static let arrayStandard = arrayVoice(.standard)

  private static let arrayChanges = [
    Change("microphoneHealth") { $0.microphoneHealth.dead = 1_000 },
    Change("talkerPresence") { $0.talkerPresence.caution = 0.1 },
    Change("beamformer") { $0.beamformer.trusted = 10 },
  ]

  @Test("V15: so have those of an array", arguments: arrayChanges)
  func arrayStages(change: Change) {
    let isHeard = Self.arrayVoice(change.tuning) != Self.arrayStandard
    #expect(isHeard)
  }

  @Test("V10: no stage is left out")
  func completeness() {
    let stages = Mirror(reflecting: Tuning.standard).children.compactMap(\.label)
    // The suppressor's kernel has the rest of the suppressor's constants.
    let tried = Set((Self.changes + Self.lateChanges + Self.arrayChanges).map(\.testDescription)).subtracting(["kernel"])
    #expect(tried == Set(stages))
  }

  @Test("V10: as JSON and back, the standard is the same bit by bit")
  func coding() throws {
    #expect(try JSONDecoder().decode(Tuning.self, from: JSONEncoder().encode(Tuning.standard)) == .standard)
    let isSame = Self.voice(.standard) == Self.standard
    #expect(isSame)
  }
}
