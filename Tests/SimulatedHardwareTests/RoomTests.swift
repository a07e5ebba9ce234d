import Foundation
import Testing

@testable import SimulatedHardware

@Suite("Room")
struct RoomTests {
  @Test("O3: the room gives the loudspeaker's sound to the microphone, late by its own delay and the response's", arguments: [256, 1_024])
  func echoPath(quantum: Int) throws {
    var configuration = SessionConfiguration()
    configuration.clock = .patient()
    configuration.quantum = quantum
    configuration.runsPulse = false
    let session = try PrivateSession(configuration)
    var options = RoomOptions(socket: session.socket, epoch: monotonicSeconds() + 1_000)
    options.noise = -120
    options.cache = speechCache
    let room = try Room(options)
    try room.start()
    try session.wait(for: "the room's links") { room.report.isLinked }
    var click = [Float](repeating: 0, count: 100)
    click[10] = 1
    let probe = try GraphProbe(socket: session.socket, play: ["click": click], record: ["microphone"], frames: 12_000)
    for side in ["FL", "FR"] { try session.link(probe.playPort("click"), "hw.speaker:playback_\(side)") }
    try session.link("hw.mic:capture_MONO", probe.recordPort("microphone"))
    let recording = try probe.run()
    #expect(recording.isExact)
    let heard = recording.samples["microphone"]!
    let response = RoomResponse(seed: options.seed).taps
    let first = try #require(response.firstIndex { $0 != 0 })
    let expected = 10 + room.delay(quantum: quantum) + first
    // The impulse response itself comes back, up to a factor.
    let peak = try #require(heard.indices.max { abs(heard[$0]) < abs(heard[$1]) })
    #expect(peak == expected)
    let scale = heard[peak] / response[first]
    let length = min(response.count - first, heard.count - expected)
    #expect(scale > 0.05)
    #expect((0..<length).allSatisfy { abs(heard[expected + $0] - scale * response[first + $0]) < 1e-4 })
    #expect(heard[..<expected].allSatisfy { abs($0) < 1e-4 })
  }

  @Test("O3: far-end speech at its usual level comes back 3 dB below the near end's")
  func echoLevel() throws {
    var configuration = SessionConfiguration()
    configuration.clock = .patient(speed: 4)
    configuration.runsPulse = false
    let session = try PrivateSession(configuration)
    var options = RoomOptions(socket: session.socket, epoch: monotonicSeconds() + 1_000)
    options.cache = speechCache
    let room = try Room(options)
    try room.start()
    try session.wait(for: "the room's links") { room.report.isLinked }
    let speech = Array(try Speech(Voice.farEnd[2], rate: 48_000, cache: speechCache).samples.prefix(192_000))
    let probe = try GraphProbe(socket: session.socket, play: ["far": speech], record: ["microphone"], frames: speech.count)
    for side in ["FL", "FR"] { try session.link(probe.playPort("far"), "hw.speaker:playback_\(side)") }
    try session.link("hw.mic:capture_MONO", probe.recordPort("microphone"))
    let recording = try probe.run()
    let echo = try #require(Measures.activeLevel(recording.samples["microphone"] ?? [], rate: 48_000))
    let played = try #require(Measures.activeLevel(speech, rate: 48_000))
    // The level was set for a different voice: 0 to −6 dB are expected.
    #expect(abs(echo - played + 3) < 3, "\(echo - played) dB")
  }

  @Test("O3: the room in its own process measures echo and speech on what comes out, and comes back with the daemon")
  func process() throws {
    var configuration = SessionConfiguration()
    configuration.runsPulse = false
    let session = try PrivateSession(configuration)
    var options = RoomOptions(socket: session.socket, epoch: monotonicSeconds())
    options.script = .nearEndOnly
    options.cache = speechCache
    options.observed = "hw.mic:capture_MONO"
    let room = try RoomProcess(in: session, executable: "\(builtProducts)/SimulatedSession", options: options)
    try session.wait(for: "the room's links") { room.report?.isLinked == true }
    #expect(room.report?.isObserving == false)
    #expect(try session.links()[.init(from: "hw.mic:capture_MONO", to: "room.observer:input_MONO")] == nil)
    room.observe(true)
    try session.wait(for: "a measurement of the near end") { room.report?.nearEndLevel != nil }
    let level = try #require(room.report?.nearEndLevel)
    #expect(abs(level) < 0.2, "nothing processes the microphone here, so nothing is lost")
    #expect(room.report?.erle == nil)
    #expect(room.report?.phase == .nearEnd)
    room.measureAnew()
    #expect(room.report?.nearEndLevel == nil, "what was measured before")
    try session.wait(for: "another measurement") { room.report?.nearEndLevel != nil }

    try session.restart(.pipewire)
    try session.wait(for: "the room's links after the restart") {
      let links = try session.links()
      return links[.init(from: "room.microphone:output_MONO", to: "hw.mic:input_MONO")] != nil
        && links[.init(from: "hw.mic:capture_MONO", to: "room.observer:input_MONO")] != nil
    }
    try session.wait(for: "sound") { (room.report?.microphoneLevel ?? -120) > -50 }
    room.end()
    #expect(room.process.exit == .status(0))
  }

