import Dispatch
import Foundation
import Synchronization

/// Tells when one of some files is another than before: written, renamed over, made or removed, in a folder that may not be there yet. Nothing runs
/// meanwhile: the kernel tells. [any]
final class FileWatch: Sendable {
  private let paths: [String]
  private let descriptor: Int32
  // nonisolated(unsafe): set once, and a dispatch source takes calls from any thread.
  nonisolated(unsafe) private let source: any DispatchSourceRead
  private let queue: DispatchQueue
  private let changed: @Sendable () -> Void
  private struct State {
    /// Of the folders that are watched.
    var watched: [String: Int32] = [:]
    var isSettling = false
  }
  private let state = Mutex(State())

  /// Seconds that whoever writes a file has for the rest of it.
  private static let settling = 0.1
  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB | IN_ONLYDIR)

  /// nil where the kernel refuses. `changed` is called on `queue`, also of what turns out to be no change.
  init?(_ paths: [String], queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    self.paths = paths
    self.descriptor = descriptor
    self.queue = queue
    self.changed = changed
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [weak self] in self?.heard() }
    source.setCancelHandler { close(descriptor) }
    watch()
    source.resume()
  }

  deinit { source.cancel() }

  /// Each file's folder, or the nearest above it that is there; and, of a link, the folder of what it leads to.
  private var folders: Set<String> {
    var folders: Set<String> = []
    for path in paths {
      for name in Set([path, URL(fileURLWithPath: path).resolvingSymlinksInPath().path]) {
        var folder = URL(fileURLWithPath: name).deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path) { folder.deleteLastPathComponent() }
        folders.insert(folder.path)
      }
    }
    return folders
  }

  private func watch() {
    let folders = folders
    state.withLock { state in
      for (folder, number) in state.watched where !folders.contains(folder) {
        inotify_rm_watch(descriptor, number)
        state.watched[folder] = nil
      }
      // Asked for again, a folder that is watched keeps its number, and one that was made anew gets another.
      for folder in folders { state.watched[folder] = inotify_add_watch(descriptor, folder, Self.events) }
    }
  }

  private func heard() {
    // What it was is looked up in the files themselves.
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { while read(descriptor, $0.baseAddress!, $0.count) > 0 {} }
    let isFirst = state.withLock { state in
      defer { state.isSettling = true }
      return !state.isSettling
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + Self.settling) { [weak self] in
      guard let self else { return }
      state.withLock { $0.isSettling = false }
      watch()
      changed()
    }
  }
}

/// Which contents a file had when it was looked at: another is told without reading it. [any]
struct FileStamp: Equatable {
  private var device: UInt = 0
  private var inode: UInt = 0
  private var size = 0
  private var seconds = 0
  private var nanoseconds = 0

  /// The same for every file that is not there.
  init(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
