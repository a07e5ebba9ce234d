import Foundation
import Platform
import RealtimeCore
import Testing

@testable import IsolationStore
@testable import SimulatedHardware

/// A folder for a test's files, removed with the test.
final class Folder {
  let path: String
  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/nearend-isolation-\(UInt64.random(in: .min ... .max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    return "\(path)/\(name)"
  }
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}

/// A ZIP archive of stored files, as Python's zipfile writes it.
func archive(_ files: [(name: String, bytes: [UInt8])], damages: Bool = false) -> [UInt8] {
  func number(_ value: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
  var (result, directory): ([UInt8], [UInt8]) = ([], [])
  for (name, bytes) in files {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    let sums = number(Int(~crc) ^ (damages ? 1 : 0), 4) + number(bytes.count, 4) + number(bytes.count, 4)
    let head = number(20, 2) + number(0, 2) + number(0, 2) + number(0, 4) + sums + number(name.utf8.count, 2) + number(0, 2)
    directory += number(0x0201_4b50, 4) + number(20, 2) + head + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4)
    directory += number(result.count, 4) + Array(name.utf8)
    result += number(0x0403_4b50, 4) + head + Array(name.utf8) + bytes
  }
  let start = result.count
  result += directory + number(0x0605_4b50, 4) + number(0, 4) + number(files.count, 2) + number(files.count, 2)
  return result + number(directory.count, 4) + number(start, 4) + number(0, 2)
}

/// A package for tests, whose library is plain text.
struct Fixture {
  let folder: Folder
  let wheel: [UInt8]
  var store: IsolationStore

  init(
    _ wheel: [UInt8]? = nil, machine: String = "x86_64",
    attempt: @escaping @Sendable (IsolationFiles) throws(IsolationError) -> Void = { _ throws(IsolationError) in }
  ) throws {
    folder = try Folder()
    let wheel = wheel ?? archive([("a/lib.so", Array("a library".utf8)), ("a/model", Array("a model".utf8)), ("a/LICENSE", [])])
    self.wheel = wheel
    let package = IsolationPackage(
      name: "some-package", version: "1.0", wheels: ["x86_64": .init(name: "some.whl", checksum: SHA256.hexadecimal(of: wheel))],
      members: [
        .init(path: "a/lib.so", name: IsolationFiles.libraryName),
        .init(path: "a/model", name: IsolationFiles.modelName),
        .init(path: "a/LICENSE", name: "LICENSE"),
      ])
    store = IsolationStore(package: package, folder: "\(folder.path)/data/nearend/isolation", machine: machine, attempt: attempt)
  }

  var installed: [String] { (try? FileManager.default.contentsOfDirectory(atPath: store.folder).sorted()) ?? [] }
  /// Whether no partial files are left beside it.
  var isTidy: Bool {
    let beside = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/data/nearend")) ?? []
    return beside.allSatisfy { $0 == "isolation" }
  }
}

@Suite("Voice isolation's store")
struct WheelTests {
  @Test("V12: the checksum is SHA-256, of bytes in any number of pieces")
  func checksums() {
    #expect(SHA256.hexadecimal(of: []) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(SHA256.hexadecimal(of: Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(SHA256.hexadecimal(of: million) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    for size in [1, 55, 56, 63, 64, 65, 1_000] {
      var sum = SHA256()
      for start in stride(from: 0, to: 5_000, by: size) {
        million[start..<min(start + size, 5_000)].withUnsafeBytes { sum.add($0) }
      }
      #expect(sum.hexadecimal() == SHA256.hexadecimal(of: Array(million[..<5_000])), "pieces of \(size)")
    }
  }

  @Test("V12: a wheel that was fetched elsewhere is checked, unpacked and tried; installed again it takes the old one's place")
  func fromFile() throws {
    let fixture = try Fixture()
    let file = try fixture.folder.write(fixture.wheel, "some.whl")
    for _ in 0..<2 {
      try fixture.store.install(from: file)
      #expect(fixture.installed == [IsolationFiles.modelName, "LICENSE", IsolationFiles.libraryName].sorted())
      #expect(try Data(contentsOf: URL(fileURLWithPath: "\(fixture.store.folder)/\(IsolationFiles.libraryName)")) == Data("a library".utf8))
      #expect(fixture.isTidy)
    }
    let environment = ["XDG_DATA_HOME": "\(fixture.folder.path)/data"]
    let found = try IsolationFiles.find(environment)
    #expect(found.library == "\(fixture.store.folder)/\(IsolationFiles.libraryName)" && found.model.hasPrefix(fixture.store.folder))
    #expect(throws: IsolationError.self) { try DeepFilter(found) }
    #expect(try fixture.store.remove())
    #expect(try !fixture.store.remove() && fixture.installed.isEmpty)
    // Any error: it is not `notInstalled` if another test has loaded a library of that name.
    #expect(throws: IsolationError.self) { try IsolationFiles.find(environment) }
  }

