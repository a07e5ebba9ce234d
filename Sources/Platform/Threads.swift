import Glibc

/// Runs `body` on a detached thread: at once, or, if the system has none to spare now, as soon as it has. [any]
/// - Parameters:
///   - name: the name that tools show, at most 15 bytes.
///   - stackSize: bytes; nil for the process's own default.
/// - Returns: whether at once.
@discardableResult
package func startThread(name: String, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) -> Bool {
  ThreadRetries.shared.prepare()
  do throws(SystemError) {
    try startThreadNow(name: name, stackSize: stackSize, body)
    return true
  } catch {
    ThreadRetries.shared.add(ThreadRetries.Request(name: name, stackSize: stackSize, body: body))
    return false
  }
}

/// Runs `body` on a detached thread; see `startThread`. [any]
/// - Throws: `EAGAIN` if the system, or its limit for this user, has no thread to spare.
package func startThreadNow(name: String, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
  final class Start {
    let name: String
    let body: () -> Void
    init(_ name: String, _ body: @escaping () -> Void) { (self.name, self.body) = (name, body) }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
  var thread = pthread_t()
  let start = Unmanaged.passRetained(Start(name, body))
  let result = pthread_create(
    &thread, &attributes,
    { start in
      let start = Unmanaged<Start>.fromOpaque(start!).takeRetainedValue()
      // As pthread_setname_np does, which Glibc's module lacks.
      let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
      if file >= 0 {
        try? write(start.name.utf8.prefix(15), to: file)
        close(file)
      }
      start.body()
      return nil
    }, start.toOpaque())
  guard result == 0 else {
    start.release()
    throw SystemError(code: result)
  }
}

/// The calling thread's name, at most 15 bytes. [any]
package var currentThreadName: String {
  let bytes = (try? contents(ofFile: "/proc/thread-self/comm", atMost: 64)) ?? []
  return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
}

/// Returns the highest realtime priority of the process's threads, 1–99; 0 if none has one, nil if the process cannot be examined. [any]
package func realtimePriority(ofProcess process: Int32) -> Int? {
  guard let folder = opendir("/proc/\(process)/task") else { return nil }
  defer { closedir(folder) }
  var highest: Int?
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    var parameters = sched_param()
    guard let thread = pid_t(name), sched_getparam(thread, &parameters) == 0 else { continue }
    highest = max(highest ?? 0, Int(parameters.sched_priority))
  }
  return highest
}

/// Blocks the calling thread. [any]
package func pause(seconds: Double) {
  // Sleeps until a deadline rather than for a duration, so that signals do not prolong it.
  let nanoseconds = Int(monotonicNanoseconds()) + Int(seconds * 1e9)
  var end = timespec(tv_sec: nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nil) == EINTR {}
}