  @Test("O3: the meter takes echo from 5 s of far-end talk on, and leaves the changes of phase out")
  func meter() throws {
    let conversation = Conversation(seed: 1)
    var meter = RoomMeter(conversation: conversation)
    var firstFigure: Double?
    for window in 0..<3_000 {
      let time = Double(window) * 0.01
      let settled = conversation.settledPhase(at: time, guardTime: 0.4)
      // 20 dB of echo loss and 3 dB of speech loss, with values around the changes and in the first seconds that would spoil either.
      let output: Double =
        switch settled {
        case .farEnd where time > 4.9: 1e-5
        case .nearEnd: 0.5e-3
        default: 1
        }
      meter.add(microphone: 1e-3, output: output, at: time)
      if firstFigure == nil, meter.erle != nil { firstFigure = time }
    }
    #expect(abs(try #require(firstFigure) - 6) < 0.05)
    #expect(abs(try #require(meter.erle) - 20) < 0.01)
    #expect(abs(try #require(meter.nearEndLevel) + 3.01) < 0.01)
  }

  @Test("O3: the meter leaves out what is muted: no echo is lost better than one that nobody could hear")
  func mutedMeter() throws {
    let conversation = Conversation(seed: 1)
    var meter = RoomMeter(conversation: conversation)
    for window in 0..<6_000 {
      let time = Double(window) * 0.01
      let isMuted = (1_500..<4_500).contains(window)
      meter.add(microphone: 1e-3, output: isMuted ? 0 : 1e-5, at: time)
      if let erle = meter.erle { #expect(abs(erle - 20) < 1, "\(time) s") }
    }
    #expect(meter.erle != nil && meter.nearEndLevel != nil)
  }

  @Test("O3: the meter begins anew at a switch, and leaves out what was recorded before it")
  func switchedMeter() throws {
    var meter = RoomMeter(conversation: Conversation(seed: 1))
    for window in 0..<6_000 {
      let time = Double(window) * 0.01
      if window == 3_000 {
        #expect(meter.erle != nil && meter.nearEndLevel != nil)
        // Windows come half a second after they were recorded.
        meter.measureAnew(at: time + 0.5)
        #expect(meter.erle == nil && meter.nearEndLevel == nil)
      }
      meter.add(microphone: 1e-3, output: time < 30.9 ? 1e-5 : 1e-3, at: time)
      if window >= 3_000, let erle = meter.erle { #expect(abs(erle) < 0.01, "\(time) s") }
    }
    #expect(meter.erle != nil)
  }

  @Test("O3: the meter leaves out a microphone that hears only noise, and counts what comes out late with its echo")
  func noiseMeter() throws {
    let conversation = Conversation(seed: 1)
    var meter = RoomMeter(conversation: conversation)
    var noiseOnly = RoomMeter(conversation: conversation)
    for window in 0..<6_000 {
      let time = Double(window) * 0.01
      // Noise passes almost unchanged; every 100 ms of echo are 30 dB lower, and come out 50 ms late.
      let (noise, left) = (1e-6, 0.8e-6)
      let isPaused = (1_500..<4_500).contains(window)
      let hasEcho = !isPaused && window % 20 < 10
      let comesOut = !isPaused && (5..<15).contains(window % 20)
      meter.add(microphone: hasEcho ? 1e-3 : noise, output: comesOut ? 1e-6 : isPaused ? left : 1e-12, at: time)
      noiseOnly.add(microphone: noise, output: left, at: time)
      if let erle = meter.erle { #expect(abs(erle - 30) < 1, "\(time) s") }
    }
    #expect(meter.erle != nil)
    #expect(noiseOnly.erle == nil && noiseOnly.nearEndLevel == nil)
  }

  @Test("O3: the room's options travel as arguments, and a bad one is named")
  func options() throws {
    var options = RoomOptions(socket: "/run/a b/pipewire-0", epoch: 12.5)
    options.script = .farEndOnly
    options.seed = 99
    options.cache = "/tmp/c"
    options.isObserving = true
    options.acoustics = Acoustics(loudspeakers: ["laptop", "screen"], distant: ["screen"], microphones: ["laptop.mic"])
    #expect(try RoomOptions(arguments: options.arguments) == options)
    for bad in ["rate=fast", "rate", "colour=red", "script=none", "acoustics=laptop/screen/mic"] {
      let error = sessionError { try RoomOptions(arguments: ["socket=x", bad]) }
      #expect(error?.message.contains(bad.split(separator: "=")[0]) == true)
    }
    #expect(throws: SessionError.self) { try RoomOptions(arguments: []) }
  }
}
