internal import MessageBus
import PipeWireClient
import Platform
import SessionModel

/// Shows desktop notifications of what somebody in a call has to know, on a thread of its own (O11).
///
/// It hears that something may have changed, and looks: nothing runs while nothing happens, except one timer while something is about to be
/// shown or to go. [any]
///
/// `@unchecked Sendable`: what is mutable is used with the loop's lock held.
package final class DesktopNotifier: @unchecked Sendable {
  /// The nearend that it tells of.
  package struct Subject: Sendable {
    /// Returns what is so now.
    let facts: @Sendable () -> NoticeFacts
    /// Carries out what a person has pressed.
    let perform: @Sendable (Command) -> Void
    /// Takes a message for people.
    let remark: @Sendable (String) -> Void

    package init(
      facts: @escaping @Sendable () -> NoticeFacts, perform: @escaping @Sendable (Command) -> Void,
      remark: @escaping @Sendable (String) -> Void
    ) {
      (self.facts, self.perform, self.remark) = (facts, perform, remark)
    }
  }

  private let subject: Subject
  private let lookout = Lookout(name: "nearend.desktop")
  private var timer: LoopTimer?
  private var daemon: NotificationDaemon?
  private var rules = NoticeRules()

  /// Makes it, off.
  /// - Parameter address: of the session bus, in D-Bus's syntax; nil for that of the environment.
  package init(address: String? = nil, _ subject: Subject) {
    self.subject = subject
    timer = LoopTimer(loop: lookout.loop)
    daemon = NotificationDaemon(address.map { .at($0) } ?? .session, loop: lookout.loop) { [weak self] in self?.hear($0) }
    lookout.connect(to: self) { $0.look() }
    timer?.connect(to: self) { $0.look() }
  }

  /// Turns it on or off. What is shown is withdrawn where it is turned off. If the system has no thread to spare, it says so and stays off.
  package func setEnabled(_ isEnabled: Bool) {
    do throws(PipeWireError) { try lookout.setEnabled(isEnabled) } catch { subject.remark("no desktop notifications: \(error)") }
  }

  /// Has it look soon, because something may have changed. Never waits.
  package func somethingChanged() { lookout.somethingChanged() }

  /// As `somethingChanged`, for whoever polls: at most once a second.
  package func poll() { lookout.poll() }

  /// Withdraws what is shown, and ends. Call it once, last, and not on a thread that holds a lock which facts are read under.
  package func stop() {
    lookout.stop {
      look()
      daemon = nil
    }
  }

  // MARK: [control]

  private func look() {
    guard let daemon else { return }
    let now = monotonicSeconds()
    guard lookout.isOn else {
      timer?.pause()
      return carryOut(rules.withdrawAll())
    }
    lookout.noteLook()
    carryOut(rules.reduce(subject.facts(), at: now, canShow: daemon.isPresent))
    if rules.isWaitingForDesktop { daemon.seek(at: now) }
    let nextTry = rules.isWaitingForDesktop ? daemon.nextTry : nil
    let next = [rules.nextLook, nextTry].compactMap { $0 }.min()
    if let next { timer?.schedule(after: max(next - now, 0.01)) } else { timer?.pause() }
  }

  private func carryOut(_ changes: [NoticeRules.Change]) {
    for change in changes {
      switch change {
      case .show(let notice), .replace(let notice): daemon?.show(notice)
      case .withdraw(let kind): daemon?.withdraw(kind)
      case .holdBack(let notice):
        subject.remark("notification held back, after \(NoticeRules.most) within a minute: \(notice.title)")
      }
    }
  }

  private func hear(_ news: NotificationDaemon.News) {
    switch news {
    case .appeared: somethingChanged()
    case .vanished:
      rules.desktopVanished()
      somethingChanged()
    case .closed(let kind, let byPerson): rules.closed(kind, byPerson: byPerson)
    case .invoked(let action): subject.perform(action.command)
    case .remark(let text): subject.remark(text)
    }
  }
}
