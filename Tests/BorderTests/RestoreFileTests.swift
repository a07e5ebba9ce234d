import Foundation
import Testing

@testable import PipeWireGraph

@Suite("State file")
struct RestoreFileTests {
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "nearend-state-\(UInt64.random(in: 0 ... .max))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  @Test("X3: the restore file is read back as written, is private, and leaves nothing else beside it")
  func written() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = RestoreFile(folder: folder)
    let content = RestoreFile.Content(formerDefaults: ["default.configured.audio.sink": "{\"name\":\"hw.speaker\"}"])
    for _ in 0..<2 { try file.write(content) }
    #expect(file.read { Issue.record("\($0)") } == content)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["restore.json"])
    #expect(try FileManager.default.attributesOfItem(atPath: "\(folder)/restore.json")[.posixPermissions] as? Int == 0o600)
    try file.write(RestoreFile.Content())
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    #expect(file.read { Issue.record("\($0)") } == RestoreFile.Content())
  }

  @Test("X1: a file that cannot be read is reported and put aside", arguments: ["", "{", "[]", "{\"formerDefaults\": 1}", "\0\u{1B}"])
  func unreadable(_ text: String) throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = RestoreFile(folder: folder)
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/restore.json"))
    var complaints: [String] = []
    #expect(file.read { complaints.append($0) } == RestoreFile.Content())
    #expect(complaints.count == 1 && complaints.first?.contains("restore.json cannot be read") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/restore.json.unreadable")) == Data(text.utf8))
    #expect(file.read { complaints.append($0) } == RestoreFile.Content())
    #expect(complaints.count == 1)
  }

  @Test("X1: a huge file does not take as much memory")
  func huge() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try #require(FileManager.default.createFile(atPath: "\(folder)/restore.json", contents: nil))
    truncate("\(folder)/restore.json", 1 << 40)
    var complaints = 0
    #expect(RestoreFile(folder: folder).read { _ in complaints += 1 } == RestoreFile.Content())
    #expect(complaints == 1)
  }
}
