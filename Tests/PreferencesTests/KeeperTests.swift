import Foundation
import Nearend
import RTP
import SessionModel
import TestSupport
import Testing

@testable import Preferences

/// A service without a daemon, with its own configuration and remembered settings.
final class Kept {
  let folder: String
  let service: NearendService
  private(set) var keeper: PreferenceKeeper?
  var configuration: String { "\(folder)/config/nearend/nearend.toml" }
  var remembered: RememberedFile { RememberedFile(path: "\(folder)/state/nearend/remembered.json") }

  init(folder: String? = nil, _ text: String? = nil, commandLine: [Setting: EventValue] = [:]) throws {
    self.folder = folder ?? FileManager.default.temporaryDirectory.appending(path: "nearend-\(UInt64.random(in: .min ... .max))").path
    service = try NearendService(NearendOptions())
    try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
    if let text { try write(text) }
    let layers = Layers(
      commandLine: commandLine, configuration: try Configuration(path: configuration),
      remembered: try remembered.read { Issue.record("\($0)") } ?? Remembered())
    let keeper = PreferenceKeeper(service, layers: layers, configuration: configuration, remembered: remembered)
    keeper.start()
    self.keeper = keeper
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(atPath: folder)
  }

  func stop() {
    keeper?.stop()
    keeper = nil
    service.stop()
  }

  /// Writes the file as an editor does: a new file, renamed over the old one.
  func write(_ text: String, mode: mode_t = 0o644) throws {
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: configuration).deletingLastPathComponent().path, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(configuration)~"))
    chmod("\(configuration)~", mode)
    guard rename("\(configuration)~", configuration) == 0 else { throw POSIXError(.EIO) }
  }

  func has(_ setting: Setting, _ value: EventValue) -> Bool { eventually { self.service.value(of: setting) == value } }
  func says(_ words: String) -> Bool { eventually { self.service.snapshot().log.contains { $0.message.contains(words) } } }
}

@Suite("Preference keeper")
struct KeeperTests {
  @Test(
    "O4: a service starts with the file, and follows it when it is created, changed, replaced, invalid, valid again and gone")
  func configuration() throws {
    let kept = try Kept()
    #expect(kept.service.value(of: .noiseSuppression) == .bool(true))
    try kept.write("ns = false\n")
    #expect(kept.has(.noiseSuppression, .bool(false)))
    #expect(kept.says("nearend.toml applied: noiseSuppression false"))
    try kept.write("ns = false\nmicVolume = 0.25\n")
    #expect(kept.has(.micVolume, .number(0.25)))
    try kept.write("ns = true\nmicVolume = 7\n")
    #expect(kept.says("nearend.toml:2: micVolume cannot be '7': give a number from 0 to 1"))
    #expect(kept.says("the previous configuration stays in effect"))
    #expect(kept.service.value(of: .noiseSuppression) == .bool(false))
    // In place, not renamed over.
    try Data("hpf = false\n".utf8).write(to: URL(fileURLWithPath: kept.configuration))
    #expect(kept.has(.highPassFilter, .bool(false)) && kept.has(.noiseSuppression, .bool(true)) && kept.has(.micVolume, .number(1)))
    try FileManager.default.removeItem(atPath: kept.configuration)
    #expect(kept.has(.highPassFilter, .bool(true)))
  }

  @Test("O4: a file that is a link into another folder is followed where it leads to")
  func link() throws {
    let kept = try Kept("ns = false\n")
    let real = "\(kept.folder)/dotfiles/nearend.toml"
    try FileManager.default.createDirectory(atPath: "\(kept.folder)/dotfiles", withIntermediateDirectories: true)
    try Data("ns = true\n".utf8).write(to: URL(fileURLWithPath: real))
    try FileManager.default.removeItem(atPath: kept.configuration)
    try FileManager.default.createSymbolicLink(atPath: kept.configuration, withDestinationPath: real)
    #expect(kept.has(.noiseSuppression, .bool(true)))
    usleep(300_000)
    try Data("ns = false\n".utf8).write(to: URL(fileURLWithPath: real))
    #expect(kept.has(.noiseSuppression, .bool(false)))
  }

