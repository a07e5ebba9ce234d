import Foundation
import Nearend
import Platform
import SessionModel
import Testing

@testable import SimulatedHardware

extension GraphTests {
  /// Other applications on the real speaker while a call is up.
  @Suite("Ducking", .serialized)
  struct Ducking {
    private func with(_ body: (LiveGraph, Music) throws -> Void) throws {
      let live = try LiveGraph(.hardware)
      defer { live.stop() }
      try body(live, Music(session: live.session))
    }

    @Test("D3: music on the real speaker in every level, fixed and by voice activity: before, during and after a call")
    func levels() throws {
      try with { live, music in
        let player = try music.play()
        defer { player.end() }
        let before = try music.wait(for: "the music", level: -12.04, within: 0.05)
        let (set, device) = (try music.volumes(of: "music"), try music.volumes(of: "hw.speaker"))
        #expect(set != nil && device != nil)
        let call = try music.startCall()
        var table: [String] = []
        for (isAdvanced, hasVoice) in [(false, false), (true, true), (true, false)] {
          try live.service.set(.isAdvancedDuckingEnabled, to: .bool(isAdvanced))
          // The far end: a tone different from the music's.
          let voice = hasVoice ? try music.play("voice", frequency: 250, target: "nearend.speaker") : nil
          // In order, so that each step goes to the next level and not to the other extreme.
          for level in hasVoice ? DuckingLevel.allCases.reversed() : DuckingLevel.allCases {
            try live.service.set(.duckingLevel, to: .string(level.rawValue))
            let gain = DuckingSettings(level: level, isAdvanced: isAdvanced).gain(hasVoice: hasVoice)
            let during = try music.wait(for: "\(level), advanced \(isAdvanced), voice \(hasVoice)", level: before + gain)
            let status = live.service.snapshot().ducking
            #expect(status.isActive && status.gain == gain && status.streams == ["pw-play"], "\(status)")
            #expect(try music.volumes(of: "music") == set, "what is set is not written")
            table.append("\(level.rawValue), advanced \(isAdvanced), voice \(hasVoice): \(fixed(before, 1)) → \(fixed(during, 1)) dB")
          }
          voice?.end()
        }
        call.end()
        let after = try music.wait(for: "the call's end", level: before)
        try live.wait(for: "everything to be restored") { $0.ducking.streams.isEmpty && !$0.ducking.isActive }
        try music.wait(for: "exactly that level", level: before, within: 0.01)
        #expect(try music.volumes(of: "music") == set)
        #expect(try music.volumes(of: "hw.speaker") == device, "the device's own volume is never touched")
        print("Ducking:\n\(table.joined(separator: "\n"))\nafter: \(fixed(after, 1)) dB")
      }
    }

    @Test("S5, D3: with automatic configuration off a call ducks nobody; switched on it does, and off again it restores")
    func automaticConfigurationOff() throws {
      try with { live, music in
        let player = try music.play()
        defer { player.end() }
        let before = try music.wait(for: "the music", level: -12.04, within: 0.05)
        try live.service.set(.duckingLevel, to: .string("default"))
        live.service.session.send(.setAutomaticConfiguration(false))
        live.service.session.send(.registerMedia(id: "call", isSend: false, isReceive: true))
        live.service.session.send(.setAutomaticConfiguration(true))
        try music.wait(for: "a call that nearend manages", level: before - 9)
        live.service.session.send(.setAutomaticConfiguration(false))
        try music.wait(for: "one that it does not", level: before)
        #expect(!live.service.snapshot().ducking.isActive)
        live.service.session.send(.unregisterMedia(id: "call"))
      }
    }

