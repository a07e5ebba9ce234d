import Dispatch
import Foundation
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import Preferences

@Suite("Remembered writer")
final class RememberedWriterTests: Sendable {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "nearend-\(UInt64.random(in: .min ... .max))").path
  private let queue = DispatchQueue(label: "nearend.test")
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
    queue.suspend()
    writer.remember(.outputVolume, 0.5)
    writer.remember(.outputVolume, 0.25)
    writer.remember(gain: 2, of: "alice")
    queue.resume()
    #expect(eventually { !self.names.isEmpty })
    #expect(names == [["highPassFilter", "outputVolume", "alice"]])
    let contents = file.peek { Issue.record("\($0)") }
    #expect(contents[.outputVolume] == 0.25 && contents.gain(of: "alice") == 2)
    writer.remember(.outputVolume, 0.75)
    #expect(eventually { self.names.count == 2 }, "the next moment's changes")
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
    queue.suspend()
    writer.remember(.outputVolume, 0.5)
    _ = try file.update { $0[.highPassFilter] = nil }
    #expect(writer.changedContents() == nil)
    queue.resume()
    queue.sync { writer.write() }
    #expect(names == [["outputVolume"]] && othersTold.withLock { $0 } == [true])
    #expect(writer.changedContents() == nil)
    writer.remember(.outputVolume, 0.25)
    queue.sync { writer.write() }
    #expect(othersTold.withLock { $0 } == [true, false])
  }
}
