internal import MessageBus
import PipeWireClient
import Platform
import SessionModel
import Synchronization

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
  private let loop = ThreadLoop(name: "nearend.desktop")
  private var change: LoopSignal?
  private var timer: LoopTimer?
  private var daemon: NotificationDaemon?
  private var rules = NoticeRules()
  private let isEnabled = Atomic(false)
  /// Whether the thread runs, which is there from when it is first turned on.
  private let isStarted = Mutex(false)
  /// When it was looked last, in milliseconds of CLOCK_MONOTONIC.
  private let lastLook = Atomic(0)

  /// Milliseconds between two looks for what is not told but polled.
  private static let interval = 1000

  /// Makes it, off.
  /// - Parameter address: of the session bus, in D-Bus's syntax; nil for that of the environment.
  package init(address: String? = nil, _ subject: Subject) {
    self.subject = subject
    change = LoopSignal(loop: loop)
    timer = LoopTimer(loop: loop)
    daemon = NotificationDaemon(address.map { .at($0) } ?? .session, loop: loop) { [weak self] in self?.hear($0) }
    for source in [change, timer] as [LoopSource?] { source?.connect(to: self) { $0.look() } }
  }

  /// Turns it on or off. What is shown is withdrawn where it is turned off. If the system has no thread to spare, it says so and stays off.
  package func setEnabled(_ isEnabled: Bool) {
    if isEnabled {
      do throws(PipeWireError) {
        try isStarted.withLock { isStarted throws(PipeWireError) in
          if !isStarted { try loop.start() }
          isStarted = true
        }
      } catch { return subject.remark("no desktop notifications: \(error)") }
    }
    self.isEnabled.store(isEnabled, ordering: .relaxed)
    somethingChanged()
  }

  /// Has it look soon, because something may have changed. Never waits.
  package func somethingChanged() { change?.raise() }

  /// As `somethingChanged`, for whoever polls: at most once a second.
  package func poll() {
    guard isEnabled.load(ordering: .relaxed) else { return }
    if Self.milliseconds - lastLook.load(ordering: .relaxed) >= Self.interval { somethingChanged() }
  }

  /// Withdraws what is shown, and ends. Call it once, last, and not on a thread that holds a lock which facts are read under.
  package func stop() {
    isEnabled.store(false, ordering: .relaxed)
    loop.locked {
      look()
      daemon = nil
    }
    loop.stop()
  }

  private static var milliseconds: Int { Int(monotonicSeconds() * 1000) }

  // MARK: [control]

  private func look() {
    guard let daemon else { return }
    let now = monotonicSeconds()
    guard isEnabled.load(ordering: .relaxed) else {
      timer?.pause()
      return carryOut(rules.withdrawAll())
    }
    lastLook.store(Self.milliseconds, ordering: .relaxed)
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
