import Foundation
import Platform
import Synchronization

/// Reports that one of some files was written, replaced, created or removed, even in a folder that does not exist yet. Uses inotify,
/// without polling. [any]
package final class FileWatch: Sendable {
  private let paths: [String]
  private let descriptor: Int32
  /// Raised to end the thread.
  private let end: WakeSignal
  private let queue: SerialThread
  private let changed: @Sendable () -> Void
  private struct State {
    /// Watch descriptors by folder.
    var watched: [String: Int32] = [:]
    var isSettling = false
  }
  private let state = Mutex(State())

  /// Seconds for a writer to complete a file.
  private static let settling = 0.1
  /// Bytes, of the thread that waits.
  private static let stackSize = 256 << 10
  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB | IN_ONLYDIR)

  /// Returns nil if the kernel refuses. `changed` is called on `queue`, sometimes without a change.
  package init?(_ paths: [String], queue: SerialThread, changed: @escaping @Sendable () -> Void) {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    guard let end = try? WakeSignal() else {
      close(descriptor)
      return nil
    }
    self.paths = paths
    (self.descriptor, self.end) = (descriptor, end)
    self.queue = queue
    self.changed = changed
    watch()
    startThread(name: "nearend-files", stackSize: Self.stackSize) { [weak self] in
      while Self.waitForEvents(descriptor, end.descriptor) { self?.changesArrived() }
      close(descriptor)
    }
  }

  deinit { end.raise() }

  /// Waits until there are events. Returns false if the watch is to end.
  private static func waitForEvents(_ descriptor: Int32, _ end: Int32) -> Bool {
    while true {
      var waiting = [pollfd(fd: end, events: Int16(POLLIN), revents: 0), pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
      guard poll(&waiting, 2, -1) > 0 else { continue }
      return waiting[0].revents == 0
    }
  }

  /// Each file's folder, or its nearest ancestor that exists; for a symbolic link, also the folder of its target.
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
      // A folder that is watched keeps its descriptor; a recreated one gets a new one.
      for folder in folders { state.watched[folder] = inotify_add_watch(descriptor, folder, Self.events) }
    }
  }

  private func changesArrived() {
    // Events are only drained: the files themselves are compared.
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { while read(descriptor, $0.baseAddress!, $0.count) > 0 {} }
    let isFirst = state.withLock { state in
      defer { state.isSettling = true }
      return !state.isSettling
    }
    guard isFirst else { return }
    queue.async(after: Self.settling) { [weak self] in
      guard let self else { return }
      state.withLock { $0.isSettling = false }
      watch()
      changed()
    }
  }
}

/// Device, inode, owner, mode, size and time of a file: detects a change without reading it. [any]
struct FileStamp: Equatable {
  private var device: UInt = 0
  private var inode: UInt = 0
  /// Who may write it decides whether it is read.
  private var owner: UInt32 = 0
  private var mode: UInt32 = 0
  private var size = 0
  private var seconds = 0
  private var nanoseconds = 0

  /// All files that do not exist have the same stamp.
  init(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    (owner, mode) = (status.st_uid, status.st_mode)
    size = Int(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}

/// The stamps of nearend.toml and of the presets beside it. [any]
struct ConfigurationStamp: Equatable {
  private let file: FileStamp
  private let presets: [String: FileStamp]

  init(_ path: String) {
    file = FileStamp(path)
    presets = PresetFolder(beside: path).files.mapValues(FileStamp.init)
  }
}
