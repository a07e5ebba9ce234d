import Foundation
import SessionModel
import Testing

@testable import Preferences

@Suite("Configuration")
struct ConfigurationTests {
  @Test("O4: every setting and option can be configured and takes its value")
  func everything() throws {
    let text =
      Layers.settings.map { "\($0.rawValue) = \($0.standard.inTOML)" }.joined(separator: "\n") + "\n"
      + RunOption.allCases.map { "\($0.rawValue) = \($0.standard)" }.joined(separator: "\n")
    let configuration = try Configuration(text: text, path: "x")
    for (index, setting) in Layers.settings.enumerated() {
      #expect(configuration.settings[setting] == .init(value: setting.standard, line: index + 1))
    }
    for option in RunOption.allCases { #expect(configuration.options[option]?.value == option.standard) }
  }

  @Test("O4 R2: programs are named by a text or by a list of texts", arguments: ["use", "usedPrograms"])
  func programs(key: String) throws {
    for text in ["\"firefox, zoom*\"", "[\"firefox\", \" zoom* \", \"Firefox\"]"] {
      let configuration = try Configuration(text: "\(key) = \(text)\n", path: "x")
      #expect(configuration.settings[.usedPrograms] == .init(value: "firefox, zoom*", line: 1))
    }
    #expect(try Configuration(text: "use = []\n", path: "x").settings[.usedPrograms]?.value == "")
  }

  @Test(
    "O4: an invalid file is reported by line and key, with the valid alternatives",
    arguments: [
      ("ns = false\n\nmicVolume = 2\n", ["c.toml:3: micVolume cannot be '2': give a number from 0 to 1"]),
      ("micVolume = nan\n", ["c.toml:1: micVolume cannot be 'nan': give a number from 0 to 1"]),
      ("bypass = \"on\"\n", ["c.toml:1: bypass cannot be 'on': give true or false"]),
      ("aec = \"speex\"\n", ["c.toml:1: aec cannot be 'speex': give nearend, webrtc or off"]),
      ("micMode = \"quiet\"\n", ["c.toml:1: micMode cannot be 'quiet': give standard, voiceIsolation or wideSpectrum"]),
      ("bogus = \"x\"\n", ["c.toml:1: unknown key 'bogus'; valid keys: device, participant, preset, stage, sinks,"]),
      ("mic = \"x\"\n", ["c.toml:1: unknown key 'mic'. Did you mean 'micMode', 'micVolume', 'microphone' or 'microphoneMuted'?"]),
      ("noiseSupression = true\n", ["c.toml:1: unknown key 'noiseSupression'. Did you mean 'noiseSuppression'?"]),
      ("telemetryURI = \"x\"\n", ["c.toml:1: unknown key 'telemetryURI'. Did you mean 'telemetryUrl'"]),
      (
        "[device.x]\nhighpassFiltr = true\n",
        ["c.toml:2: device.\"x\": unknown device setting 'highpassFiltr'. Did you mean 'highPassFilter'?"]
      ),
      ("[participant.x]\nmute = true\n", ["c.toml:2: participant.\"x\": unknown participant key 'mute'. Did you mean 'muted'?"]),
      ("ns = true\nnoiseSuppression = false\n", ["noiseSuppression is given twice, as 'noiseSuppression' and 'ns'"]),
      ("ns = 2026-01-01\nagc = [1]\n", ["c.toml:1: ns cannot be", "c.toml:2: agc cannot be 'a list'"]),
      ("use = \"a\\u0007b\"\n", ["characters, without commas and control characters"]),
      ("use = [\"firefox\", \"a,b\"]\n", ["c.toml:1: use cannot be 'a,b': give names of programs, as \"firefox, zoom*\" or [\"firefox\","]),
      ("usedPrograms = [1]\n", ["c.toml:1: usedPrograms cannot be 'a list': give names of programs, as \"firefox, zoom*\""]),
      ("[[use]]\nprogram = \"firefox\"\n", ["c.toml:1: use cannot be 'a list of tables': give names of programs, as \"firefox, zoom*\""]),
      ("microphone = \"nearend.microphone\"\n", ["c.toml:1: microphone cannot be 'nearend.microphone': give a real device"]),
      ("reference = \"all\"\n", ["c.toml:1: reference cannot be 'all': give everything or mix"]),
      ("sinks = \"alice\"\n", ["c.toml:1: sinks cannot be 'alice': give a list of ids"]),
      ("sinks = [\n  \"alice\",\n  \"a b\",\n]\n", ["c.toml:1: sinks cannot be 'a b': give 1 to 64"]),
      ("telemetryUrl = \"ftp://x\"\n", ["c.toml:1: telemetryUrl cannot be"]),
      ("telemetryOtlp = \"localhost\"\n", ["c.toml:1: telemetryOtlp cannot be"]),
      ("telemetryOtlpHeaders = [\"A: b\"]\n", ["c.toml:1: telemetryOtlpHeaders needs telemetryOtlp"]),
      ("telemetryOtlp = \"http://x\"\ntelemetryOtlpHeaders = [\"Host: b\"]\n", ["c.toml:2: telemetryOtlpHeaders cannot be"]),
      ("telemetryDisable = [\"asmEvent\"]\n", ["c.toml:1: telemetryDisable needs telemetryFile, telemetryUrl or telemetryOtlp"]),
      ("ns = false\nagc = = 1\n", ["c.toml:2: invalid TOML: column "]),
      ("ns = false\nns = true\n", ["c.toml:2: invalid TOML"]),
      ("ns = \"\u{0}\"\n", ["c.toml: it is not a configuration: it contains a NUL byte"]),
      ("device = 1\n", ["c.toml:1: device is a table for each device: give [device.\"bluez_output.*\"]"]),
      ("\n[device.x]\nmute = true\n", ["c.toml:3: device.\"x\": mute cannot be set per device, because"]),
      (
        "[device.x]\nhpf = 1\n\n[device.y]\nmonitor = true\n",
        ["c.toml:2: device.\"x\": hpf cannot be '1'", "c.toml:5: device.\"y\": unknown device setting"]
      ),
      (
        "[participant.p]\ngain = 5\nmuted = 1\nvolume = 1\n",
        ["c.toml:2: participant.\"p\": gain cannot be '5': give a number from 0 to 4", "c.toml:3:", "c.toml:4:"]
      ),
      ("sends = [\"bob.example\"]\n", ["c.toml:1: sends cannot be 'bob.example': give 'bob.example' is no address: give a numeric one"]),
      ("sends = [\"0.0.0.0\"]\n", ["c.toml:1: sends cannot be '0.0.0.0': give the other machine's address"]),
      (
        "[participant.\"b*\"]\nrtp = \"10.0.0.7\"\n[participant.c]\ncall = \"c\"\n[participant.d]\nlatency = 5\n",
        [
          "c.toml:2: participant.\"b*\": a remote participant needs a name", "c.toml:4: participant.\"c\": call: 'c' is no address",
          "c.toml:6: participant.\"d\": latency needs rtp or call", "c.toml:6: participant.\"d\": invalid latency",
        ]
      ),
      ("x = { y = 1 }\n\"a\\u0000b\" = 1\n\"\u{1B}[2J\" = 1", ["invalid TOML"]),
    ])
  func bad(text: String, lines: [String]) {
    do {
      _ = try Configuration(text: text, path: "c.toml")
      Issue.record("it is taken")
    } catch {
      #expect(error.problems.count == lines.count, "\(error)")
      for (line, said) in zip(lines, error.lines) { #expect(said.contains(line), "\(said)") }
    }
  }

  @Test("O4: a key of more parts than a thread's stack bears is reported by its line")
  func parts() {
    let key = Array(repeating: "a", count: 20_000).joined(separator: ".")
    bad(text: "ns = true\n[\(key)]\n", lines: ["c.toml:2: there are more than 32 dots in one key or value"])
  }

  @Test("O4: dots in comments, in lists and in lines that end as on other systems are no key of too many parts")
  func dots() throws {
    let lines = ["# " + String(repeating: ".", count: 80)] + (0..<20).map { "[participant.p\($0)]\r\ngain = 0.5" }
    let sends = (0..<20).map { "\"10.0.0.\($0 + 1)\"" }.joined(separator: ", ")
    #expect(try Configuration(text: (["sends = [\(sends)]"] + lines).joined(separator: "\r\n"), path: "c.toml").participants.count == 20)
  }

  @Test("O4: the line of a key is found wherever it stands, in tables within lines and values over several")
  func lines() {
    let text =
      "a = 1\n# b = 2\nlist = [\n  1, # x = 1\n  2,\n]\ntext = '''\nz = 1\n'''\n[device.\"x.y\"]\n\nb.c = 2\nd = { e = 1 }\n[last]\n"
    let keys = KeyLines(text)
    #expect(keys.line(of: ["a"]) == 1)
    #expect(keys.line(of: ["list"]) == 3)
    #expect(keys.line(of: ["text"]) == 7)
    #expect(keys.line(of: ["device", "x.y"]) == 10)
    #expect(keys.line(of: ["device", "x.y", "b", "c"]) == 12)
    #expect(keys.line(of: ["device", "x.y", "d", "e"]) == 13)
    #expect(keys.line(of: ["last"]) == 14)
    #expect(keys.line(of: ["z"]) == nil)
  }

  @Test("O4: a missing file is an empty configuration; a folder, a device and non-UTF-8 are reported")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "nearend-\(UInt64.random(in: .min ... .max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(try Configuration(path: "\(folder)/none.toml") == Configuration())
    #expect(throws: ConfigurationError.self) { try Configuration(path: folder) }
    let path = "\(folder)/nearend.toml"
    for (data, words) in [(Data([0xFF, 0xFE]), "not valid UTF-8"), (Data(count: 70_000), "larger than 65536 bytes")] {
      try data.write(to: URL(fileURLWithPath: path))
      do {
        _ = try Configuration(path: path)
        Issue.record("it is taken")
      } catch {
        #expect(error.description.contains(words))
      }
    }
  }

  @Test("O4: a pipe in the file's place is reported, and not waited for")
  func pipe() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "nearend-\(UInt64.random(in: .min ... .max)).toml").path
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    do throws(ConfigurationError) {
      _ = try Configuration(path: path)
      Issue.record("it is taken")
    } catch {
      #expect(error.lines == ["\(path): it is a pipe, not a file"])
    }
  }

  @Test("O4: a file that everybody may write, or that is another user's, is refused with what to do")
  func writable() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "nearend-\(UInt64.random(in: .min ... .max)).toml").path
    try Data("noiseSuppression = false\n".utf8).write(to: URL(fileURLWithPath: path))
    defer { unlink(path) }
    chmod(path, 0o644)
    _ = try Configuration(path: path)
    chmod(path, 0o646)
    func problem() -> [String] {
      do throws(ConfigurationError) { _ = try Configuration(path: path) } catch { return error.lines }
      return []
    }
    #expect(problem() == ["\(path): everybody may write it: chmod o-w it"])
    chmod(path, 0o644)
    // Only root can give a file away.
    guard geteuid() == 0 else { return }
    try #require(chown(path, 1, 1) == 0)
    #expect(problem() == ["\(path): it belongs to another user: chown it to yourself, or remove it"])
  }

  @Test("O4: the shipped example says every setting and option, each as it is by default, and nothing for a device or a participant")
  func example() throws {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: package.appending(path: "Resources/nearend.toml"), encoding: .utf8)
    let commented = try Configuration(text: text, path: "nearend.toml")
    #expect(commented == Configuration(), "as it is shipped it changes nothing")
    // Every value is in the file, commented out.
    let values = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.wholeMatch(of: /#([a-zA-Z]+ = .*)/).map { String($0.output.1) } ?? ""
    }
    let said = try Configuration(text: values.joined(separator: "\n"), path: "nearend.toml")
    #expect(said.settings.mapValues(\.value) == Dictionary(uniqueKeysWithValues: Layers.settings.map { ($0, $0.standard) }))
    #expect(said.options.mapValues(\.value) == Dictionary(uniqueKeysWithValues: RunOption.allCases.map { ($0, $0.standard) }))
    let summaries = Layers.settings.map(\.summary) + RunOption.allCases.map(\.summary)
    let remarks = text.replacingOccurrences(of: "\n# ", with: " ")
    for summary in summaries { #expect(remarks.contains(summary), "\(summary)") }
  }
}
