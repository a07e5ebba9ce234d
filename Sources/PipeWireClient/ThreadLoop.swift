internal import CPipeWire

/// The thread on which libpipewire calls back, and the lock that keeps everyone else out meanwhile.
///
/// Everything in this module that is marked [control] is called either from a callback, or inside `locked`.
///
/// `@unchecked Sendable`: the pointer is constant, and pw_thread_loop's functions used here may be called from any thread.
public final class ThreadLoop: @unchecked Sendable {
  let loop: OpaquePointer
  var events: UnsafeMutablePointer<pw_loop> { pw_thread_loop_get_loop(loop) }

  /// Makes the loop; `start` runs it. Traps only where the process is out of memory or file descriptors. [any]
  public init(name: String) {
    PipeWireLibrary.initialize()
    guard let loop = pw_thread_loop_new(name, nil) else { fatalError("cannot make the thread \(name): out of file descriptors") }
    self.loop = loop
  }

  deinit { pw_thread_loop_destroy(loop) }

  /// Starts the thread. [any], once.
  public func start() { pw_thread_loop_start(loop) }

  /// Ends the thread; must not be called from it. [any]
  public func stop() { pw_thread_loop_stop(loop) }

  /// Runs `body` while the loop's thread is held up; may be nested, also on the loop's own thread. [any]
  public func locked<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
    pw_thread_loop_lock(loop)
    defer { pw_thread_loop_unlock(loop) }
    return try body()
  }

  /// Wakes whoever waits in `wait`. [control]
  public func signal() { pw_thread_loop_signal(loop, false) }

  /// Lets go of the lock until `signal`, or until `seconds` have passed: then false. [control], not on the loop's own thread.
  public func wait(seconds: Double) -> Bool {
    var deadline = timespec()
    pw_thread_loop_get_time(loop, &deadline, Int64(seconds * 1e9))
    return pw_thread_loop_timed_wait_full(loop, &deadline) == 0
  }
}

/// Something that calls a closure on the loop's thread. [control]
public class LoopSource {
  fileprivate let loop: ThreadLoop
  fileprivate var source: UnsafeMutablePointer<spa_source>?
  private let handler: () -> Void

  fileprivate init(loop: ThreadLoop, handler: @escaping () -> Void) {
    self.loop = loop
    self.handler = handler
  }

  deinit { cancel() }

  /// Never fires again. [control]
  public final func cancel() {
    guard let source else { return }
    npw_loop_destroy_source(loop.events, source)
    self.source = nil
  }

  /// What libpipewire is given for its callbacks, and what they call with it.
  fileprivate final var data: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
  fileprivate static func fire(_ data: UnsafeMutableRawPointer?) { Unmanaged<LoopSource>.fromOpaque(data!).takeUnretainedValue().handler() }
}

/// Calls a closure on the loop's thread, once or again and again. [control]
public final class LoopTimer: LoopSource {
  /// `handler` runs on the loop's thread. [control]
  public override init(loop: ThreadLoop, handler: @escaping () -> Void) {
    super.init(loop: loop, handler: handler)
    source = npw_loop_add_timer(loop.events, { data, _ in LoopSource.fire(data) }, data)
  }

  /// Fires after `delay` seconds (more than 0), then every `interval` seconds where that is not 0. [control]
  public func schedule(after delay: Double, every interval: Double = 0) {
    guard let source else { return }
    npw_loop_timer_set(loop.events, source, delay, interval)
  }

  /// Fires no more until it is scheduled again. [control]
  public func pause() { schedule(after: 0) }
}

/// Runs a closure on the loop's thread soon, once however often it was asked for meanwhile. [control]
public final class LoopSignal: LoopSource {
  /// `handler` runs on the loop's thread. [control]
  public override init(loop: ThreadLoop, handler: @escaping () -> Void) {
    super.init(loop: loop, handler: handler)
    source = npw_loop_add_event(loop.events, { data, _ in LoopSource.fire(data) }, data)
  }

  /// [any], while the signal exists.
  public func raise() {
    guard let source else { return }
    npw_loop_signal_event(loop.events, source)
  }
}

/// Runs a closure on the loop's thread when a file descriptor can be read or written, or is hung up. [control]
public final class LoopDescriptor: LoopSource {
  /// Watches `descriptor`, which stays the caller's and must outlive this. `events` are poll's. [control]
  public init(loop: ThreadLoop, descriptor: Int32, events: Int32, handler: @escaping () -> Void) {
    super.init(loop: loop, handler: handler)
    source = npw_loop_add_io(loop.events, descriptor, UInt32(bitPattern: events), { data, _, _ in LoopSource.fire(data) }, data)
  }

  /// Waits for other events from now on. [control]
  public func wait(for events: Int32) {
    guard let source else { return }
    npw_loop_update_io(loop.events, source, UInt32(bitPattern: events))
  }
}
