import Desktop
import Nearend
import SessionModel
import Synchronization

/// The desktop notifications of this program's nearend, by its setting (O11). [any]
final class DesktopNotices: Sendable {
  private let service: NearendService
  private let notifier: DesktopNotifier
  private let hasDashboard: Bool
  private let subscription = Mutex<EventBus.Subscription?>(nil)

  /// Follows `service`, which runs.
  init(_ service: NearendService, hasDashboard: Bool) {
    self.service = service
    self.hasDashboard = hasDashboard
    notifier = DesktopNotifier(
      DesktopNotifier.Subject(
        facts: { [weak service] in service.map { NoticeFacts($0.snapshot()) } ?? NoticeFacts() },
        perform: { [weak service] in service?.perform($0) }, remark: { [weak service] in service?.remark($0) }))
    let subscription = service.events.subscribe { [weak self] news in
      guard case .event(let event) = news else { return }
      if event.kind == .settingChanged, event.detail["setting"] == EventValue(Setting.notifications) { self?.follow() }
      self?.notifier.somethingChanged()
    }
    self.subscription.withLock { $0 = subscription }
    follow()
  }

  /// Locked, so that the newest mode holds, and none once it has stopped.
  private func follow() {
    subscription.withLock { subscription in
      guard subscription != nil else { return }
      let mode: NotificationMode = service.value(of: .notifications).word() ?? .auto
      notifier.setEnabled(mode.shows(besideDashboard: hasDashboard))
    }
  }

  /// Has it look for what is not told; called while cycles run.
  func poll() { notifier.poll() }

  /// Withdraws what is shown. Call it once, before the service stops.
  func stop() {
    subscription.withLock { $0 = nil }
    notifier.stop()
  }
}
