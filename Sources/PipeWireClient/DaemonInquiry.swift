/// A short-lived client that queries a daemon: with a loop of its own, and connections that end with the answer.
package final class DaemonInquiry {
  private let loop: ThreadLoop
  private let remote: String?
  private let properties: Properties
  /// Objects that may still be called until the loop's thread has ended.
  private var kept: [AnyObject] = []

  private init(_ loop: ThreadLoop, remote: String?, properties: Properties) {
    self.loop = loop
    self.remote = remote
    self.properties = properties
  }

  /// Connects, and runs `body` with the loop's lock held once the daemon has listed its objects. [any]
  /// - Parameters:
  ///   - thread: the name of the loop's thread.
  ///   - remote: path of the daemon's socket, or its name; nil for the user's own.
  ///   - properties: the client's properties.
  /// - Throws: `noDaemon` if no daemon answers; whatever `body` throws.
  package static func run<Answer>(
    thread: String, remote: String?, properties: Properties,
    _ body: (DaemonInquiry, Connection) throws(PipeWireError) -> Answer
  ) throws(PipeWireError) -> Answer {
    let loop = ThreadLoop(name: thread)
    let inquiry = DaemonInquiry(loop, remote: remote, properties: properties)
    try loop.start()
    defer {
      // End the thread first: it may be about to call, without the lock, what is destroyed here.
      loop.stop()
      loop.locked { inquiry.kept = [] }
    }
    return try loop.locked { () throws(PipeWireError) in
      let connection = try inquiry.connect()
      guard connection.roundTrip() else { throw PipeWireError.silentDaemon }
      return try body(inquiry, connection)
    }
  }

  /// Makes another connection: one that queries a session manager gets nothing more from the daemon before the session manager has
  /// answered. [control]
  package func connect() throws(PipeWireError) -> Connection {
    keep(try Connection(loop: loop, remote: remote, properties: properties) { _ in })
  }

  /// Keeps an object that belongs to a connection until the inquiry ends. [control]
  package func keep<Object: AnyObject>(_ object: Object) -> Object {
    kept.append(object)
    return object
  }
}
