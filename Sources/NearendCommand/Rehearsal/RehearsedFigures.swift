import SessionModel
import SimulatedHardware
import Synchronization
import VoiceFacts

/// What the room measures of the voice as it is processed now: where the processing is switched, the room measures anew, so that no figure
/// is of a voice that is heard no more. [any]
final class RehearsedFigures: Sendable {
  /// What a user switches.
  private struct Switches: Equatable {
    var isInUse: Bool
    var isBypassed: Bool
    var engine: EchoCanceller
    var micMode: MicMode
    var components: [Bool]

    init(_ processing: ProcessingStatus) {
      (isInUse, isBypassed, engine) = (processing.isInUse, processing.isBypassed, processing.engine)
      micMode = processing.micMode.requested
      components = processing.components.map(\.isRequested)
    }
  }

  private let room: RoomProcess
  private let former = Mutex<Switches?>(nil)

  init(room: RoomProcess) { self.room = room }

  /// Adds the figures to a snapshot.
  func complete(_ snapshot: inout Snapshot) {
    let switches = Switches(snapshot.processing)
    former.withLock { former in
      if former != nil, former != switches { room.measureAnew() }
      former = switches
    }
    snapshot.rehearsal = room.report.map(RehearsalStatus.init)
  }
}
