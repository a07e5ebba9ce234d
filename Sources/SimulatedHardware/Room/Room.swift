/// The room around the simulated devices: it hears what the loudspeaker plays, gives it, late and reverberant, to the microphone together
/// with somebody who talks there, and records what comes out of the processing. It comes back with a restarted daemon. [any]
///
/// Its thread works on an object of its own: nothing may refer to an object any more whose end has begun, not even while that waits for the thread.
public final class Room: Sendable {
  private let work: RoomWork

  /// Makes the room's sound; `start` brings it into the graph.
  /// - Throws: `SessionError` where speech cannot be made.
  public init(_ options: RoomOptions) throws { work = try RoomWork(options) }

  deinit { work.stop() }

  public var options: RoomOptions { work.options }

  /// Connects, and again whenever the daemon comes back. `report` is called four times a second on the room's thread. Once.
  public func start(report: (@Sendable (RoomReport) -> Void)? = nil) { work.start(report: report) }

  /// Leaves the graph. Doing it again has no effect.
  public func stop() { work.stop() }

  /// Starts or stops to record the processed microphone.
  public func observe(_ isOn: Bool) { work.observe(isOn) }

  /// Other loudspeakers are heard in the room from now on, or by other microphones.
  public func place(_ acoustics: Acoustics) { work.place(acoustics) }

  public var report: RoomReport { work.report }

  /// The clock's position at the room's last cycle, in frames; nil before its first.
  var position: UInt64? { work.position }

  /// Frames from the loudspeaker's monitor to the microphone before the room's response begins, at a quantum.
  public func delay(quantum: Int) -> Int { work.delay(quantum: quantum) }
}
