import Glibc
import PipeWireClient
import Platform
internal import SystemdLibrary

/// A connection to a D-Bus whose file descriptor is watched by the loop: nothing polls, and nothing waits for an answer. [control]
package final class Bus {
  /// Which bus.
  package enum Address: Sendable, Equatable {
    /// The machine's: `DBUS_SYSTEM_BUS_ADDRESS`, or the system's default.
    case system
    /// The user's login session's: `DBUS_SESSION_BUS_ADDRESS`, or `$XDG_RUNTIME_DIR/bus`.
    case session
    /// An address in D-Bus's syntax, "unix:path=/run/dbus/system_bus_socket".
    case at(String)

    fileprivate var name: String {
      switch self {
      case .system: "system bus"
      case .session: "session bus"
      case .at(let text): "bus at \(text)"
      }
    }
  }

  /// Why a bus operation failed.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
    init(_ result: Int32, _ what: String) { description = "\(what): \(String(cString: strerror(-result)))" }
    init(_ description: String) { self.description = description }
  }

  private let bus: OpaquePointer
  /// "system bus".
  private let name: String
  private let loop: ThreadLoop
  private let lost: (Failure) -> Void
  /// A duplicate of the bus's socket, because sd-bus closes its own before it reports the loss of the bus. A closed descriptor cannot be
  /// removed from the loop, which keeps reporting the socket while a child process still holds it.
  private let socket: Int32
  private var descriptor: LoopDescriptor?
  private var timer: LoopTimer?
  private var listeners: [Listener] = []
  private var calls: [ObjectIdentifier: Listener] = [:]
  private var objects: [ServedObject] = []
  private var isLost = false

  /// The context of an sd-bus callback.
  private final class Listener {
    private(set) weak var bus: Bus?
    let receive: (BusMessage) -> Void

    init(_ bus: Bus, _ receive: @escaping (BusMessage) -> Void) {
      self.bus = bus
      self.receive = receive
    }

    var data: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
    static func this(_ data: UnsafeMutableRawPointer) -> Listener { Unmanaged<Listener>.fromOpaque(data).takeUnretainedValue() }
  }

  /// The context of an object's callback.
  private final class ServedObject {
    let answer: (BusMessage) -> Bool
    init(_ answer: @escaping (BusMessage) -> Bool) { self.answer = answer }
    var data: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
    static func this(_ data: UnsafeMutableRawPointer) -> ServedObject { Unmanaged<ServedObject>.fromOpaque(data).takeUnretainedValue() }
  }

  /// Connects. Everything else, including the absence of an answer, is reported later by `lost`, once.
  /// - Throws: if there is no bus.
  package init(_ address: Address, loop: ThreadLoop, lost: @escaping (Failure) -> Void) throws(Failure) {
    (self.loop, name) = (loop, address.name)
    self.lost = lost
    bus = try Self.open(address)
    socket = fcntl(sd_bus_get_fd(bus), F_DUPFD_CLOEXEC, 0)
    guard socket >= 0 else { throw Failure(-errno, "no descriptor for the bus") }
    descriptor = LoopDescriptor(loop: loop, descriptor: socket, events: sd_bus_get_events(bus))
    timer = LoopTimer(loop: loop)
    for source in [descriptor, timer] as [LoopSource?] { source?.connect(to: self) { $0.process() } }
    waitForMore()
  }

  deinit {
    descriptor?.cancel()
    timer?.cancel()
    if socket >= 0 { close(socket) }
    // Not flushed: that could wait for a bus that does not answer.
    sd_bus_close(bus)
    sd_bus_unref(bus)
  }

  private static func open(_ address: Address) throws(Failure) -> OpaquePointer {
    var made: OpaquePointer?
    var result: Int32
    switch address {
    case .system: result = sd_bus_open_system(&made)
    case .session: result = sd_bus_open_user(&made)
    case .at(let text):
      result = sd_bus_new(&made)
      if result >= 0 { result = sd_bus_set_address(made, text) }
      if result >= 0 { result = sd_bus_set_bus_client(made, 1) }
      if result >= 0 { result = sd_bus_start(made) }
    }
    guard result >= 0, let made else {
      sd_bus_unref(made)
      throw Failure(result, "no \(address.name)")
    }
    return made
  }

  // MARK: Calls and signals

  /// Calls a method of a service; `fill` appends its arguments. `answered` receives the answer or the error.
  package func call(
    _ service: String, _ path: String, _ interface: String, _ member: String, _ fill: (BusMessage) -> Void = { _ in },
    answered: @escaping (BusMessage) -> Void
  ) {
    var message: OpaquePointer?
    guard sd_bus_message_new_method_call(bus, &message, service, path, interface, member) >= 0, let message else { return }
    fill(BusMessage(message))
    let listener = Listener(self, answered)
    let result = sd_bus_call_async(
      bus, nil, message,
      { message, data, _ in
        guard let message, let data else { return 0 }
        let listener = Listener.this(data)
        listener.bus?.calls[ObjectIdentifier(listener)] = nil
        listener.receive(BusMessage(message))
        return 0
      }, listener.data, 0)
    sd_bus_message_unref(message)
    if result >= 0 { calls[ObjectIdentifier(listener)] = listener }
    waitForMore()
  }

  /// Listens for messages that match `rule`, in D-Bus's syntax.
  package func listen(_ rule: String, _ receive: @escaping (BusMessage) -> Void) {
    let listener = Listener(self, receive)
    listeners.append(listener)
    sd_bus_add_match_async(
      bus, nil, rule,
      { message, data, _ in
        guard let message, let data else { return 0 }
        Listener.this(data).receive(BusMessage(message))
        return 0
      }, { _, _, _ in 0 }, listener.data)
    waitForMore()
  }

  // MARK: Objects

  /// Answers calls to the object at `path`, for as long as the bus is there. `answer` replies or refuses and returns true, or returns false
  /// for a method that the object does not have, which the caller is told.
  package func serve(_ path: String, _ answer: @escaping (BusMessage) -> Bool) {
    let object = ServedObject(answer)
    objects.append(object)
    sd_bus_add_object(
      bus, nil, path,
      { message, data, _ in
        guard let message, let data else { return 0 }
        return ServedObject.this(data).answer(BusMessage(message)) ? 1 : 0
      }, object.data)
  }

  /// Sends a signal of an object to whoever listens; `fill` appends its arguments.
  package func signal(_ path: String, _ interface: String, _ member: String, _ fill: (BusMessage) -> Void = { _ in }) {
    var message: OpaquePointer?
    guard !isLost, sd_bus_message_new_signal(bus, &message, path, interface, member) >= 0, let message else { return }
    fill(BusMessage(message))
    sd_bus_send(bus, message, nil)
    sd_bus_message_unref(message)
    waitForMore()
  }

  // MARK: Events

  private func process() {
    guard !isLost else { return }
    var result: Int32
    repeat { result = sd_bus_process(bus, nil) } while result > 0
    guard result >= 0, sd_bus_is_open(bus) > 0 else {
      isLost = true
      descriptor?.cancel()
      timer?.pause()
      return lost(Failure(result < 0 ? result : -ECONNRESET, "the \(name) went away"))
    }
    waitForMore()
  }

  private func waitForMore() {
    guard !isLost else { return }
    let events = sd_bus_get_events(bus)
    if events >= 0 { descriptor?.wait(for: events) }
    var microseconds: UInt64 = 0
    guard sd_bus_get_timeout(bus, &microseconds) >= 0, microseconds != .max else {
      timer?.pause()
      return
    }
    timer?.schedule(after: max(1e-4, Double(microseconds) / 1e6 - monotonicSeconds()))
  }
}
