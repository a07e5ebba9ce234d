import Foundation
import Glibc
import PipeWireClient
import Platform
import Synchronization

/// A socket that accepts clients. [any]
protocol ListeningSocket: Sendable {
  var descriptor: Int32 { get }
  /// Stops accepting, and wakes the thread that waits for clients. Idempotent.
  func remove()
  /// Returns whether a client that was just accepted is allowed.
  func admits(_ client: Int32) -> Bool
}

/// An HTTP/1.1 server with a thread for each client, so that no client can delay another.
final class ControlServer: Sendable {
  private struct State {
    var connections: [Int: ControlConnection] = [:]
    var nextId = 0
    var isStopping = false
    /// Clients that wait for `threadless`.
    var threadless = 0
  }
  private let socket: any ListeningSocket
  private let limits: ControlLimits
  private let respond: @Sendable (ControlExchange) throws -> Void
  private let state = Mutex(State())
  private let threads = DispatchGroup()
  /// Limits the connections that may be open, including those being closed: accepting waits for it, so that no client can exhaust the
  /// descriptors.
  private let room = DispatchSemaphore(value: 0)

  /// Serves those for whom the system has no thread.
  private let threadless = SerialThread(name: ControlServer.clientThread)

  /// Held so that a client can be let in when there is no other descriptor left; −1 while one was.
  private let spare = Atomic<Int32>(-1)

  private static let stackSize = 512 << 10
  /// Connections that may be closing beyond the limit.
  private static let closing = 16
  /// Seconds that `stop` waits for the clients' threads.
  private static let patience = 0.5
  private static let clientThread = "nearend-client"
  /// Clients that may wait for the thread they share.
  private static let mostThreadless = 8
  /// Seconds in which a client begins its request whom others may wait for.
  private static let sharedSeconds = 0.5

  /// - Parameter respond: answers a request on its client's thread; a thrown error becomes the answer.
  init(socket: any ListeningSocket, limits: ControlLimits, respond: @escaping @Sendable (ControlExchange) throws -> Void) {
    self.socket = socket
    self.limits = limits
    self.respond = respond
    for _ in 0..<limits.connections + limits.reserve + Self.closing { room.signal() }
  }

  func start() {
    holdSpare()
    threads.enter()
    startThread(name: "nearend-socket", stackSize: Self.stackSize) { [self] in
      acceptAll()
      threads.leave()
    }
  }

  /// Ends every connection. Idempotent.
  func stop() {
    let connections = state.withLock { state in
      state.isStopping = true
      return Array(state.connections.values)
    }
    // Also wakes `poll` and `accept`.
    socket.remove()
    for connection in connections { connection.interrupt() }
    // A client's own thread, which may release the last reference to the service, must not wait for itself.
    if currentThreadName != Self.clientThread { _ = threads.wait(timeout: .now() + Self.patience) }
  }

  /// The number of connected clients.
  var connectionCount: Int { state.withLock { $0.connections.count } }

  // MARK: Accepting