  @Test("O4: a file that everybody may write is applied once that has been changed, as the warning says")
  func madePrivate() throws {
    let kept = try Kept()
    try kept.write("ns = false\n", mode: 0o666)
    #expect(kept.says("everybody may write it: chmod o-w it"))
    #expect(kept.service.value(of: .noiseSuppression) == .bool(true))
    chmod(kept.configuration, 0o644)
    #expect(kept.has(.noiseSuppression, .bool(false)))
  }

  @Test("O4: a remembered.json that is damaged while nearend runs is no reset, and what it held is written again")
  func damagedMeanwhile() throws {
    let kept = try Kept(), file = kept.remembered
    try kept.service.set(.outputVolume, to: .number(0.25))
    #expect(eventually { file.peek { Issue.record("\($0)") }[.outputVolume] == .number(0.25) })
    try Data("{ no".utf8).write(to: URL(fileURLWithPath: file.path))
    #expect(kept.says("makes no sense, so what it held before is written again"))
    #expect(eventually { file.peek { _ in }[.outputVolume] == .number(0.25) })
    #expect(kept.service.value(of: .outputVolume) == .number(0.25))
    try kept.service.set(.noiseSuppression, to: .bool(false))
    #expect(eventually { file.peek { _ in }.names == ["noiseSuppression", "outputVolume"] })
  }

  @Test("O4: a value in remembered.json that is not valid is told, resets nothing, and is replaced by what it held before")
  func invalidMeanwhile() throws {
    let kept = try Kept(), file = kept.remembered
    try kept.service.set(.outputVolume, to: .number(0.25))
    try kept.service.set(.noiseSuppression, to: .bool(false))
    #expect(eventually { file.peek { Issue.record("\($0)") }.names == ["noiseSuppression", "outputVolume"] })
    for (value, words) in [("\"abc\"", "\"abc\""), ("7", "7"), ("null", "null"), ("[1]", "null, a list or a table")] {
      let text = "{\"settings\": {\"noiseSuppression\": true, \"outputVolume\": \(value)}, \"gains\": []}"
      try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
      #expect(kept.says("remembered.json: outputVolume cannot be \(words)"))
      #expect(kept.says("give a number from 0 to 1; it stays 0.25, which 'nearend set outputVolume' changes"))
      #expect(kept.has(.noiseSuppression, .bool(true)), "what is valid beside it holds")
      #expect(eventually { file.peek { _ in }[.outputVolume] == .number(0.25) })
      #expect(kept.service.value(of: .outputVolume) == .number(0.25))
      try kept.service.set(.noiseSuppression, to: .bool(false))
      #expect(eventually { file.peek { _ in }[.noiseSuppression] == .bool(false) })
    }
    try Data("{}".utf8).write(to: URL(fileURLWithPath: file.path))
    #expect(kept.says("makes no sense, so what it held before is written again"), "a file without settings is no reset")
    #expect(eventually { file.peek { _ in }.names == ["noiseSuppression", "outputVolume"] })
    #expect(kept.service.value(of: .outputVolume) == .number(0.25))
  }

  @Test("O4: what a remembered.json held that is lost while nearend runs is written again with the next change")
  func lostMeanwhile() throws {
    let kept = try Kept(), file = kept.remembered
    try kept.service.set(.outputVolume, to: .number(0.25))
    #expect(eventually { file.peek { Issue.record("\($0)") }[.outputVolume] == .number(0.25) })
    try FileManager.default.removeItem(atPath: file.path)
    try kept.service.set(.noiseSuppression, to: .bool(false))
    #expect(eventually { file.peek { _ in }.names == ["noiseSuppression", "outputVolume"] })
    #expect(kept.service.value(of: .outputVolume) == .number(0.25))
  }

  @Test("O4: another process's reset takes effect while a change is still to be written, and both are remembered")
  func resetMeanwhile() throws {
    let kept = try Kept()
    try kept.service.set(.highPassFilter, to: .bool(false))
    #expect(eventually { kept.remembered.peek { Issue.record("\($0)") }[.highPassFilter] == false })
    try kept.service.set(.outputVolume, to: .number(0.5))
    _ = try kept.remembered.update { $0[.highPassFilter] = nil }
    #expect(kept.has(.highPassFilter, .bool(true)))
    #expect(kept.service.value(of: .outputVolume) == .number(0.5))
    #expect(eventually { kept.remembered.peek { Issue.record("\($0)") }.names == ["outputVolume"] })
  }