    @Test("D3: a volume moved in a call is heard as chosen, in the call and afterwards; the next call ducks it")
    func userWins() throws {
      try with { live, music in
        let player = try music.play()
        defer { player.end() }
        let before = try music.wait(for: "the music", level: -12.04, within: 0.05)
        let id = try music.id(of: "music")
        try live.service.set(.duckingLevel, to: .string("default"))
        let call = try music.startCall()
        try music.wait(for: "the call", level: before - 9)
        // After the time in which a new stream settles.
        let settled = Date() + StreamDucking.settlingTime + 0.5
        try live.session.wait(for: "the stream to have settled") { Date() > settled }
        _ = try live.session.run("wpctl", "set-volume", id, "0.5")  // cubic: −18.06 dB
        try music.wait(for: "the user's volume", level: before - 18.06)
        let chosen = try music.volumes(of: "music")
        try live.wait(for: "the stream to be let alone") { $0.ducking.streams.isEmpty && $0.ducking.isActive }
        #expect(live.service.snapshot().log.contains { $0.message.contains("volume changed during the call") })
        try live.service.set(.duckingLevel, to: .string("max"))
        call.end()
        try live.wait(for: "the call's end") { !$0.ducking.isActive }
        try music.wait(for: "the user's volume still", level: before - 18.06)
        #expect(try music.volumes(of: "music") == chosen)
        try live.service.set(.duckingLevel, to: .string("default"))
        let next = try music.startCall()
        try music.wait(for: "the next call", level: before - 18.06 - 9)
        next.end()
        try music.wait(for: "its end", level: before - 18.06)
        _ = try live.session.run("wpctl", "set-volume", id, "1.0")
        try music.wait(for: "the volume as it was", level: before)
      }
    }

    @Test("D3: a stream that comes in a call is lowered too; one that ended while it was lowered comes back as loud as it was set")
    func comesAndGoes() throws {
      try with { live, music in
        try live.service.set(.duckingLevel, to: .string("default"))
        let call = try music.startCall()
        try live.wait(for: "the call") { $0.ducking.isActive }
        let player = try music.play()
        try music.wait(for: "a stream that comes in a call", level: -12.04 - 9)
        player.end()
        // The session manager saves what it remembers of streams a second after their last change.
        try live.wait(for: "the stream to be gone") { $0.ducking.streams.isEmpty }
        call.end()
        try live.wait(for: "the call's end") { !$0.ducking.isActive }
        let again = try music.play()
        defer { again.end() }
        try music.wait(for: "the level that was set", level: -12.04, within: 0.1)
      }
    }

    @Test("D3: other programs' calls are not ducked, and nothing is while voice processing is not in use")
    func letAlone() throws {
      try with { live, music in
        try live.service.set(.duckingLevel, to: .string("default"))
        let phone = try music.play("phone", frequency: 500, role: "Communication")
        defer { phone.end() }
        let before = try music.wait(for: "the other call", level: -12.04, of: 500, within: 0.05)
        let call = try music.startCall()
        defer { call.end() }
        let player = try music.play()
        defer { player.end() }
        try music.wait(for: "the music", level: -12.04 - 9)
        try music.wait(for: "the other call", level: before, of: 500, within: 0.01)
        live.service.session.send(.setVoiceProcessingEnabled(false))
        try music.wait(for: "no ducking without voice processing", level: -12.04)
      }
    }

    @Test("D3 S8: prepared recording alone does not duck: nobody is lowered before or after a call")
    func prepared() throws {
      try with { live, music in
        try live.service.set(.duckingLevel, to: .string("default"))
        let player = try music.play()
        defer { player.end() }
        let before = try music.wait(for: "the music", level: -12.04, within: 0.05)
        live.service.perform(.set(.recordingAlwaysPrepared, true))
        try live.wait(for: "the microphone") { $0.graph.captureLinks > 0 }
        #expect(!live.service.snapshot().ducking.isActive)
        let call = try music.startCall()
        try music.wait(for: "the call", level: before - 9)
        call.end()
        try music.wait(for: "the call's end", level: before, within: 0.01)
        try live.wait(for: "recording to be prepared still") { !$0.ducking.isActive && $0.graph.captureLinks > 0 }
      }
    }

    @Test("D3: audio that a program in the call plays on the real speaker is its side of the call, and not ducked")
    func partOfTheCall() throws {
      try with { live, music in
        let player = try music.play()
        defer { player.end() }
        // One program with two streams: it records from nearend, and plays something else.
        let program = try live.session.spawn(
          "pw-loopback",
          [
            "--capture-props", "node.name=program.in target.object=nearend.microphone", "--playback-props",
            "node.name=program.out target.object=hw.speaker",
          ])
        defer { program.end() }
        try live.session.wait(for: "both streams") {
          let links = try live.session.links().keys
          return links.contains { $0.to.hasPrefix("program.in:") } && links.contains { $0.from.hasPrefix("program.out:") }
        }
        try live.wait(for: "the music to be lowered") { $0.ducking.streams == ["pw-play"] && $0.ducking.gain == -3 }
      }
    }

