import Foundation
import Nearend
import SessionModel
import Synchronization
import Tray

/// The icon in the tray of this program's nearend, by its setting `tray`. [any]
final class ServiceTray: Sendable {
  private let service: NearendService
  private let icon: TrayIcon
  private let subscription = Mutex<EventBus.Subscription?>(nil)

  /// Follows `service`, which runs.
  init(_ service: NearendService, _ environment: [String: String]) {
    self.service = service
    let environment = environment.filter { $0.key != "NOTIFY_SOCKET" && $0.key != "WATCHDOG_PID" && $0.key != "WATCHDOG_USEC" }
    let obstacle = DashboardWindow.obstacle(environment)
    icon = TrayIcon(
      program: DashboardWindow.ownProgram, environment,
      TrayIcon.Subject(
        facts: { [weak service] in
          TrayFacts(snapshot: service?.snapshot(), dashboardObstacle: obstacle)
        },
        perform: { [weak service] action in
          switch action {
          case .command(let command): service?.perform(command)
          case .openDashboard:
            let window = try? DashboardWindow(environment)
            window?.open(environment) { [weak service] in service?.remark($0, .warning) }
          case .close: service?.perform(.set(.tray, .bool(false)))
          case .startService: break
          }
        }, remark: { [weak service] in service?.remark($0) }))
    let subscription = service.events.subscribe { [weak self] news in
      guard case .event(let event) = news else { return }
      if event.kind == .settingChanged, event.detail["setting"] == EventValue(Setting.tray) { self?.follow() }
      self?.icon.somethingChanged()
    }
    self.subscription.withLock { $0 = subscription }
    follow()
  }

  /// Locked, so that the newest value holds, and none once it has stopped.
  private func follow() {
    subscription.withLock { subscription in
      if subscription != nil { icon.setEnabled(service.value(of: .tray) == .bool(true)) }
    }
  }

  /// Has it look for what is not told; called while cycles run.
  func poll() { icon.poll() }

  /// Takes the icon away. Call it once, before the service stops.
  func stop() {
    subscription.withLock { $0 = nil }
    icon.stop()
  }
}