  private func acceptAll() {
    var waits = 0
    while !state.withLock({ $0.isStopping }) {
      var event = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&event, 1, -1)
      room.wait()
      holdSpare()
      var descriptor = accept(socket.descriptor, nil, nil)
      let isScarce = descriptor < 0 && [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno)
      if isScarce, releaseSpare() { descriptor = accept(socket.descriptor, nil, nil) }
      guard descriptor >= 0 else {
        room.signal()
        guard isScarce else { continue }
        // Wait for some to be closed, in the end by force.
        usleep(20_000)
        waits += 1
        if waits % 10 == 0 { endSilent() }
        continue
      }
      waits = 0
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      guard socket.admits(descriptor) else {
        close(descriptor)
        room.signal()
        continue
      }
      let connection = ControlConnection(descriptor: descriptor)
      if isScarce { connection.obstacle = "no descriptor is left for another client; end some programs" }
      admit(connection)
    }
    releaseSpare()
  }

  private func holdSpare() {
    if spare.load(ordering: .relaxed) < 0 { spare.store(open("/dev/null", O_RDONLY | O_CLOEXEC), ordering: .relaxed) }
  }

  /// Gives the spare descriptor away. Returns whether there was one.
  @discardableResult
  private func releaseSpare() -> Bool {
    let held = spare.exchange(-1, ordering: .relaxed)
    return held >= 0 && close(held) == 0
  }

  /// Ends the clients of the reserve that have not made their request.
  private func endSilent() {
    let silent = state.withLock { state in state.connections.values.filter { $0.isReserved && !$0.isServing } }
    for connection in silent { connection.interrupt() }
  }

  private func admit(_ connection: ControlConnection) {
    let id: Int? = state.withLock { state in
      guard !state.isStopping else { return nil }
      guard makeRoom(for: connection, &state) else { return nil }
      state.nextId += 1
      state.connections[state.nextId] = connection
      return state.nextId
    }
    guard let id else { return refuse(connection, limits.areReached) }
    threads.enter()
    do throws(SystemError) {
      try startThreadNow(name: Self.clientThread, stackSize: limits.stackBytes) { [self] in
        serve(connection, idleSeconds: limits.idleSeconds)
        end(id, connection)
        threads.leave()
      }
    } catch {
      let obstacle = connection.obstacle ?? "the system has no thread for another client (\(error)); end some programs"
      connection.obstacle = obstacle
      if serveThreadless(id, connection) { return }
      threads.leave()
      state.withLock { _ = $0.connections.removeValue(forKey: id) }
      refuse(connection, obstacle)
    }
  }

  /// Serves a client behind others on the thread that is there already. Returns false if too many wait, or the server stops.
  private func serveThreadless(_ id: Int, _ connection: ControlConnection) -> Bool {
    let waits = state.withLock { state in
      guard !state.isStopping, state.threadless < Self.mostThreadless else { return false }
      state.threadless += 1
      return true
    }
    guard waits else { return false }
    threadless.async { [self] in
      state.withLock { $0.threadless -= 1 }
      serve(connection, idleSeconds: Self.sharedSeconds)
      end(id, connection)
      threads.leave()
    }
    return true
  }

  private func end(_ id: Int, _ connection: ControlConnection) {
    connection.close()
    state.withLock { _ = $0.connections.removeValue(forKey: id) }
    room.signal()
  }

  /// Makes a place for a further client: that of the oldest without a request so far, or of one that does not take its answer; or one of
  /// the reserve. Returns false if there is none.
  private func makeRoom(for connection: ControlConnection, _ state: inout State) -> Bool {
    let ordinary = state.connections.filter { !$0.value.isReserved }
    guard ordinary.count >= limits.connections else { return true }
    let slow = ordinary.filter { $0.value.servingSeconds > limits.slowestAnswer ?? .infinity }
    if let id = ordinary.filter({ !$0.value.isServing }).keys.min() ?? slow.keys.min() {
      state.connections.removeValue(forKey: id)?.interrupt()
      return true
    }
    guard limits.reserve > 0 else { return false }
    connection.obstacle = limits.areReached
    let reserved = state.connections.filter { $0.value.isReserved }.keys
    if reserved.count >= limits.reserve, let oldest = reserved.min() { state.connections.removeValue(forKey: oldest)?.interrupt() }
    return true
  }

  private func refuse(_ connection: ControlConnection, _ reason: String) {
    let body = "{\"error\": \"\(reason)\"}\n"
    let text = """
      HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\
      Connection: close\r\n\r\n\(body)
      """
    try? connection.send(Array(text.utf8), stall: 0)
    connection.close()
    room.signal()
  }

  // MARK: One client

  /// - Parameter idleSeconds: seconds that it may wait for its next request.
  private func serve(_ connection: ControlConnection, idleSeconds: Double) {
    while let outcome = try? nextHead(from: connection, idleSeconds: idleSeconds) {
      connection.isServing = true
      let exchange: ControlExchange
      switch outcome {
      case .success(let head): exchange = ControlExchange(head, on: connection, limits: limits)
      case .failure(let failure):
        exchange = ControlExchange(.unreadable, on: connection, limits: limits)
        guard (try? exchange.answer(failure)) != nil else { return }
        return connection.finish()
      }
      do {
        try answer(exchange)
      } catch {
        return
      }
      guard exchange.leavesConnectionUsable else { return connection.finish() }
      connection.isServing = false
    }
  }

  private func answer(_ exchange: ControlExchange) throws {
    do {
      try respond(exchange)
    } catch let failure as RequestFailure {
      // In the middle of an answer, an error can only break it off.
      guard !exchange.isAnswered else { throw ConnectionEnd.closed }
      exchange.discardShortBody()
      try exchange.answer(failure)
    } catch ConnectionEnd.timedOut where !exchange.isAnswered {
      try exchange.answer(RequestFailure(408, "the request did not come in time; send it at once"))
    }
  }

  /// Returns the next request, or what is wrong with it; nil if the client has ended.
  private func nextHead(
    from connection: ControlConnection, idleSeconds: Double
  ) throws(ConnectionEnd) -> Result<RequestHead, RequestFailure>? {
    var deadline = monotonicSeconds() + idleSeconds
    var hasBegun = false
    while true {
      // Empty lines before a request are allowed (RFC 9112, section 2.2).
      while let first = connection.input.first, first == 10 || first == 13, !hasBegun { _ = connection.consume(1) }
      if !hasBegun, !connection.input.isEmpty {
        hasBegun = true
        deadline = monotonicSeconds() + limits.requestSeconds
      }
      if let end = Self.endOfHead(connection.input) {
        let bytes = connection.consume(end.count)
        do throws(RequestFailure) { return .success(try RequestHead(bytes.prefix(end.text))) } catch { return .failure(error) }
      }
      guard connection.input.count <= limits.headBytes else {
        return .failure(RequestFailure(431, "the request's head is longer than \(limits.headBytes) bytes; send less"))
      }
      do throws(ConnectionEnd) {
        guard try connection.fill(deadline: deadline) else {
          guard hasBegun else { return nil }
          return .failure(RequestFailure(400, "the request ends before its empty line; send it whole"))
        }
      } catch {
        guard case .timedOut = error, hasBegun else { throw error }
        return .failure(RequestFailure(408, "the request's head did not come within \(Int(limits.requestSeconds)) s; send it at once"))
      }
    }
  }

  /// The length of the head with and without the empty line that ends it; nil if that has not arrived.
  private static func endOfHead(_ input: ArraySlice<UInt8>) -> (count: Int, text: Int)? {
    var lineStart = input.startIndex
    for index in input.indices where input[index] == 10 {
      let isEmpty = index == lineStart || (index == lineStart + 1 && input[lineStart] == 13)
      if isEmpty, lineStart > input.startIndex { return (index + 1 - input.startIndex, lineStart - 1 - input.startIndex) }
      lineStart = index + 1
    }
    return nil
  }
}

extension ControlLimits {
  /// Why a client is refused when all places are taken.
  var areReached: String { "\(connections) clients are connected, which is the limit; end one first" }
}

extension RequestHead {
  /// Stands for a request that could not be read: the connection ends after the answer.
  fileprivate static let unreadable = RequestHead()

  private init() {
    (method, path, query, headers) = ("", [], [:], [:])
    (body, keepsAlive, expectsContinue) = (.none, false, false)
  }
}