  @Test("O4: a change is remembered by the next run, mute is not, and the file takes precedence; a reset takes effect at once")
  func remembers() throws {
    var kept = try Kept()
    kept.service.perform(.set(.voiceProcessingEnableAGC, false))
    kept.service.perform(.set(.outputVolume, 0.3))
    kept.service.perform(.set(.microphoneMuted, true))
    kept.service.perform(.set(.echoCanceller, "webrtc"))
    let file = kept.remembered
    #expect(eventually { file.peek { _ in }[.echoCanceller] == .string("webrtc") })
    let remembered = file.peek { Issue.record("\($0)") }
    #expect(remembered.names == ["echoCanceller", "outputVolume", "voiceProcessingEnableAGC"])
    #expect(remembered[.outputVolume] == .number(0.3))
    // Another run, with a file that sets one of them differently.
    kept.stop()
    let folder = kept.folder
    kept = try Kept(folder: folder + "-next", "volume = 0.5\n")
    _ = try kept.remembered.update { $0 = remembered }
    #expect(kept.has(.voiceProcessingEnableAGC, .bool(false)) && kept.has(.echoCanceller, .string("webrtc")))
    #expect(kept.service.value(of: .outputVolume) == .number(0.5))
    #expect(kept.service.value(of: .microphoneMuted) == .bool(false))
    _ = try kept.remembered.update { $0[.voiceProcessingEnableAGC] = nil }
    #expect(kept.has(.voiceProcessingEnableAGC, .bool(true)))
    #expect(kept.says("reset: voiceProcessingEnableAGC true"))
    // A change against the file holds, and the log says that it ends with this run.
    kept.service.perform(.set(.outputVolume, 0.75))
    #expect(kept.says("outputVolume is 0.75 for this run only: nearend.toml:1 says 0.5"))
    try kept.write("# the same in another line\nvolume = 0.5\nns = false\n")
    #expect(kept.has(.noiseSuppression, .bool(false)) && kept.has(.outputVolume, .number(0.75)))
    try kept.write("volume = 0.25\n")
    #expect(kept.has(.outputVolume, .number(0.25)))
  }

  @Test("O4: the command line takes precedence over the file, also over one that changes")
  func commandLine() throws {
    let kept = try Kept("ns = true\n", commandLine: [.noiseSuppression: .bool(false)])
    #expect(kept.service.value(of: .noiseSuppression) == .bool(false))
    try kept.write("ns = true\nhpf = false\n")
    #expect(kept.has(.highPassFilter, .bool(false)))
    #expect(kept.service.value(of: .noiseSuppression) == .bool(false))
  }

  @Test("O4: participants come and go with the file, begin with their gain, and get the one back that somebody gave them")
  func participants() throws {
    let kept = try Kept("sinks = [\"alice\"]\n[participant.\"guest-*\"]\ngain = 0.5\nmuted = true\n")
    func sink(_ id: String) -> SinkStatus? { kept.service.snapshot().sinks.first { $0.id == id } }
    try kept.service.addGraphSink(id: "alice")
    try kept.service.addGraphSink(id: "guest-1")
    #expect(eventually { sink("guest-1")?.gain == 0.5 && sink("guest-1")?.isMuted == true })
    #expect(sink("alice")?.gain == 1)
    kept.service.perform(.setSinkGain(id: "alice", 2))
    let file = kept.remembered
    #expect(eventually { file.peek { _ in }.gain(of: "alice") == 2 })
    kept.service.removeSink(id: "alice")
    try kept.service.addGraphSink(id: "alice")
    #expect(eventually { sink("alice")?.gain == 2 })
    // Forgotten by another process, as by `nearend reset alice`.
    kept.service.perform(.setSinkMuted(id: "alice", true))
    _ = try file.update { $0.setGain(nil, of: "alice") }
    #expect(eventually { sink("alice")?.gain == 1 && sink("alice")?.isMuted == true })
    try kept.write("sinks = [\"bob\"]\n")
    #expect(eventually { sink("bob") != nil && sink("alice") == nil })
    #expect(eventually { sink("guest-1")?.gain == 1 && sink("guest-1")?.isMuted == false })
  }

