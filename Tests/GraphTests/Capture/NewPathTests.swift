import Nearend
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  @Suite("Echo by another way", .serialized)
  struct NewPaths {
    private static let laptopSpeaker = "alsa_output.pci-0000_00_1f.3.analog-stereo"
    private static let laptopMicrophone = "alsa_input.pci-0000_00_1f.3.analog-stereo"
    private static let screen = "alsa_output.pci-0000_01_00.1.hdmi-stereo"
    private static let headsetMicrophone = "alsa_input.usb-Simulated_USB_Headset-00.mono-fallback"
    private static let quantum = 480
    /// Longer than needed: the test ends some seconds after the second change, whenever this machine gets there.
    private static let seconds = 90

    @Test("V6, R1: after a change to a loudspeaker across the room, and to another microphone, the echo is down by 25 dB within 3 s")
    func switched() throws {
      let live = try LiveGraph(.exactDesk([.laptop, .usb, .hdmi]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      desk.set(.television, isPlugged: true)
      try live.wait(for: "the television") { $0.route.devices.contains { $0.name == Self.screen } }
      try live.session.waitForDesk()
      live.service.perform(.set(.speaker, .string(Self.laptopSpeaker)))
      live.service.perform(.set(.microphone, .string(Self.laptopMicrophone)))
      var options = RoomOptions(socket: live.session.socket, epoch: monotonicSeconds() + 10_000)
      options.noise = -75
      options.acoustics = desk.acoustics
      #expect(options.acoustics.distant == [Self.screen])
      let room = try Room(options)
      try room.start()
      defer { room.stop() }
      try live.session.wait(for: "the room's links") { room.report.isLinked }
      let speech = try Signals.speech(Voice.farEnd[0], seconds: Double(Self.seconds))
      let probe = try live.probe(play: ["far": speech], record: ["air", "voice", "near", "distant"], frames: speech.count)
      try live.link([
        (probe.playPort("far"), "nearend.speaker:playback_FL"), (probe.playPort("far"), "nearend.speaker:playback_FR"),
        ("nearend.microphone:capture_MONO", probe.recordPort("voice")), ("room.microphone:output_MONO", probe.recordPort("air")),
        ("\(Self.laptopSpeaker):monitor_FL", probe.recordPort("near")), ("\(Self.screen):monitor_FL", probe.recordPort("distant")),
      ])
      try live.wait(for: "the call") {
        $0.graph.captureLinks > 0 && $0.graph.renderLinks == 2 && $0.route.speaker?.name == Self.laptopSpeaker
      }
      probe.start()
      let start = live.service.snapshot().graph.cycles
      func pass(until second: Int) throws {
        try live.wait(for: "\(second) s of it") { $0.graph.cycles > start + UInt64(second * 48_000 / Self.quantum) }
      }
      try pass(until: 8)
      live.service.perform(.set(.speaker, .string(Self.screen)))
      try pass(until: 15)
      live.service.perform(.set(.microphone, .string(Self.headsetMicrophone)))
      try live.wait(for: "the other microphone") { $0.route.microphone?.name == Self.headsetMicrophone && $0.graph.captureLinks == 1 }
      // An upper bound: the probe begins a moment after its `start`.
      let other = Int(live.service.snapshot().graph.cycles - start) * Self.quantum
      probe.end(after: 8 * 48_000)
      let recording = try probe.finish()
      let (air, voice) = (try #require(recording.samples["air"]), try #require(recording.samples["voice"]))
      let switched = try #require(recording.samples["distant"]?.firstIndex { $0 != 0 })
      let last = try #require(recording.samples["near"]?.lastIndex { $0 != 0 })
      #expect(last < switched + 48_000, "one after the other")
      func erle(_ begin: Int, _ seconds: ClosedRange<Int>) throws -> Double {
        let range = (begin + seconds.lowerBound * 48_000)..<min(begin + seconds.upperBound * 48_000, voice.count)
        #expect(Measures.level(Array(air[range])) > -50, "there is echo to cancel")
        return try #require(Measures.erle(microphone: air, processed: voice, over: range))
      }
      let course = try (-3..<6).map { Int(try erle(switched, $0...$0 + 1).rounded()) }
      print("V6: ERLE by second around the other loudspeaker \(course)")
      #expect(try erle(switched, -3...0) >= 25)
      #expect(try erle(switched, 3...6) >= 25)
      print("V6: ERLE by second after the other microphone \(try (0..<5).map { Int(try erle(other, $0...$0 + 1).rounded()) })")
      #expect(try erle(other, 3...6) >= 25)
    }
  }
}