    @Test(
      "D3: when the call goes to another speaker, what plays on the first is as loud as before; when it comes back, it is lowered again")
    func anotherSpeaker() throws {
      let live = try LiveGraph(.twoSpeakers)
      defer { live.stop() }
      let music = Music(session: live.session)
      try live.service.set(.duckingLevel, to: .string("default"))
      let player = try music.play()
      defer { player.end() }
      let call = try music.startCall()
      defer { call.end() }
      try music.wait(for: "the call", level: -12.04 - 9)
      live.service.perform(.set(.speaker, "hw.second"))
      try music.wait(for: "another speaker", level: -12.04)
      #expect(live.service.snapshot().ducking.streams == [] && live.service.snapshot().ducking.isActive)
      live.service.perform(.set(.speaker, ""))
      try music.wait(for: "the first again", level: -12.04 - 9)
      let settled = Date() + StreamDucking.settlingTime + 0.5
      try live.session.wait(for: "the stream to have settled") { Date() > settled }
      _ = try live.session.run("wpctl", "set-volume", try music.id(of: "music"), "0.5")
      try live.wait(for: "the stream to be let alone") { now in now.log.contains { $0.message.contains("volume changed during the call") } }
      live.service.perform(.set(.speaker, "hw.second"))
      try live.wait(for: "another speaker") { $0.route.speaker?.name == "hw.second" }
      live.service.perform(.set(.speaker, ""))
      try live.wait(for: "the first again") { $0.route.speaker?.name == "hw.speaker" && $0.graph.renderLinks == 2 }
      let later = live.service.snapshot().graph.cycles + 50
      try live.wait(for: "some cycles") { $0.graph.cycles > later }
      #expect(live.service.snapshot().ducking.streams == [], "who moved the volume is let alone in this call, wherever it played meanwhile")
    }

    @Test("D3: a PulseAudio application is lowered like any; its mixer shows what was set, and what is chosen there is heard")
    func pulse() throws {
      try with { live, music in
        try live.service.set(.duckingLevel, to: .string("default"))
        let file = try music.file("music", frequency: Music.frequency)
        let player = try live.session.spawn("paplay", ["--device=hw.speaker", file])
        defer { player.end() }
        func index() throws -> String {
          String(try live.session.run("pactl", "list", "short", "sink-inputs").output.prefix { $0.isNumber })
        }
        try live.session.wait(for: "the player") { try !index().isEmpty }
        _ = try live.session.run("pactl", "set-sink-input-volume", index(), "50%")  // cubic: −18.06 dB
        let before = try music.wait(for: "its volume", level: -12.04 - 18.06)
        func mixer() throws -> [String] {
          try live.session.run("pactl", "list", "sink-inputs").output.split(separator: "\n").filter { $0.contains("Volume:") }.map(
            String.init)
        }
        let shown = try mixer()
        #expect(shown.count == 1 && shown[0].contains("50%"))
        let call = try music.startCall()
        try music.wait(for: "the call", level: before - 9)
        #expect(try mixer() == shown)
        let settled = Date() + StreamDucking.settlingTime + 0.5
        try live.session.wait(for: "the stream to have settled") { Date() > settled }
        _ = try live.session.run("pactl", "set-sink-input-volume", index(), "100%")
        try music.wait(for: "what was chosen", level: -12.04)
        call.end()
        try live.wait(for: "the call's end") { !$0.ducking.isActive }
        try music.wait(for: "the level that was set", level: -12.04, within: 0.1)
      }
    }

    @Test(
      "D3: the way down and up has no audible steps: nothing beyond 300 Hz from a tone comes within 50 dB of it", arguments: [1_024, 4_096])
    func smooth(latency: Int) throws {
      try with { live, music in
        try live.service.set(.duckingLevel, to: .string("max"))
        let player = try music.play(latency: latency)
        defer { player.end() }
        let call = try music.startCall()
        let heard = try music.record(seconds: 2)
        let quantum = live.service.snapshot().graph.quantum
        call.end()
        let after = try music.record(seconds: 2)
        for (name, recording) in [("down", heard), ("up", after)] {
          let levels = stride(from: 0, to: recording.count - 4_800, by: 4_800).map { Music.level(recording[$0..<$0 + 4_800]) }
          #expect(levels.max()! - levels.min()! > 3, "there is a way \(name)")
          let splatter = Self.splatter(recording)
          print("Splatter on the way \(name), at a quantum of \(quantum): \(fixed(splatter.max() ?? 0, 1)) dB in \(splatter.count) windows")
          #expect(splatter.count >= 20, "enough of the way was heard whole")
          #expect(splatter.max() ?? 0 < -50)
        }
      }
    }

