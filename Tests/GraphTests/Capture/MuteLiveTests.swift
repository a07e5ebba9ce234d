import Foundation
import Nearend
import RealtimeCore
import SessionModel
import Synchronization
import Testing

@testable import SimulatedHardware

/// Counts the cycles until the voice sounds, or is silent, on the audio thread itself.
private final class VoiceClock: Sendable {
  private let isArmed = Atomic(false)
  private let wantsSound = Atomic(false)
  private let counted = Atomic(0)
  private let answer = Atomic(0)
  private let core: AudioCore

  init(_ core: AudioCore) {
    self.core = core
    core.source.attach(
      { context, samples, frames, _, _, _ in
        let clock = Unmanaged<VoiceClock>.fromOpaque(context!).takeUnretainedValue()
        guard clock.isArmed.load(ordering: .acquiring), clock.answer.load(ordering: .relaxed) == 0 else { return }
        let cycles = clock.counted.add(1, ordering: .relaxed).newValue
        // Only the second half: the state at the end of the cycle.
        var peak: Float = 0
        for i in frames / 2..<frames { peak = max(peak, abs(samples[i])) }
        if (peak > 0.01) == clock.wantsSound.load(ordering: .relaxed) { clock.answer.store(cycles, ordering: .relaxed) }
      }, context: Unmanaged.passUnretained(self).toOpaque())
  }

  func end() { core.source.detach() }

  /// Cycles after `change` until the voice is as wanted; nil if it is not within 5 s.
  func cycles(untilSound wanted: Bool, after change: () -> Void) -> Int? {
    wantsSound.store(wanted, ordering: .relaxed)
    counted.store(0, ordering: .relaxed)
    answer.store(0, ordering: .relaxed)
    isArmed.store(true, ordering: .releasing)
    change()
    defer { isArmed.store(false, ordering: .releasing) }
    let end = Date().addingTimeInterval(5)
    while answer.load(ordering: .relaxed) == 0, Date() < end { usleep(500) }
    let cycles = answer.load(ordering: .relaxed)
    return cycles == 0 ? nil : cycles
  }
}

extension GraphTests {
  @Suite("Mute, live", .serialized)
  struct MuteLive {
    /// Starts a call with a near end that talks all the time; voice processing is bypassed, so that the output is known.
    private func talk(_ live: LiveGraph, seconds: Int = 30) throws -> GraphProbe {
      live.service.perform(.set(.bypassVoiceProcessing, true))
      let noise = Signals.noise(frames: seconds * 48_000)
      let talker = try live.probe("talker", play: ["near": noise], record: ["speaker"], frames: noise.count)
      try live.link([(talker.playPort("near"), "hw.mic:input_MONO"), ("hw.speaker:monitor_FL", talker.recordPort("speaker"))])
      return talker
    }

    private func captureLinks(_ live: LiveGraph) -> Int { live.service.snapshot().graph.captureLinks }

