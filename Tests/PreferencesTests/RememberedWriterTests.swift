import Dispatch
import Foundation
import Platform
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import Preferences

@Suite("Remembered writer")
final class RememberedWriterTests: Sendable {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "nearend-\(UInt64.random(in: .min ... .max))").path
  private let queue = SerialThread(name: "nearend.test")
  private let file: RememberedFile
  private let writer: RememberedWriter
  private let written = Mutex<[Remembered]>([])
  private let othersTold = Mutex<[Bool]>([])

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    file = RememberedFile(path: "\(folder)/remembered.json")
    writer = RememberedWriter(file, queue: queue) { Issue.record("\($0)") }
    writer.onWritten { [weak self] contents, hasOthersChanges in
      self?.othersTold.withLock { $0.append(hasOthersChanges) }
      self?.written.withLock { $0.append(contents) }
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var names: [[String]] { written.withLock { $0.map(\.names) } }

  @Test("O4: changes of a moment are written at once, beside what the file has already")
  func together() throws {
    _ = try file.update { $0[.highPassFilter] = false }
    let gate = DispatchSemaphore(value: 0)
    queue.async { gate.wait() }
    writer.remember(.outputVolume, 0.5)
    writer.remember(.outputVolume, 0.25)
    writer.remember(gain: 2, of: "alice")
    gate.signal()
    #expect(eventually { !self.names.isEmpty })
    #expect(names == [["highPassFilter", "outputVolume", "alice"]])
    let contents = file.peek { Issue.record("\($0)") }
    #expect(contents[.outputVolume] == 0.25 && contents.gain(of: "alice") == 2)
    writer.remember(.outputVolume, 0.75)
    #expect(eventually { self.names.count == 2 }, "the next moment's changes")
  }

  /// A pipe in place of the file: it can neither be read nor does it say that there is nothing.
  private func block() throws {
    try? FileManager.default.moveItem(atPath: file.path, toPath: "\(file.path).kept")
    try #require(mkfifo(file.path, 0o600) == 0)
  }
  private func unblock() throws {
    unlink(file.path)
    try FileManager.default.moveItem(atPath: "\(file.path).kept", toPath: file.path)
  }

  @Test("O4: a file that cannot be read now is left alone, is no reset, and gets what was changed meanwhile once it can be")
  func unreadableNow() throws {
    _ = try file.update { $0[.outputVolume] = 0.25 }
    let said = Mutex<[String]>([])
    let writer = RememberedWriter(file, queue: queue) { text in said.withLock { $0.append(text) } }
    try block()
    #expect(writer.changedContents() == nil)
    writer.remember(.highPassFilter, false)
    #expect(eventually { said.withLock { $0.contains { $0.contains("changes are kept until it can be") } } }, "waited for the complaint")
    #expect(!FileManager.default.fileExists(atPath: "\(file.path).unreadable"))
    try unblock()
    #expect(eventually { (try? self.file.read { _ in })?.names == ["highPassFilter", "outputVolume"] }, "waited for the change")
    #expect(file.peek { Issue.record("\($0)") }[.outputVolume] == 0.25)
  }

  @Test("O4: a file that is gone was lost, and is no reset; one that says so is")
  func gone() throws {
    _ = try file.update { $0[.outputVolume] = 0.25 }
    #expect(writer.changedContents()?.names == ["outputVolume"])
    unlink(file.path)
    #expect(writer.changedContents() == nil)
    _ = try file.update { $0[.outputVolume] = 0.5 }
    _ = try file.update { $0 = Remembered() }
    #expect(writer.changedContents() == Remembered())
  }

  @Test("O4: a foreign lock on the folder costs two seconds, not the change")
  func locked() throws {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX) == 0)
    let said = Mutex<[String]>([])
    let writer = RememberedWriter(file, queue: queue) { text in said.withLock { $0.append(text) } }
    writer.remember(.highPassFilter, false)
    #expect(eventually { said.withLock { $0.contains { $0.contains("another process holds the lock") } } }, "waited for the complaint")
    flock(descriptor, LOCK_UN)
    #expect(eventually { self.file.peek { Issue.record("\($0)") }.names == ["highPassFilter"] }, "waited for the change")
  }

  @Test("O4: what is still to be written at the end is written then, once")
  func atEnd() {
    writer.remember(.outputVolume, 0.5)
    queue.sync { writer.write() }
    #expect(names == [["outputVolume"]])
    queue.sync { writer.write() }
    #expect(names.count == 1)
  }

  @Test("O4: another process's changes are told once, but not this one's own; while some are to be written, together with them")
  func others() throws {
    #expect(writer.changedContents() == nil)
    _ = try file.update { $0[.highPassFilter] = false }
    #expect(writer.changedContents()?.names == ["highPassFilter"])
    #expect(writer.changedContents() == nil)
    let gate = DispatchSemaphore(value: 0)
    queue.async { gate.wait() }
    writer.remember(.outputVolume, 0.5)
    _ = try file.update { $0[.highPassFilter] = nil }
    #expect(writer.changedContents() == nil)
    gate.signal()
    queue.sync { writer.write() }
    #expect(names == [["outputVolume"]] && othersTold.withLock { $0 } == [true])
    #expect(writer.changedContents() == nil)
    writer.remember(.outputVolume, 0.25)
    queue.sync { writer.write() }
    #expect(othersTold.withLock { $0 } == [true, false])
  }
}
