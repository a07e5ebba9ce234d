internal import CPipeWire
internal import Glibc
import Platform
internal import Synchronization

/// The thread on which libpipewire calls back, with a lock that excludes all other threads during callbacks.
///
/// Everything in this module marked [control] is called either from a callback or inside `locked`.
///
/// From 1.6 on, libpipewire frees a source that it could not make and leaves it in the loop's list: later calls abort the process, or never
/// return. So what takes descriptors is asked of it only while there are enough, which `hasDescriptors` tells.
///
/// `@unchecked Sendable`: the pointer is constant, and the pw_thread_loop functions used here may be called from any thread.
package final class ThreadLoop: @unchecked Sendable {
  /// nil if the system had no descriptors for it: then `start` throws, and what is called otherwise does nothing.
  private let loop: OpaquePointer?
  var events: UnsafeMutablePointer<pw_loop>? { loop.map { pw_thread_loop_get_loop($0) } }
  /// Why something could not be made.
  private let failure = Mutex<PipeWireError?>(nil)
  /// The thread inside `locked`; 0 for none. A thread finds its own value here only while it holds the lock.
  private let holder = Atomic<UInt>(0)

  /// Creates the loop, unless fewer descriptors are left than it and what is made on it may need; `start` runs it. [any]
  package init(name: String, descriptors: Int = Shortage.mostNeeded) {
    PipeWireLibrary.initialize()
    loop = Self.hasDescriptors(descriptors) ? pw_thread_loop_new(name, nil) : nil
    // From 1.6 on, `stop` takes a queue of the loop's, which has a descriptor: without one its thread would never end. Here the loop keeps
    // one.
    if let events { npw_loop_make_queue(events) }
    if loop == nil { fail() }
  }

  /// Returns whether `count` descriptors are left; if not, `errno` says why. [any]
  static func hasDescriptors(_ count: Int = Shortage.mostNeeded) -> Bool {
    guard Shortage.lacksDescriptors(count) else { return true }
    errno = EMFILE
    return false
  }

  deinit { if let loop { pw_thread_loop_destroy(loop) } }

  /// Starts the thread. [any], once.
  /// - Throws: `refused` if the system had no thread to spare, or no descriptors for the loop or a source.
  package func start() throws(PipeWireError) {
    try check()
    guard let loop else { return }
    // Locked, so that the thread begins once the library knows it: a callback before that would not count as one.
    pw_thread_loop_lock(loop)
    defer { pw_thread_loop_unlock(loop) }
    let result = pw_thread_loop_start(loop)
    guard result == 0 else { throw PipeWireError(failed: "PipeWire's thread cannot be started", result) }
  }

  /// Ends the thread; must not be called on it. [any]
  package func stop() { if let loop { pw_thread_loop_stop(loop) } }

  /// Throws once if a source could not be made since the last call: it would never fire. [any]
  package func check() throws(PipeWireError) {
    let failure = failure.withLock { failure in
      defer { if loop != nil { failure = nil } }
      return failure
    }
    if let failure { throw failure }
  }

  /// Remembers the failure of the call before.
  fileprivate func fail() {
    let error = PipeWireError(failed: "PipeWire's loop cannot be made", errno)
    failure.withLock { $0 = error }
  }

  /// Runs `body` while the loop's thread is paused; may be nested, even on the loop's own thread. [any]
  package func locked<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
    guard let loop else { return try body() }
    pw_thread_loop_lock(loop)
    let outer = holder.exchange(pthread_self(), ordering: .relaxed)
    defer {
      holder.store(outer, ordering: .relaxed)
      pw_thread_loop_unlock(loop)
    }
    return try body()
  }

  /// Traps, in a debug build, unless the calling thread may use what is [control]: unless it runs one of the loop's callbacks or is inside
  /// `locked`. [any]
  package func assertLocked(file: StaticString = #fileID, line: UInt = #line) {
    assert(
      loop == nil || pw_thread_loop_in_thread(loop) || holder.load(ordering: .relaxed) == pthread_self(), "called without the loop's lock",
      file: file, line: line)
  }

  /// Wakes a thread in `wait`. [control]
  package func signal() { if let loop { pw_thread_loop_signal(loop, false) } }

  /// Releases the lock until `signal`, or until `seconds` have passed, in which case it returns false. [control], not on the loop's own
  /// thread.
  package func wait(seconds: Double) -> Bool {
    guard let loop else { return false }
    var deadline = timespec()
    pw_thread_loop_get_time(loop, &deadline, Int64(seconds * 1e9))
    // Other threads may have held the lock meanwhile.
    defer { holder.store(pthread_self(), ordering: .relaxed) }
    return pw_thread_loop_timed_wait_full(loop, &deadline) == 0
  }
}

