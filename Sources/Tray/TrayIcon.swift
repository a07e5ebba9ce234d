internal import MessageBus
import PipeWireClient
import SessionModel

/// An icon in the desktop's tray, with a menu, on a thread of its own: StatusNotifierItem and its menu, over D-Bus.
///
/// It hears that something may have changed, and looks: nothing runs while nothing happens, except one timer while there is no session bus.
/// [any]
///
/// `@unchecked Sendable`: what is mutable is used with the loop's lock held.
package final class TrayIcon: @unchecked Sendable {
  /// The nearend that it shows.
  package struct Subject: Sendable {
    /// Returns what is so now.
    let facts: @Sendable () -> TrayFacts
    /// Carries out what a person has done.
    let perform: @Sendable (TrayAction) -> Void
    /// Takes a message for people.
    let remark: @Sendable (String) -> Void

    package init(
      facts: @escaping @Sendable () -> TrayFacts, perform: @escaping @Sendable (TrayAction) -> Void,
      remark: @escaping @Sendable (String) -> Void
    ) {
      (self.facts, self.perform, self.remark) = (facts, perform, remark)
    }
  }

  private let subject: Subject
  private let lookout = Lookout(name: "nearend.tray")
  private var host: TrayHost?

  /// Makes it, off.
  /// - Parameters:
  ///   - address: of the session bus, in D-Bus's syntax; nil for that of the environment.
  ///   - program: the path of this program, beside which its icons may be installed.
  package init(address: String? = nil, program: String, _ environment: [String: String], _ subject: Subject) {
    self.subject = subject
    host = TrayHost(address.map { .at($0) } ?? .session, loop: lookout.loop, icons: InstalledIcons(program: program, environment)) {
      [weak self] in self?.hear($0)
    }
    lookout.connect(to: self) { $0.look() }
  }

  /// Turns it on or off. If the system has no thread to spare, it says so and stays off.
  package func setEnabled(_ isEnabled: Bool) {
    do throws(PipeWireError) { try lookout.setEnabled(isEnabled) } catch { subject.remark("no icon in the tray: \(error)") }
  }

  /// Has it look soon, because something may have changed. Never waits.
  package func somethingChanged() { lookout.somethingChanged() }

  /// As `somethingChanged`, for whoever polls: at most once a second.
  package func poll() { lookout.poll() }

  /// Takes the icon away, and ends. Call it once, last, and not on a thread that holds a lock which facts are read under.
  package func stop() {
    lookout.stop {
      host?.hide()
      host = nil
    }
  }

  // MARK: [control]

  private func look() {
    guard lookout.isOn else { return host?.hide() ?? () }
    lookout.noteLook()
    host?.show(TrayItem(subject.facts()))
  }

  private func hear(_ news: TrayHost.News) {
    switch news {
    case .pressed(.first): if let action = TrayItem(subject.facts()).activation { subject.perform(action) }
    case .pressed(.second): if subject.facts().dashboardObstacle == nil { subject.perform(.openDashboard) }
    case .chosen(let action): subject.perform(action)
    case .opens, .isDue: look()
    case .remark(let text): subject.remark(text)
    }
  }
}
