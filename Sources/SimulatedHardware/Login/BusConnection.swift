import Foundation
import MessageBus
import Platform
internal import SystemdLibrary

/// A service on a D-Bus, with a thread of its own. [any]
///
/// `@unchecked Sendable`: sd-bus is accessed only with `lock` held.
final class BusConnection: @unchecked Sendable {
  private let bus: OpaquePointer
  private let lock: Lock
  private let answer: (BusMessage) -> Bool
  /// A socket pair that is written to in order to wake the thread for its end.
  private let waker: (here: Int32, there: Int32)
  private let hasEnded = DispatchSemaphore(value: 0)
  private var isEnding = false

  /// Connects, acquires `name`, and answers calls to `path` and below: `answer` is called with `lock` held, and returns false for an
  /// unknown method.
  /// The name may have an owner that is about to leave: it is taken as soon as it is free.
  /// - Throws: `SessionError`.
  init(socket: String, name: String, path: String, lock: Lock, answer: @escaping (BusMessage) -> Bool) throws {
    self.lock = lock
    self.answer = answer
    waker = try ChildSocket.pair()
    var made: OpaquePointer?
    sd_bus_new(&made)
    guard let bus = made else { throw SessionError(.system, "out of memory for a connection to \(socket)") }
    self.bus = bus
    try check(sd_bus_set_address(bus, "unix:path=\(socket)"), "using \(socket)")
    try check(sd_bus_set_bus_client(bus, 1), "using \(socket)")
    try check(sd_bus_start(bus), "connecting to \(socket)")
    try check(sd_bus_request_name(bus, name, UInt64(SD_BUS_NAME_QUEUE)), "taking the name \(name) on \(socket)")
    let data = Unmanaged.passUnretained(self).toOpaque()
    let handler: sd_bus_message_handler_t = { message, data, _ in
      guard let message, let data else { return 0 }
      return Unmanaged<BusConnection>.fromOpaque(data).takeUnretainedValue().answer(BusMessage(message)) ? 1 : 0
    }
    try check(sd_bus_add_fallback(bus, nil, path, handler, data), "answering for \(path)")
    startThread(name: "simulated-bus") { [self] in run() }
  }

  deinit {
    sd_bus_close(bus)
    sd_bus_unref(bus)
    close(waker.here)
    close(waker.there)
  }

  /// Leaves the bus, and returns when the thread has ended. Call it once, without the lock.
  func end() {
    lock.withLock { isEnding = true }
    try? Platform.write([0], to: waker.there)
    hasEnded.wait()
  }

  /// Sends a signal with the arguments appended by `fill`. Call it with the lock held.
  func signal(_ path: String, _ interface: String, _ member: String, _ fill: (BusMessage) -> Void) {
    var message: OpaquePointer?
    guard sd_bus_message_new_signal(bus, &message, path, interface, member) >= 0, let message else { return }
    fill(BusMessage(message))
    sd_bus_send(bus, message, nil)
    sd_bus_message_unref(message)
    sd_bus_flush(bus)
  }

  private func run() {
    defer { hasEnded.signal() }
    while true {
      let descriptor: Int32? = lock.withLock {
        var result: Int32 = 0
        repeat { result = sd_bus_process(bus, nil) } while result > 0
        return result < 0 || isEnding ? nil : sd_bus_get_fd(bus)
      }
      guard let descriptor else { return }
      var queries = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: waker.here, events: Int16(POLLIN), revents: 0),
      ]
      poll(&queries, 2, -1)
    }
  }
}

private func check(_ result: Int32, _ what: String) throws {
  if result < 0 { throw SessionError.system(what, -result) }
}
