import Foundation
import Platform
import RealtimeCore
import SessionModel
import Testing

@testable import IsolationStore
@testable import Nearend
@testable import SimulatedHardware

/// The wheel of DeepFilterNet, if `Scripts/install-dependencies test` could fetch it.
private let wheelPath = ".build/isolation/\(IsolationPackage.standard.wheels[IsolationPackage.machine]?.name ?? "none.whl")"
private let hasWheel = access(wheelPath, R_OK) == 0

@Suite(
  "DeepFilterNet", .serialized, .enabled(if: hasWheel, "its wheel could not be fetched from PyPI: no network, or another kind of machine"))
struct RealLibraryTests {
  private static let rate = 48_000
  private let folder: Folder
  private let files: IsolationFiles

  /// Installs it as a user would.
  init() throws {
    folder = try Folder()
    let store = try IsolationStore(["XDG_DATA_HOME": folder.path])
    try store.install(from: wheelPath)
    files = try IsolationFiles.find(["XDG_DATA_HOME": folder.path])
    #expect(files.library.hasPrefix(folder.path))
  }

  /// A talker in a noisy room: 1.5 s of noise alone, then both.
  private static func scene(noise level: Double, rate: Int = rate) throws -> (microphone: [Float], talker: [Float]) {
    let speech = try Speech(.nearEnd, rate: rate).samples
    let talker = [Float](repeating: 0, count: 3 * rate / 2) + speech.prefix(5 * rate / 2)
    var generator = SeededGenerator(seed: 3)
    let gain = pow(10, level / 20)
    return (talker.map { $0 + Float(gain * generator.gaussian()) }, talker)
  }

  /// Returns the processed voice with its delay removed.
  private func processed(_ microphone: [Float], mode: MicMode, rate: Int = rate, canceller: EchoCanceller = .nearend) throws -> [Float] {
    let renderer = try ManualRenderer(rate: rate)
    let files = files
    renderer.core.isolation.use { () throws(IsolationError) in try DeepFilter(files) }
    for (setting, value) in [
      (Setting.voiceProcessingEnableAGC, EventValue.bool(false)), (.highPassFilter, .bool(false)),
      (.echoCanceller, .string(canceller.rawValue)), (.micMode, .string(mode.rawValue)),
    ] { try renderer.set(setting, to: value) }
    let quantum = 256, latency = renderer.latency(quantum: quantum)
    let padded = microphone + [Float](repeating: 0, count: latency + quantum)
    var voice: [Float] = []
    for start in stride(from: 0, through: padded.count - quantum, by: quantum) {
      voice += try renderer.cycle(microphone: Array(padded[start..<start + quantum])).voice
    }
    #expect(renderer.core.isolation.status.lateBlocks == 0)
    return Array(voice[latency..<latency + microphone.count])
  }

  @Test("V12: wide spectrum leaves all of a room's noise, standard some, and isolation none; the talker stays", arguments: [-40.0])
  func noise(level: Double) throws {
    let (microphone, talker) = try Self.scene(noise: level)
    let pause = Self.rate / 2..<5 * Self.rate / 4, talks = 2 * Self.rate..<4 * Self.rate
    var left: [MicMode: Double] = [:], voice: [MicMode: Double] = [:]
    for mode in MicMode.allCases {
      let processed = try processed(microphone, mode: mode)
      left[mode] = Measures.level(processed[pause]) - Measures.level(microphone[pause])
      voice[mode] =
        (Measures.activeLevel(Array(processed[talks]), rate: Self.rate) ?? -120)
        - (Measures.activeLevel(Array(talker[talks]), rate: Self.rate) ?? 0)
    }
    print("V12 noise at \(level) dBFS: noise \(left), talker \(voice) dB")
    #expect(abs(left[.wideSpectrum] ?? 9) < 1.5)
    #expect((left[.standard] ?? 0) < -8)
    #expect((left[.voiceIsolation] ?? 0) < -30 && (left[.voiceIsolation] ?? 0) < (left[.standard] ?? 0) - 10)
    #expect(voice.values.allSatisfy { abs($0) < 3 }, "\(voice)")
  }

  @Test(
    "V12, V8: the isolated voice is where the talker is, to 2 ms, at every rate, behind either engine", arguments: [16_000, 44_100, 48_000])
  func alignment(rate: Int) throws {
    let (microphone, talker) = try Self.scene(noise: -50, rate: rate)
    for canceller in [EchoCanceller.nearend, .webrtc] {
      let voice = try processed(microphone, mode: .voiceIsolation, rate: rate, canceller: canceller)
      let lag = try #require(Measures.lag(of: voice, after: talker, most: rate / 50))
      #expect(abs(lag.frames) <= rate / 500, "\(lag) at \(rate) Hz, \(canceller)")
    }
  }

  @Test("V12: offline and on a thread of its own the voice is the same, sample by sample")
  func liveIsOffline() throws {
    let microphone = Array(try Self.scene(noise: -45).microphone.prefix(2 * Self.rate))
    let files = files
    func voice(isSynchronous: Bool) throws -> [Float] {
      let core = try AudioCore()
      core.isolation.use { () throws(IsolationError) in try DeepFilter(files) }
      core.isolation.isSynchronous = isSynchronous
      core.controls.micMode = .voiceIsolation
      core.isSending = true
      try core.prepare(rate: Self.rate)
      var voice = [Float](repeating: 0, count: microphone.count / 480 * 480)
      for start in stride(from: 0, to: voice.count, by: 480) {
        microphone.withUnsafeBufferPointer { source in
          voice.withUnsafeMutableBufferPointer { target in
            var cycle = CycleBuffers(frames: 480, rate: Self.rate, position: UInt64(start), driver: 1)
            cycle.microphone = source.baseAddress! + start
            cycle.voice = target.baseAddress! + start
            core.realtime.process(&cycle, graphSinks: nil)
          }
        }
        if isSynchronous { core.isolation.drain() } else { core.isolation.waitUntilDone() }
      }
      #expect(core.isolation.status.lateBlocks == 0)
      return voice
    }
    #expect(try voice(isSynchronous: true) == voice(isSynchronous: false))
  }
}