    @Test(
      "D1: cycles to mute and to unmute in each mode, with the link there or not; S8: at once, prepared, also after the last media has gone"
    )
    func cyclesToUnmute() throws {
      let live = try LiveGraph(.hardware, quantum: 256)
      defer { live.stop() }
      let talker = try talk(live)
      defer { withExtendedLifetime(talker) {} }
      live.service.session.send(.registerMedia(id: "mic", isSend: true, isReceive: false))
      try live.wait(forActive: [LiveGraph.captureLink])
      try live.wait(for: "cycles") { $0.graph.cycles > 10 }
      talker.start()
      let clock = VoiceClock(live.service.core)
      defer { clock.end() }
      try live.wait(for: "the voice") { $0.processing.voiceLevel > -30 }
      for mode in MicrophoneMuteMode.allCases {
        live.service.perform(.set(.microphoneMuteMode, EventValue(mode)))
        var (mutes, unmutes): ([Int], [Int]) = ([], [])
        for _ in 0..<4 {
          mutes.append(try #require(clock.cycles(untilSound: false) { live.service.perform(.set(.microphoneMuted, true)) }))
          let links = mode == .restart ? 0 : 1
          try live.wait(for: "\(links) links of the microphone") { $0.graph.captureLinks == links }
          // The graph keeps running: application audio is heard meanwhile.
          let cycles = live.service.snapshot().graph.cycles
          try live.wait(for: "more cycles") { $0.graph.cycles > cycles + 20 }
          unmutes.append(try #require(clock.cycles(untilSound: true) { live.service.perform(.set(.microphoneMuted, false)) }))
          try live.wait(for: "the microphone's link") { $0.graph.captureLinks == 1 }
        }
        print("D1 live, quantum 256, \(mode.rawValue): cycles to mute \(mutes), to unmute \(unmutes)")
        // The first cycle counted is the one in progress. The second smallest count is the mode's own: a busy machine adds cycles to some
        // changes, and a cycle that it takes from the talker is silent, too.
        let (mute, unmute) = (mutes.sorted()[1], unmutes.sorted()[1])
        // A mute before processing is heard later by the processing's latency.
        let passage = live.service.snapshot().graph.captureLatency / 256 + 1
        switch mode {
        case .voiceProcessing: #expect(mute <= 3 && unmute <= 2, "\(mutes) \(unmutes)")
        case .inputMixer:
          #expect(passage >= 2)
          #expect((passage...passage + 3).contains(mute) && (passage...passage + 3).contains(unmute), "\(mutes) \(unmutes)")
        case .restart: #expect(mute <= 3 && unmute >= passage, "\(mutes) \(unmutes)")
        }
      }

      // S8: silent only because nobody listens.
      live.service.perform(.set(.microphoneMuteMode, "voiceProcessing"))
      live.service.perform(.set(.recordingAlwaysPrepared, true))
      live.service.session.send(.unregisterMedia(id: "mic"))
      try live.wait(for: "silence") { $0.processing.voiceLevel < -60 }
      var first: [Int] = []
      for _ in 0..<3 {
        #expect(captureLinks(live) == 1, "the link stays after the last media")
        first.append(
          try #require(
            clock.cycles(untilSound: true) { live.service.session.send(.registerMedia(id: "mic", isSend: true, isReceive: false)) }))
        _ = try #require(clock.cycles(untilSound: false) { live.service.session.send(.unregisterMedia(id: "mic")) })
      }
      print("S8 live, quantum 256: cycles from registration to the first sound \(first)")
      #expect(try #require(first.min()) <= 2, "\(first)")
      live.service.perform(.set(.recordingAlwaysPrepared, false))
      try live.wait(for: "everything to be handed back") {
        $0.graph.captureLinks == 0 && $0.graph.renderLinks == 0 && $0.session.state == .idle
      }
      try live.session.wait(for: "nearend's nodes to rest") { try GraphDump(live.session).ourNodes.allSatisfy { $0.state != "running" } }
    }

    @Test("D1: muted in mode restart, the real microphone's node is suspended; a mute of the card shows, once")
    func suspended() throws {
      let live = try LiveGraph(.desk([.laptop]))
      defer { live.stop() }
      live.service.perform(.set(.microphoneMuteMode, "restart"))
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try live.wait(for: "the microphone's links") { $0.graph.captureLinks > 0 }
      let name = try #require(live.service.snapshot().route.microphone?.name)
      func state() throws -> String? { try GraphDump(live.session).node(name)?.state }
      try live.session.wait(for: "the microphone to run") { try state() == "running" }
      live.service.perform(.set(.microphoneMuted, true))
      live.service.perform(.set(.microphoneMuted, true))
      try live.session.wait(for: "the microphone to be suspended") { try state() == "suspended" }
      #expect(live.service.snapshot().log.count { $0.message == "microphone muted" } == 1)
      live.service.perform(.set(.microphoneMuted, false))
      try live.session.wait(for: "the microphone to run again") { try state() == "running" }

      let id = try #require(try GraphDump(live.session).node(name)?.id)
      for isMuted in [true, false] {
        var said = ""
        do {
          // Repeated, because the session manager, which has just opened the card, may have restored its own value.
          try live.session.wait(for: "the card's mute") { () throws -> Bool in
            if live.service.snapshot().route.volumes.microphone.isMuted == isMuted { return true }
            #expect(try live.session.run("wpctl", "set-mute", "\(id)", isMuted ? "1" : "0").succeeded)
            said = try live.session.run("wpctl", "get-volume", "\(id)").output
            return false
          }
        } catch {
          let now = live.service.snapshot()
          Issue.record("mute \(isMuted): \(error); wpctl says \(said) of \(id); \(now.route); \(now.log.suffix(10).map(\.message))")
          return
        }
        #expect(!live.service.snapshot().session.isMicrophoneMuted)
      }
      #expect(live.service.snapshot().log.count { $0.message.contains("real microphone is") } == 2)
    }

    @Test("S5, D1: muted in mode restart, the real microphone is not suspended while configuration is off, and is once it is on")
    func leftAlone() throws {
      let session = try LiveGraph.ownSession()
      defer { session.end() }
      let live = try LiveGraph(.hardware, in: session)
      defer { live.stop() }
      // Session managers suspend idle devices, too.
      session.stop(.wireplumber)
      live.service.session.send(.setAutomaticConfiguration(false))
      live.service.perform(.set(.microphoneMuteMode, "restart"))
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      func state() throws -> String? { try GraphDump(session).node("hw.mic")?.state }
      // Something other than a session manager makes the links, once.
      try live.link([LiveGraph.captureLink])
      try session.wait(for: "the microphone to run") { try state() == "running" }
      #expect(try session.run("pw-link", "--disconnect", LiveGraph.captureLink.0, LiveGraph.captureLink.1).succeeded)
      try session.wait(for: "the microphone to rest") { try state() == "idle" }
      for isMuted in [true, false, true] {
        live.service.perform(.set(.microphoneMuted, .bool(isMuted)))
        // Reported after the reconciliation that the mute causes.
        try session.wait(for: "the mute to be told") {
          try session.run("pw-dump", []).output.replacing(/\s+/, with: " ").contains("\"microphoneMuted\", \(isMuted)")
        }
        #expect(try state() == "idle")
      }
      live.service.session.send(.setAutomaticConfiguration(true))
      try session.wait(for: "the microphone to be suspended") { try state() == "suspended" }
    }

    @Test("V10, V11: the canceller is told how much louder or softer the real speaker becomes, by a mixer or a mute")
    func speakerGain() throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      live.service.session.send(.registerMedia(id: "call", isSend: true, isReceive: true))
      try live.wait(for: "the links") { $0.graph.captureLinks > 0 && $0.graph.renderLinks > 0 }
      func set(_ volume: String) throws { #expect(try live.session.run("pactl", "set-sink-volume", "hw.speaker", volume).succeeded) }
      func wait(for gain: Double) throws {
        try live.wait(for: "the gain \(gain)") { _ in abs(live.service.core.controls.speakerGain / gain - 1) < 0.01 }
      }
      try set("100%")
      try live.wait(for: "the volume") { $0.route.volumes.speaker.volume == 1 }
      let whole = live.service.core.controls.speakerGain
      // Percents are cube roots of gains.
      try set("50%")
      try wait(for: 0.125 * whole)
      #expect(try live.session.run("pactl", "set-sink-mute", "hw.speaker", "1").succeeded)
      try wait(for: 0.001 * whole)
      #expect(try live.session.run("pactl", "set-sink-mute", "hw.speaker", "0").succeeded)
      try set("100%")
      try wait(for: whole)
    }

    @Test("D1: volume and mute of Nearend Speaker and Nearend Microphone, set by wpctl and pactl, work on the audio and show")
    func mixers() throws {
      let live = try LiveGraph(.exactPulse, quantum: 256, usesVoiceProcessing: false)
      defer { live.stop() }
      let noise = Signals.noise(frames: 12_000)
      var run = 0
      func levels() throws -> (microphone: Double, speaker: Double) {
        run += 1
        let probe = try live.probe(
          "probe\(run)", play: ["near": noise, "far": noise], record: ["voice", "speaker"], frames: noise.count)
        try live.link([
          (probe.playPort("near"), "hw.mic:input_MONO"), (probe.playPort("far"), "nearend.speaker:playback_FL"),
          ("nearend.microphone:capture_MONO", probe.recordPort("voice")), ("nearend:speaker_FL", probe.recordPort("speaker")),
        ])
        try live.wait(forActive: [LiveGraph.captureLink] + LiveGraph.speakerLinks)
        let recording = try probe.run()
        #expect(recording.isExact, "\(recording.lostFrames) frames are lost")
        func level(_ port: String) -> Double { 10 * log10(max(Measures.power(recording.samples[port]!), 1e-12) / Measures.power(noise)) }
        return (level("voice"), level("speaker"))
      }
      func volumes() -> VolumesStatus { live.service.snapshot().route.volumes }
      func id(_ name: String) throws -> String {
        var id: Int?
        try live.session.wait(for: name) {
          id = try GraphDump(live.session).node(name)?.id
          return id != nil
        }
        return "\(try #require(id))"
      }

      let plain = try levels()
      #expect(abs(plain.microphone) < 0.5 && abs(plain.speaker) < 0.5, "\(plain)")
      // Mixers' scale is cubic: one half is 18.06 dB less.
      #expect(try live.session.run("wpctl", "set-volume", id("nearend.speaker"), "0.5").succeeded)
      #expect(try live.session.run("pactl", "set-source-volume", "nearend.microphone", "50%").succeeded)
      try live.wait(for: "the volumes") {
        abs($0.route.volumes.nearendSpeaker.volume - 0.5) < 0.01 && abs($0.route.volumes.nearendMicrophone.volume - 0.5) < 0.01
      }
      let half = try levels()
      #expect(abs(half.microphone + 18.06) < 0.5 && abs(half.speaker + 18.06) < 0.5, "\(half)")
      #expect(try live.session.run("wpctl", "set-mute", id("nearend.microphone"), "1").succeeded)
      #expect(try live.session.run("pactl", "set-sink-mute", "nearend.speaker", "1").succeeded)
      try live.wait(for: "the mutes") { $0.route.volumes.nearendSpeaker.isMuted && $0.route.volumes.nearendMicrophone.isMuted }
      let muted = try levels()
      #expect(muted.microphone < -80 && muted.speaker < -80, "\(muted)")
      for (name, kind) in [("nearend.microphone", "source"), ("nearend.speaker", "sink")] {
        #expect(try live.session.run("pactl", "set-\(kind)-mute", name, "0").succeeded)
        #expect(try live.session.run("pactl", "set-\(kind)-volume", name, "100%").succeeded)
      }
      try live.wait(for: "all of it undone") { _ in volumes() == VolumesStatus() }
    }
  }
}
