import Foundation
import Nearend
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// A person hears themselves as others do.
  @Suite("Hearing oneself, live", .serialized)
  struct AuditionLive {
    private func wait(_ live: LiveGraph, for phase: AuditionStatus.Phase) throws {
      try live.session.wait(for: "the phase \(phase)", detail: { "\(live.service.snapshot().audition.debugDescription)" }) {
        live.service.snapshot().audition?.phase == phase
      }
    }

    private func begin(_ live: LiveGraph, seconds: Double) throws {
      let begun = live.service.beginAudition(seconds: seconds)
      #expect(begun.number != nil, "\(begun.refusal ?? "")")
    }

    /// What is to be as before.
    private func expectRest(_ live: LiveGraph) throws {
      try live.wait(for: "the devices to be closed") {
        $0.graph.captureLinks == 0 && $0.graph.renderLinks == 0 && $0.session.state == .idle
      }
      #expect(!live.service.core.audition.holdsRecording && !live.service.core.controls.isAuditioned)
    }

    private func files(_ path: String) -> Set<String> {
      Set(FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? [])
    }

    /// The first place in `signal` at which `part` is, but for rounding.
    private func find(_ part: ArraySlice<Float>, in signal: [Float]) -> Int? {
      let part = Array(part)
      return signal.indices.dropLast(part.count).first { start in
        for i in part.indices where abs(signal[start + i] - part[i]) > 1e-5 { return false }
        return true
      }
    }

    @Test("D1: in a call: the speaker plays the microphone, then the voice without its echo, in step; others hear nothing meanwhile")
    func inACall() throws {
      let live = try LiveGraph(.exact, quantum: 256)
      defer { live.stop() }
      let room = try live.startRoom()
      defer { room.stop() }
      let seconds = 60.0
      let far = try Signals.speech(Voice.farEnd[0], seconds: seconds), near = try Signals.speech(Voice.nearEnd, seconds: seconds)
      let probe = try live.probe(play: ["far": far, "near": near], record: ["microphone", "voice", "speaker"], frames: far.count)
      try live.link([
        (probe.playPort("far"), "nearend.speaker:playback_FL"), (probe.playPort("near"), "hw.mic:input_MONO"),
        ("hw.mic:capture_MONO", probe.recordPort("microphone")), ("nearend.microphone:capture_MONO", probe.recordPort("voice")),
        ("hw.speaker:monitor_FR", probe.recordPort("speaker")),
      ])
      try live.wait(forActive: LiveGraph.speakerLinks + [LiveGraph.captureLink] + LiveGraph.referenceLinks)
      let before = files(live.session.path)
      probe.start()
      try live.session.wait(for: "the canceller to have learnt") { probe.elapsed > 6 * 48_000 }
      try begin(live, seconds: 2)
      #expect(live.service.beginAudition(seconds: 2).refusal?.contains("already") == true)
      try wait(live, for: .recording)
      let silentFrom = probe.elapsed
      try wait(live, for: .voice)
      #expect(files(live.session.path) == before, "nothing is on disk")
      let silentTo = probe.elapsed
      try wait(live, for: .done)
      let over = probe.elapsed
      probe.end(after: 2 * 48_000)
      let recording = try probe.finish()
      // While nodes are linked, as for what is to be heard, the daemon may leave a client's node out of a cycle, the probe's, too.
      let (lost, drivers) = (recording.lostFrames, recording.driverChanges)
      #expect(drivers == 0 && lost <= 1_024, "\(lost) frames are lost, and the driver changed \(drivers) times")
      let voice = try #require(recording.samples["voice"]), microphone = try #require(recording.samples["microphone"])
      let speaker = try #require(recording.samples["speaker"])
      #expect(Measures.level(voice[(4 * 48_000)..<(6 * 48_000)]) > -40, "others hear the near end before")
      #expect(voice[silentFrom..<silentTo].allSatisfy { $0 == 0 }, "and nothing meanwhile")
      #expect(Measures.level(voice[(over + 24_000)...]) > -40, "and again afterwards")

      // The far end is on the left only: on the right is what nearend plays back.
      let sounding = speaker.indices.filter { abs(speaker[$0]) > 1e-4 }
      let first = try #require(sounding.first), last = try #require(sounding.last)
      let pause = try #require(
        (first..<last - 4_800).first { start in start > first + 90_000 && speaker[start..<start + 4_800].allSatisfy { abs($0) < 1e-6 } })
      let second = try #require(speaker[(pause + 4_800)...].firstIndex { abs($0) > 1e-4 })
      print("listen: raw from \(first), voice from \(second)")
      // Behind the fade of its beginning.
      let place = try #require(find(speaker[(first + 40_000)..<(first + 40_200)], in: microphone), "the raw microphone is played")
      #expect((silentFrom - 60_000..<silentTo).contains(place))
      let raw = Array(microphone[(place - 35_000)..<(place + 45_000)])
      let clean = Array(near[(place - 35_000)..<(place + 45_000)])
      // The voice begins where the raw one did, give or take the silence at its beginning.
      let played = Array(speaker[max(0, second - 4_000)..<min(speaker.count, second + 96_000)])
      let rawLag = try #require(Measures.lag(of: raw, after: clean, most: 4_800))
      let lag = try #require(Measures.lag(of: played, after: clean, most: 48_000))
      print("listen: of the near end, the raw has a share of \(rawLag.correlation), the voice of \(lag.correlation)")
      #expect(lag.correlation > rawLag.correlation, "there is less echo in the voice")

      let status = try #require(live.service.snapshot().audition)
      let findings = try #require(status.findings)
      print("listen: \(findings.lines)")
      #expect(findings.hadFarEnd && (findings.echoReduction ?? 0) > 10)
      #expect((findings.voiceLevel ?? -120) > -45 && (findings.microphoneLevel ?? -120) > -45)
      #expect(live.service.audition?.picture.points.count == 10)
    }

    @Test(
      "L4: without a call: devices are opened for it, and closed afterwards; ended half way, recording or playing, it is as it was before")
    func alone() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      let noise = Signals.noise(frames: 120 * 48_000)
      let talker = try live.probe("talker", play: ["near": noise], record: ["speaker"], frames: noise.count)
      try live.link([(talker.playPort("near"), "hw.mic:input_MONO"), ("hw.speaker:monitor_FL", talker.recordPort("speaker"))])
      talker.start()
      #expect(live.service.beginAudition(seconds: 31).refusal?.contains("give 1 to 30") == true)
      try begin(live, seconds: 1)
      try wait(live, for: .done)
      try expectRest(live)
      #expect(live.service.snapshot().log.contains { $0.message.hasPrefix("hear yourself: done") })

      for phase in [AuditionStatus.Phase.preparing, .recording, .microphone, .voice] {
        try begin(live, seconds: 2)
        try wait(live, for: phase)
        live.service.perform(.stopListening)
        try wait(live, for: .ended)
        #expect(live.service.snapshot().audition?.reason == "it was stopped")
        try expectRest(live)
      }
      withExtendedLifetime(talker) {}
    }

    @Test("D1 L4: muted so that the microphone is closed: it is opened for it, and closed again; the mute stays")
    func mutedAndClosed() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      live.service.perform(.set(.microphoneMuteMode, "restart"))
      live.service.perform(.set(.microphoneMuted, true))
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try live.wait(for: "the speaker's links") { $0.graph.renderLinks > 0 }
      #expect(live.service.snapshot().graph.captureLinks == 0)
      try begin(live, seconds: 1)
      try wait(live, for: .recording)
      #expect(live.service.snapshot().graph.captureLinks == 1)
      try wait(live, for: .done)
      try live.wait(for: "the microphone to be closed") { $0.graph.captureLinks == 0 && $0.session.isMicrophoneMuted }
      #expect(live.service.snapshot().audition?.findings?.isMuted == true)
    }

    @Test("I2 R4: a device that is unplugged and a daemon that goes away end it, with the reason, and leave nothing")
    func interrupted() throws {
      let live = try LiveGraph(.desk([.laptop, .usb]))
      defer { live.stop() }
      let desk = try #require(live.session.desk)
      try live.wait(for: "the headset") {
        $0.route.microphone?.name.contains("usb") == true || $0.route.devices.contains { $0.name.contains("usb") }
      }
      for end in [Device.Direction.input, .output] {
        let name = try #require(live.service.snapshot().route.devices.first { $0.direction == end && $0.name.contains("usb") }?.name)
        live.service.perform(.set(end.setting, .string(name)))
      }
      try live.wait(for: "the headset to be used") { $0.route.microphone?.name.contains("usb") == true }
      try begin(live, seconds: 10)
      try wait(live, for: .recording)
      desk.unplug(.usb)
      try wait(live, for: .ended)
      let reason = try #require(live.service.snapshot().audition?.reason)
      #expect(reason.contains("microphone") && reason.contains("usb"), "\(reason)")
      try expectRest(live)

      try begin(live, seconds: 10)
      try wait(live, for: .recording)
      live.session.stop(.pipewire)
      try wait(live, for: .ended)
      #expect(live.service.snapshot().audition?.reason?.contains("interrupted") == true)
      #expect(!live.service.core.audition.holdsRecording && !live.service.core.controls.isAuditioned)
      #expect(live.service.beginAudition(seconds: 1).refusal?.contains("interrupted") == true)
    }
  }
}