/// A source of closure calls on the loop's thread. [control]
package class LoopSource {
  fileprivate let loop: ThreadLoop
  fileprivate var source: UnsafeMutablePointer<spa_source>?
  private var handler: () -> Void
  /// Descriptors that must be left to make one: more than it takes, because other threads may take some meanwhile.
  private static let mostNeeded = 4

  fileprivate init(loop: ThreadLoop, handler: @escaping () -> Void) {
    self.loop = loop
    self.handler = handler
  }

  /// Calls `handler` with `owner`, for as long as `owner` exists. For an owner that is not fully initialised when it creates the source.
  /// [control]
  package final func connect<Owner: AnyObject>(to owner: Owner, _ handler: @escaping (Owner) -> Void) {
    self.handler = { [weak owner] in if let owner { handler(owner) } }
  }

  deinit { cancel() }

  /// Stops the source for good. [control]
  package final func cancel() {
    guard let source else { return }
    npw_loop_destroy_source(loop.events, source)
    self.source = nil
  }

  /// Takes what the library has made on the loop.
  fileprivate final func make(_ make: (UnsafeMutablePointer<pw_loop>) -> UnsafeMutablePointer<spa_source>?) {
    guard let events = loop.events else { return }
    source = ThreadLoop.hasDescriptors(Self.mostNeeded) ? make(events) : nil
    if source == nil { loop.fail() }
  }

  /// The context pointer for libpipewire's callbacks.
  fileprivate final var data: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
  fileprivate static func fire(_ data: UnsafeMutableRawPointer?) { Unmanaged<LoopSource>.fromOpaque(data!).takeUnretainedValue().handler() }
}

/// Calls a closure on the loop's thread, once or repeatedly. [control]
package final class LoopTimer: LoopSource {
  /// `handler`, or what is connected later, runs on the loop's thread. [control], or before the loop's `start`
  package override init(loop: ThreadLoop, handler: @escaping () -> Void = {}) {
    super.init(loop: loop, handler: handler)
    make { npw_loop_add_timer($0, { data, _ in LoopSource.fire(data) }, data) }
  }

  /// Fires after `delay` seconds (more than 0), then every `interval` seconds unless that is 0. [control]
  package func schedule(after delay: Double, every interval: Double = 0) {
    loop.assertLocked()
    guard let source else { return }
    npw_loop_timer_set(loop.events, source, delay, interval)
  }

  /// Stops firing until scheduled again. [control]
  package func pause() { schedule(after: 0) }
}

/// Runs a closure on the loop's thread asynchronously, once for any number of requests in between. [control]
package final class LoopSignal: LoopSource {
  /// `handler`, or what is connected later, runs on the loop's thread. [control], or before the loop's `start`
  package override init(loop: ThreadLoop, handler: @escaping () -> Void = {}) {
    super.init(loop: loop, handler: handler)
    make { npw_loop_add_event($0, { data, _ in LoopSource.fire(data) }, data) }
  }

  /// Requests a call. [any], while the signal exists.
  package func raise() {
    guard let source else { return }
    npw_loop_signal_event(loop.events, source)
  }
}

/// Runs a closure on the loop's thread when a file descriptor is readable, writable or hung up. [control]
package final class LoopDescriptor: LoopSource {
  /// Watches `descriptor`, which the caller owns and which must outlive this. `events` are poll's. [control]
  package init(loop: ThreadLoop, descriptor: Int32, events: Int32, handler: @escaping () -> Void = {}) {
    super.init(loop: loop, handler: handler)
    make { npw_loop_add_io($0, descriptor, UInt32(bitPattern: events), { data, _, _ in LoopSource.fire(data) }, data) }
  }

  /// Changes the events to wait for. [control]
  package func wait(for events: Int32) {
    guard let source else { return }
    npw_loop_update_io(loop.events, source, UInt32(bitPattern: events))
  }
}

/// The C library.
package enum PipeWireLibrary {
  private static let initialized: Void = pw_init(nil, nil)

  /// Initializes the library, before any other call; every initializer of this module calls it. [any]
  static func initialize() { _ = initialized }

  /// The version of the running libpipewire, "0.3.65". [any]
  package static var version: String { String(cString: pw_get_library_version()) }
}