  @Test("V12: the wheel is downloaded from the index's URL if its checksum matches")
  func fromIndex() throws {
    let fixture = try Fixture()
    let server = try FileServer(fixture.folder.path)
    _ = try fixture.folder.write(fixture.wheel, "some.whl")
    func index(_ name: String, _ checksum: String, version: String = "1.0") throws -> String {
      let text = """
        {"releases": {"\(version)": [{"filename": "some.whl", "url": "\(server.address)/some.whl", "digests": {"sha256": "\(checksum)"}}]}}
        """
      _ = try fixture.folder.write(Array(text.utf8), name)
      return "\(server.address)/\(name)"
    }
    let checksum = SHA256.hexadecimal(of: fixture.wheel)
    var said: [String] = []
    try fixture.store.install(index: try index("good", checksum)) { said.append($0) }
    #expect(fixture.installed.count == 3)
    #expect(said == ["fetching \(server.address)/some.whl", "some.whl: checksum as expected"])
    #expect(try fixture.store.remove())

    let other = String(repeating: "0", count: 64)
    for (address, words) in [
      (try index("other", other), "its SHA-256 is \(other)"),
      (try index("later", checksum, version: "2.0"), "some-package 1.0 has no file"),
      ("\(server.address)/some.whl", "no package's description"), ("\(server.address)/nothing", "status 404"),
      ("http://127.0.0.1:1/", "cannot be reached"),
    ] {
      let error = thrown(IsolationStoreError.self) { try fixture.store.install(index: address) }
      #expect(error?.description.contains(words) == true, "\(address): \(error?.description ?? "nothing")")
    }
    #expect(fixture.installed.isEmpty && fixture.isTidy)
  }

  @Test("V12: an unexpected file is named and not installed, and an earlier installation stays")
  func refusals() throws {
    let fixture = try Fixture()
    let good = try fixture.folder.write(fixture.wheel, "some.whl")
    try fixture.store.install(from: good)
    var wrong = fixture.wheel
    wrong[40] ^= 1
    for (file, words) in [
      (try fixture.folder.write(wrong, "wrong.whl"), "SHA-256"), ("\(fixture.folder.path)/missing.whl", "No such file"),
      (try fixture.folder.write([], "empty.whl"), "SHA-256"),
    ] {
      let error = thrown(IsolationStoreError.self) { try fixture.store.install(from: file) }
      #expect(error?.description.contains(words) == true && error?.description.contains(file) == true, "\(error?.description ?? "nothing")")
      #expect(fixture.installed.count == 3 && fixture.isTidy)
    }
    let elsewhere = try Fixture(machine: "riscv64")
    let error = thrown(IsolationStoreError.self) { try elsewhere.store.install(from: good) }
    #expect(error?.description.contains("riscv64, only for x86_64") == true)
  }

  @Test("V12, X1: an archive that is none, lacks a file or is damaged is named; no byte of it is believed unchecked")
  func archives() throws {
    let files = [("a/lib.so", [UInt8](repeating: 1, count: 300)), ("a/model", [2, 3]), ("a/LICENSE", [])]
    for (wheel, words) in [
      (Array("<html>".utf8), "no directory"), (archive([files[0]]), "does not hold a/model"), (archive(files, damages: true), "damaged"),
    ] {
      let fixture = try Fixture(wheel)
      let file = try fixture.folder.write(wheel, "some.whl")
      let error = thrown(IsolationStoreError.self) { try fixture.store.install(from: file) }
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "nothing")")
      #expect(fixture.installed.isEmpty && fixture.isTidy)
    }
    // With each byte changed, and cut at each length: an error or the contents, never a crash.
    let whole = archive(files)
    for index in whole.indices {
      for change: UInt8 in [1, 0xFF] {
        var bytes = whole
        bytes[index] ^= change
        if let wheel = try? WheelArchive(bytes, file: "some.whl") { _ = try? wheel.contents(of: "a/lib.so") }
      }
      if let wheel = try? WheelArchive(Array(whole[..<index]), file: "some.whl") { _ = try? wheel.contents(of: "a/lib.so") }
    }
  }

  @Test("V12: a library that does not run on this machine is not installed, with the reason")
  func unusable() throws {
    let reason = IsolationError.library(path: "x", reason: "wrong ELF class")
    let fixture = try Fixture { _ throws(IsolationError) in throw reason }
    let file = try fixture.folder.write(fixture.wheel, "some.whl")
    #expect(throws: IsolationStoreError.unusable(reason)) { try fixture.store.install(from: file) }
    #expect(fixture.installed.isEmpty && fixture.isTidy)
  }

  @Test("V12: a library of another kind and another model are named, rather than run")
  func others() throws {
    let folder = try Folder()
    let model = try folder.write(Array("no model".utf8), IsolationFiles.modelName)
    for (library, words) in [("libm.so.6", "cannot be used"), ("\(folder.path)/no.so", "no.so"), (model, "cannot be used")] {
      let error = thrown(IsolationError.self) { try DeepFilter(IsolationFiles(library: library, model: model)) }
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "nothing")")
    }
  }
}

/// Serves a folder over HTTP on this machine while it lives, with Python's own server.
final class FileServer {
  let address: String
  private let process: ChildProcess

  init(_ folder: String) throws {
    let output = "\(folder)/server.txt"
    process = try ChildProcess(
      "python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", folder],
      environment: ProcessInfo.processInfo.environment, group: 0, output: .file(output), errors: .file("\(folder)/requests.txt"))
    let port = poll {
      String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self).firstMatch(of: /port ([0-9]+)/)?.output.1
    }
    address = "http://127.0.0.1:\(try #require(port))"
  }

  deinit { process.end(grace: 0) }
}
