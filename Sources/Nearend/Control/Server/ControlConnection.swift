import Glibc
import Platform
import Synchronization

/// The peer has disconnected, or has timed out.
enum ConnectionEnd: Error { case closed, timedOut }

/// One client's socket: reads and writes bytes, each with a deadline.
///
/// `@unchecked Sendable`: one thread serves the connection and accesses everything except `state`, which a lock guards for `interrupt` and
/// `close`.
final class ControlConnection: @unchecked Sendable {
  private struct State {
    var isClosed = false
    /// CLOCK_MONOTONIC in s at which the request under way began.
    var servingSince: Double?
    var obstacle: String?
  }
  private let descriptor: Int32
  private let state = Mutex(State())
  /// Bytes that have been read and not yet taken.
  private(set) var input: ArraySlice<UInt8> = []
  /// CLOCK_MONOTONIC in s at which the client last had nothing to read. Never set by a client that is faster than it is read.
  private(set) var lastEmpty = -Double.infinity

  /// Forgets the client's pace at the start of a body.
  func forgetPace() { lastEmpty = -.infinity }

  private static let readSize = 16 << 10
  /// Number of reads after which a client that keeps sending is dropped: a megabyte.
  private static let lastReads = 64

  /// Takes ownership of the descriptor.
  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close() }

  /// Whether a request is being answered, so that the connection is not idle. [any]
  var isServing: Bool {
    get { state.withLock { $0.servingSince != nil } }
    set { state.withLock { $0.servingSince = newValue ? monotonicSeconds() : nil } }
  }

  /// Seconds for which the present request has been under way; 0 without one. [any]
  var servingSeconds: Double { state.withLock { $0.servingSince.map { monotonicSeconds() - $0 } ?? 0 } }

  /// Whether the client came when all places were taken: it has one request, of those that cannot wait. [any]
  var isReserved: Bool { obstacle != nil }

  /// Why there is no place for a client whose request can wait; nil if there is. [any]
  var obstacle: String? {
    get { state.withLock { $0.obstacle } }
    set { state.withLock { $0.obstacle = newValue } }
  }

  /// Interrupts whatever its thread waits for. [any]
  func interrupt() { state.withLock { if !$0.isClosed { shutdown(descriptor, Int32(SHUT_RDWR)) } } }

  func close() {
    state.withLock {
      if !$0.isClosed { Glibc.close(descriptor) }
      $0.isClosed = true
    }
  }

  // MARK: Reading

  /// Removes and returns the first `count` bytes of the input.
  func consume(_ count: Int) -> ArraySlice<UInt8> {
    defer { input = input.dropFirst(count) }
    return input.prefix(count)
  }

  /// Waits for more input; returns false if the client has sent its last. `deadline` is on CLOCK_MONOTONIC, in s; nil waits for ever.
  func fill(deadline: Double?) throws(ConnectionEnd) -> Bool {
    var bytes = [UInt8](repeating: 0, count: Self.readSize)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count > 0 {
        input = ArraySlice(Array(input) + bytes.prefix(count))
        return true
      }
      if count == 0 { return false }
      switch errno {
      case EAGAIN:
        lastEmpty = monotonicSeconds()
        guard try wait(for: POLLIN, until: deadline) else { throw .timedOut }
      case EINTR: break
      default: throw .closed
      }
    }
  }

  /// Waits for more input, at most `seconds`; returns false if none came. Throws `.closed` once the client has sent its last.
  func fill(within seconds: Double) throws(ConnectionEnd) -> Bool {
    do throws(ConnectionEnd) {
      guard try fill(deadline: monotonicSeconds() + seconds) else { throw .closed }
      return true
    } catch {
      guard case .timedOut = error else { throw error }
      return false
    }
  }

  /// Waits; throws `.closed` as soon as the client has disconnected.
  func pause(seconds: Double, waking wake: Int32? = nil) throws(ConnectionEnd) {
    var events = [pollfd(fd: descriptor, events: 0, revents: 0)]
    if let wake { events.append(pollfd(fd: wake, events: Int16(POLLIN), revents: 0)) }
    _ = poll(&events, nfds_t(events.count), Int32(seconds * 1000))
    if Int32(events[0].revents) & (POLLHUP | POLLERR | POLLNVAL) != 0 { throw .closed }
  }

  // MARK: Writing

  /// Sends all bytes; throws `.timedOut` if the client accepts nothing for `stall` seconds.
  func send(_ bytes: [UInt8], stall: Double) throws(ConnectionEnd) {
    let result = bytes.withUnsafeBytes { buffer in
      do throws(ConnectionEnd) { return Result<Void, ConnectionEnd>.success(try send(buffer, stall: stall)) } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private func send(_ buffer: UnsafeRawBufferPointer, stall: Double) throws(ConnectionEnd) {
    var sent = 0
    while sent < buffer.count {
      let count = Glibc.send(
        descriptor, buffer.baseAddress! + sent, buffer.count - sent, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      if count >= 0 {
        sent += count
        continue
      }
      switch errno {
      case EAGAIN: guard try wait(for: POLLOUT, until: monotonicSeconds() + stall) else { throw .timedOut }
      case EINTR: break
      default: throw .closed
      }
    }
  }

  /// Shuts down sending, and keeps reading for a moment: otherwise a client that still sends would lose the answer.
  func finish() {
    shutdown(descriptor, Int32(SHUT_WR))
    let deadline = monotonicSeconds() + 0.5
    var reads = 0
    while reads < Self.lastReads, (try? fill(deadline: deadline)) == true {
      input = []
      reads += 1
    }
  }

  /// Returns false when the deadline passes. Available input takes precedence over a hang-up.
  private func wait(for events: Int32, until deadline: Double?) throws(ConnectionEnd) -> Bool {
    while true {
      let left = deadline.map { $0 - monotonicSeconds() }
      if let left, left <= 0 { return false }
      var event = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let result = poll(&event, 1, left.map { Int32(min($0 * 1000, 3_600_000).rounded(.up)) } ?? -1)
      if result < 0, errno != EINTR { throw .closed }
      let found = Int32(event.revents)
      if found & events != 0 { return true }
      if found & (POLLHUP | POLLERR | POLLNVAL) != 0 { throw .closed }
    }
  }
}
