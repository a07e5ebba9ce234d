/// The room around the simulated devices: picks up the loudspeaker's sound, passes it, delayed and reverberant, to the microphone together
/// with a talker in the room, and records the processed output. It returns with a restarted daemon. [any]
///
/// Its thread works on a separate object: nothing may refer to an object whose deinitialization has begun, even while that waits for the
/// thread.
package final class Room: Sendable {
  private let work: RoomWork

  /// Makes the room's sound; `start` adds it to the graph.
  /// - Throws: `SessionError` if speech cannot be made.
  package init(_ options: RoomOptions) throws { work = try RoomWork(options) }

  deinit { work.stop() }

  /// The options given to `init`; `observe` and `place` do not change them.
  package var options: RoomOptions { work.options }

  /// Connects, and reconnects whenever the daemon returns. `report` is called four times a second on the room's thread. Call it once.
  /// - Throws: `PipeWireError` if the system has no thread to spare.
  package func start(report: (@Sendable (RoomReport) -> Void)? = nil) throws { try work.start(report: report) }

  /// Leaves the graph. Idempotent.
  package func stop() { work.stop() }

  /// Starts or stops recording the processed microphone.
  package func observe(_ isOn: Bool) { work.observe(isOn) }

  /// Forgets what was measured of the processed microphone, and measures it anew from now on, as this round.
  package func measureAnew(_ round: Int) { work.measureAnew(round) }

  /// Changes which loudspeakers are heard in the room, and which microphones hear it.
  package func place(_ acoustics: Acoustics) { work.place(acoustics) }

  /// Lets one microphone of an array, from 1, hear nothing; nil lets all live.
  package func kill(microphone number: Int?) { work.kill(microphone: number) }

  /// The room's current state; waits for its thread.
  package var report: RoomReport { work.report }

  /// The clock's position at the room's last cycle, in frames; nil before the first.
  var position: UInt64? { work.position }

  /// How often the room has missed cycles, or its clock has jumped.
  package var breaks: Int { work.breaks }

  /// Frames from the loudspeaker's monitor to the microphone before the room's response begins, at a quantum.
  package func delay(quantum: Int) -> Int { work.delay(quantum: quantum) }
}