    /// The strongest bin more than 300 Hz from the tone, relative to the tone in the same 85 ms, in dB; of each window that is whole.
    private static func splatter(_ samples: [Float]) -> [Double] {
      let size = 4_096
      let transform = BufferedFourierTransform(size: size)
      let bin = 48_000 / Double(size)
      return stride(from: 0, through: samples.count - size, by: size / 4).compactMap { start -> Double? in
        guard isWhole(samples[start..<start + size]) else { return nil }
        for i in 0..<size {
          // Blackman and Harris' window, 92 dB.
          let x = 2 * Double.pi * Double(i) / Double(size)
          let window: Double = 0.35875 - 0.48829 * cos(x) + 0.14128 * cos(2 * x) - 0.01168 * cos(3 * x)
          transform.samples[i] = samples[start + i] * Float(window)
        }
        transform.forward()
        let powers = (0..<transform.bins).map { index -> Double in
          let (re, im) = (Double(transform.re[index]), Double(transform.im[index]))
          return re * re + im * im
        }
        let tone = powers.max() ?? 0
        guard tone > 1 else { return nil }
        let other = powers.indices.filter { abs(Double($0) * bin - Music.frequency) > 300 }.map { powers[$0] }.max() ?? 0
        return 10 * log10(other / tone)
      }
    }

    /// Returns whether the tone's periods are continuous. A cycle that a busy machine loses shifts the phase of all later ones, or leaves
    /// silence; a volume, however abrupt, changes at most the period that it falls into.
    private static func isWhole(_ window: ArraySlice<Float>) -> Bool {
      let period = Int(48_000 / Music.frequency)
      let phases: [(phase: Double, power: Double)] = stride(from: window.startIndex, through: window.endIndex - period, by: period).map {
        start in
        var (re, im) = (0.0, 0.0)
        for i in start..<start + period {
          let x = 2 * Double.pi * Double(i % period) / Double(period)
          re += Double(window[i]) * cos(x)
          im += Double(window[i]) * sin(x)
        }
        return (atan2(im, re), re * re + im * im)
      }
      func follows(_ period: (phase: Double, power: Double)) -> Bool {
        period.power > 1e-9 && abs(remainder(period.phase - phases[0].phase, 2 * .pi)) < 0.05
      }
      return follows(phases[phases.count - 1]) && phases.count { !follows($0) } <= 2
    }

    @Test("D3: killed in a call, nearend leaves streams lowered; the next start makes them as loud as they were")
    func crash() throws {
      let session = try LiveGraph.session(.hardware)
      let music = Music(session: session)
      let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path + "/nearend"
      let player = try music.play()
      defer { player.end() }
      let before = try music.wait(for: "the music", level: -12.04, within: 0.05)
      let set = try music.volumes(of: "music")
      var nearend = try session.spawn(program, ["--headless"])
      try session.wait(forPorts: ["nearend.microphone:capture_MONO"])
      #expect(try session.run(program, "set", "duckingLevel", "max").succeeded)
      let call = try music.startCall()
      try music.wait(for: "the call", level: before - 24)
      nearend.signal(SIGKILL)
      _ = nearend.wait()
      call.end()
      try music.wait(for: "what nobody is there to bring back", level: before - 24, within: 0.1)
      let file = "\(session.path)/state/nearend/restore.json"
      #expect(text(ofFile: file)?.contains("pw-play") == true)
      nearend = try session.spawn(program, ["--headless"])
      try music.wait(for: "the next start", level: before)
      #expect(try music.volumes(of: "music") == set)
      try session.wait(for: "nothing to be left to bring back") { text(ofFile: file) == nil }
      nearend.end()
      try session.wait(for: "nearend to be gone") { try GraphDump(session).ourNodes.isEmpty }
    }
  }
}
