import Glibc
import Platform
import RealtimeCore
import Synchronization

/// A speaker output of a joined program: PCM goes to a ring in the host, which reports what has left that ring. [any]
///
///     put ─▶ socket ─▶ the host's ring sink ─▶ mixer
///      ▲                       │
///      └── bytes played ◀──────┘
///
/// Accepts a write if the host has reported room: as an in-process ring would, but "full" up to 10 ms early. Without a host, writes are
/// kept up to the ring's size; once one was refused, all of them are discarded on reconnection.
final class JoinedOutput: Sendable {
  private struct State {
    var stream: HostStream?
    /// Bytes of PCM accepted, and played, since the stream began.
    var accepted: UInt64 = 0
    var played: UInt64 = 0
    /// Bytes that the socket has not accepted yet, at most the ring's size.
    var unsent: [UInt8] = []
    var consecutiveDrops: UInt64 = 0
    var totalDrops: UInt64 = 0
    var isClosed = false
    var gain = 1.0
    var isMuted = false
    var ssrc: UInt32?
  }
  /// The program's own name for it.
  let id: String
  let format: SinkFormat
  /// The ring's size in bytes.
  let capacity: Int
  private let state = Mutex(State())

  private static let stackSize = 256 << 10
  /// Milliseconds after which a full socket is retried.
  private static let retryMilliseconds: Int32 = 10
  /// Milliseconds between checks whether it has become full since.
  private static let pollMilliseconds: Int32 = 500

  /// Throws `.impossibleBufferSize`.
  init(id: String, format: SinkFormat, capacity: Int) throws(SinkError) {
    guard (format.bytesPerFrame...RingSink.maximumCapacityBytes).contains(capacity) else {
      throw .impossibleBufferSize(capacity, minimum: format.bytesPerFrame)
    }
    self.id = id
    self.format = format
    self.capacity = capacity - capacity % format.bytesPerFrame
  }

  var gain: Double {
    get { state.withLock { $0.gain } }
    set { state.withLock { $0.gain = newValue } }
  }
  var isMuted: Bool {
    get { state.withLock { $0.isMuted } }
    set { state.withLock { $0.isMuted = newValue } }
  }
  var ssrc: UInt32? {
    get { state.withLock { $0.ssrc } }
    set { state.withLock { $0.ssrc = newValue } }
  }
  var totalDrops: UInt64 { state.withLock { $0.totalDrops } }
  /// Bytes that are sure to fit.
  var room: Int { state.withLock { capacity - Int($0.accepted - $0.played) } }

  // MARK: Writing

  /// Writes interleaved samples, whole or not at all (K2). Never waits.
  func put(_ bytes: UnsafeRawBufferPointer) -> RingSink.Outcome {
    state.withLock { state in
      guard !state.isClosed, bytes.count % format.bytesPerFrame == 0 else { return .refused }
      guard bytes.count > 0 else { return .written }
      guard Int(state.accepted - state.played) + bytes.count <= capacity else {
        state.consecutiveDrops += 1
        state.totalDrops += 1
        // The host counts it, too, unless it is away.
        if state.stream != nil { state.unsent += HostProtocol.bytes(of: HostProtocol.SinkRecord(.drops, count: 1)) }
        flush(&state)
        return .dropped(consecutive: state.consecutiveDrops, total: state.totalDrops)
      }
      state.consecutiveDrops = 0
      state.accepted += UInt64(bytes.count)
      state.unsent += HostProtocol.bytes(of: HostProtocol.SinkRecord(.audio, count: bytes.count))
      state.unsent.append(contentsOf: bytes)
      flush(&state)
      return .written
    }
  }

  /// Sends as much as the socket takes.
  private func flush(_ state: inout State) {
    guard let stream = state.stream else { return }
    var sent = 0
    state.unsent.withUnsafeBytes { bytes in
      while sent < bytes.count {
        let count = send(stream.descriptor, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        if count < 0, errno == EINTR { continue }
        // Full: the rest follows. Broken: the reader sees it.
        guard count > 0 else { break }
        sent += count
      }
    }
    state.unsent.removeFirst(sent)
  }

  // MARK: The stream

  /// Whether there is a stream to the host.
  var isOpen: Bool { state.withLock { $0.stream != nil } }

  /// Starts to use a stream, beginning with what was written meanwhile.
  /// - Parameter ended: called on a thread of its own once the host has ended the stream.
  func use(_ stream: HostStream, ended: @escaping @Sendable () -> Void) {
    let isUsed = state.withLock { state in
      guard !state.isClosed else { return false }
      state.stream?.end()
      if state.consecutiveDrops > 0 { discard(&state) }
      state.stream = stream
      flush(&state)
      return true
    }
    guard isUsed else { return stream.end() }
    startThread(name: "nearend-output", stackSize: Self.stackSize) { [self] in
      listen(to: stream)
      let isOver = state.withLock { state in
        guard state.stream === stream else { return false }
        state.stream = nil
        // A record may be partly sent.
        discard(&state)
        return !state.isClosed
      }
      if isOver { ended() }
    }
  }

  private func discard(_ state: inout State) {
    state.unsent = []
    (state.accepted, state.played) = (0, 0)
  }

  /// Takes the host's reports, until the stream ends.
  private func listen(to stream: HostStream) {
    while true {
      if !stream.hasInput {
        let isFull = state.withLock { $0.stream === stream && !$0.unsent.isEmpty }
        var event = pollfd(fd: stream.descriptor, events: Int16(POLLIN), revents: 0)
        let found = poll(&event, 1, isFull ? Self.retryMilliseconds : Self.pollMilliseconds)
        if isFull { state.withLock { if $0.stream === stream { flush(&$0) } } }
        guard found > 0 else { continue }
      }
      guard let bytes = stream.read(8), let played = HostProtocol.read(UInt64.self, from: bytes[...]) else { return }
      state.withLock { if $0.stream === stream { $0.played = min(max($0.played, played), $0.accepted) } }
    }
  }

  /// Discards unsent audio, and ends the stream; a later one may follow.
  func reset() {
    state.withLock { state in
      state.stream?.end()
      state.stream = nil
      discard(&state)
    }
  }

  /// Ends it for good: every later write is refused.
  func close() {
    reset()
    state.withLock { $0.isClosed = true }
  }
}
