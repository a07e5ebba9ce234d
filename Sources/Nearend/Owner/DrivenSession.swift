import PipeWireGraph
import RealtimeCore
import SessionModel

/// Where a program's session runs. [any]
public enum SessionMode: String, Sendable, CaseIterable {
  /// In this process, with a filter node of its own.
  case own
  /// In a nearend that was already running, which this program uses through its control socket.
  case joined
}

/// The session that the owner drives: `NearendService` in this process, or `JoinedSession` in another. [any]
protocol DrivenSession: AnyObject, Sendable {
  var mode: SessionMode { get }
  /// The engine that observers see (S6).
  var engine: AudioEngine { get }

  // MARK: Session

  var state: SessionState { get }
  var interruption: Interruption? { get }
  /// Returns the reason if it is refused.
  @discardableResult
  func send(_ event: SessionEvent) -> SessionRefusal?
  /// Continues an earlier session's state; called before `start`.
  func resume(_ session: SessionState)
  func start() throws(GraphError)
  /// Stops accepting registrations.
  func end()
  /// As `end`, but returns false, without any change, if something uses the session, or it is still activated.
  func endIfUnused() -> Bool
  /// Hands everything back. Idempotent.
  func stop()
  /// Id of the filter node in the graph.
  var nodeId: UInt32? { get }

  // MARK: Settings

  func value(of setting: Setting) -> EventValue
  /// Sets a setting to a value of its own kind, if it differs.
  func restore(_ setting: Setting, to value: EventValue)
  func setVoiceProcessingEnabled(_ on: Bool)
  /// Begins with the settings of an earlier session, `changed` being those that the program has set since.
  func begin(with settings: [Setting: EventValue], changed: Set<Setting>)
  /// The settings that outlast the session.
  var settingsToKeep: [Setting: EventValue] { get }

  // MARK: Speaker outputs

  func registerSink(id: String, format: SinkFormat, capacityBytes: Int) throws(SinkError) -> SessionRefusal?
  /// Reports the first write of a run that finds the sink full; nil for an unknown id.
  func writeToSink(id: String, _ data: UnsafeRawBufferPointer) -> RingSink.Outcome?
  /// Returns the bytes that fit into the sink now, as far as is known; nil for an unknown id.
  func sinkRoom(id: String) -> Int?
  var sinkIds: [String] { get }
  func perform(_ command: Command)
  func updateSsrc(mediaId: String, ssrc: UInt32)
  func notifySinkFrameDrop(mediaId: String, consecutive: UInt64, total: UInt64)

  // MARK: The microphone

  func registerMicrophoneInput(mediaId: String, context: UnsafeMutableRawPointer?, callback: @escaping MicrophoneCallback)
    -> SessionRefusal?
  func openMicrophone(mediaId: String, sampleRate: Int?, channelCount: Int?) throws(SourceError) -> MicrophoneStream
  func reportSourceAudioActivity(mediaId: String)
  func reportSourceResampling(mediaId: String, captureRate: Int, outputRate: Int, isResampling: Bool)
  /// Allows or refuses application audio (S6).
  func enableAppAudio(_ on: Bool)
  /// Plays a buffer into the outgoing microphone; returns the reason if it is refused whole.
  func play(appAudio buffer: AppAudioBuffer) -> MicrophonePlayError?

  // MARK: Reports

  var route: RouteStatus { get }
  func snapshot() -> Snapshot
  func diagnostics() -> String
  func telemetryJSON() -> String?
}