  @Test("K12, O4: participants on other machines, calls and where the voice is sent come and go with the file")
  func remotes() throws {
    let (first, second, third) = (try freePort(), try freePort(), try freePort())
    let kept = try Kept(
      """
      sends = ["127.0.0.1:\(first)"]
      [participant.bob]
      rtp = "127.0.0.1:\(second)"
      from = "127.0.0.1"
      latency = 40
      gain = 0.5
      [participant.ann]
      call = "127.0.0.1:\(third)"
      """)
    var snapshot: Snapshot { kept.service.snapshot() }
    #expect(eventually { snapshot.sinks.first { $0.id == "bob" }?.gain == 0.5 })
    #expect(snapshot.sinks.first { $0.id == "bob" }?.remote?.address == "127.0.0.1:\(second)")
    #expect(snapshot.sinks.first { $0.id == "bob" }?.capacityBytes == 2 * 40 * 48 * 4)
    #expect(snapshot.sends.map(\.address).sorted() == ["127.0.0.1:\(first)", "127.0.0.1:\(third)"].sorted())
    try kept.write("[participant.ann]\ncall = \"127.0.0.1:\(third)\"\n")
    #expect(eventually { snapshot.sinks.map(\.id) == ["ann"] && snapshot.sends.map(\.id) == ["ann"] })
    #expect(eventually { snapshot.log.contains { $0.message.contains("without bob") && $0.message.contains("not to 127.0.0.1:\(first)") } })
    try kept.write("")
    #expect(eventually { snapshot.sinks.isEmpty && snapshot.sends.isEmpty })
  }

  /// A free, even port of which the next is free, too.
  private func freePort() throws -> UInt16 {
    for _ in 0..<100 {
      let port = UInt16.random(in: 10_000...30_000) * 2
      let addresses = [try RTPAddress("0.0.0.0:\(port)"), try RTPAddress("0.0.0.0:\(port + 1)")]
      if let sockets = try? addresses.map({ try DatagramSocket(at: $0) }), sockets.count == 2 { return port }
    }
    throw CocoaError(.fileNoSuchFile)
  }

  @Test("O4: an unreadable remembered.json is reported and set aside; what is not valid in one is left out, and told")
  func unreadable() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "nearend-\(UInt64.random(in: .min ... .max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = RememberedFile(path: "\(folder)/remembered.json")
    try Data("{ no".utf8).write(to: URL(fileURLWithPath: file.path))
    var complaints: [String] = []
    #expect(try file.read { complaints.append($0) } == Remembered())
    #expect(complaints.count == 1 && complaints[0].contains("it is kept as \(file.path).unreadable"))
    #expect(FileManager.default.fileExists(atPath: "\(file.path).unreadable"))
    let text =
      "{\"settings\": {\"hpf\": false, \"micVolume\": 3, \"microphoneMuted\": true, \"noiseSuppression\": false}, \"gains\": [{\"id\": \"a\", \"gain\": 9}]}"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
    complaints = []
    #expect(try file.read { complaints.append($0) }?.names == ["noiseSuppression"])
    #expect(
      complaints == [
        "\(file.path): there is no setting 'hpf'; it is left out",
        "\(file.path): micVolume cannot be 3: give a number from 0 to 1; it is left out; 'nearend set micVolume' sets it",
        "\(file.path): microphoneMuted is not remembered; it is left out",
        "\(file.path): the gain of a cannot be 9: give a number from 0 to 4; it is left out; the dashboard sets it",
      ])
    var known = Remembered()
    known.setGain(2, of: "a")
    known[.micVolume] = 0.5
    let read = try file.read(known: known) { _ in }
    #expect(read?.names == ["micVolume", "noiseSuppression", "a"] && read?[.micVolume] == 0.5 && read?.gain(of: "a") == 2)
  }

  @Test("O4: what was put aside is never overwritten")
  func asideTwice() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "nearend-\(UInt64.random(in: .min ... .max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = RememberedFile(path: "\(folder)/remembered.json")
    for text in ["{ one", "{ two", "{ three"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: file.path))
      #expect(try file.read { _ in } == Remembered())
    }
    let kept = try ["", "-2", "-3"].map { try String(contentsOfFile: "\(file.path).unreadable\($0)", encoding: .utf8) }
    #expect(kept == ["{ one", "{ two", "{ three"])
  }
}
