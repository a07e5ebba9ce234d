/// The room's state a few times a second, as one line of JSON.
package struct RoomReport: Codable, Sendable, Equatable {
  /// Of the latest `measureAnew`, whose figures these are; 0 before any.
  package var round: Int
  /// Seconds since the conversation's epoch.
  package var seconds: Double
  /// Who talks at `seconds`, by the script.
  package var phase: Conversation.Phase
  /// Whether the daemon is reachable.
  package var isConnected: Bool
  /// Whether the room's loudspeaker and microphone are linked to the simulated devices.
  package var isLinked: Bool
  /// Whether the processed microphone is recorded.
  package var isObserving: Bool
  /// Echo return loss enhancement in dB over the last 3 s in which only the far end talked, from 5 s of its talk on; nil before.
  package var erle: Double?
  /// Level of the processed output relative to the microphone in dB over the last 3 s in which only the near end talked; nil before.
  package var nearEndLevel: Double?
  /// Level of the microphone over the last 100 ms, dBFS; −120 if silent.
  package var microphoneLevel: Double
  /// Level of the processed output over the last 100 ms, dBFS; −120 if silent, nil if it is not recorded.
  package var outputLevel: Double?
}
