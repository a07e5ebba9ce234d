import DashboardTerminal
import DashboardView
import Nearend
import SimulatedHardware
import Synchronization

/// The array of a rehearsal, whose second microphone a key lets die. [any]
final class RehearsedArray: Sendable {
  private static let mortal = 2

  private let room: RoomProcess
  private let service: NearendService
  private let isDead = Mutex(false)

  init(room: RoomProcess, service: NearendService) {
    self.room = room
    self.service = service
  }

  /// The key for the dashboard.
  var extraKeys: ExtraKeys { ExtraKeys(label: "X", meaning: "array: the second microphone dies, and lives again") { [self] in press($0) } }

  /// Returns a remark for the footer; nil if the key is not used here.
  private func press(_ key: Key) -> String? {
    guard case .character("X") = key else { return nil }
    let dies = isDead.withLock { isDead in
      isDead.toggle()
      return isDead
    }
    room.kill(microphone: dies ? Self.mortal : nil)
    let remark = "Array: the second microphone \(dies ? "dies" : "lives again")"
    service.remark(remark.lowercased())
    return remark
  }
}
