import Border
internal import MessageBus
import PipeWireClient
import Platform
import SessionModel

/// The desktop's notification daemon: `org.freedesktop.Notifications` on the session bus.
///
/// It is connected to when there is something to show, and not before: a bus that nobody uses costs nothing, and no daemon is started for
/// nothing. What a daemon or anybody else on the bus says is read here, and believed only of the owner of that name and of notifications
/// that are nearend's. [control]
final class NotificationDaemon {
  enum News {
    /// It can show something.
    case appeared
    /// It is gone, and what it showed with it.
    case vanished
    /// A notification is no longer shown, because a person has closed it, or its time was over.
    case closed(Notice.Kind, byPerson: Bool)
    case invoked(NoticeAction)
    /// A message for people.
    case remark(String)
  }

  private enum Names {
    static let service = "org.freedesktop.Notifications"
    static let path = "/org/freedesktop/Notifications"
  }
  /// Why a notification was closed: by a person.
  private let dismissed: UInt32 = 2
  /// A notification that was asked for.
  private struct Entry {
    var notice: Notice
    /// The daemon's number for it; nil until it has answered.
    var id: UInt32?
    /// Whether an answer is awaited.
    var isAsked = false
    /// What replaces it once the daemon has answered.
    var next: Notice?
    /// Whether it is to be closed once the daemon has answered.
    var isOver = false
  }

  private let address: Bus.Address
  private let loop: ThreadLoop
  private let tell: (News) -> Void
  private var bus: Bus?
  /// Whether a daemon has answered on this bus.
  private var hasServed = false
  /// The unique name of the daemon that answers; nil for none.
  private var owner: String?
  private var capabilities = NotificationCapabilities()
  private var entries: [Notice.Kind: Entry] = [:]
  /// Counts the daemons: an answer to a question to a former one means nothing.
  private var generation = 0
  private var isSought = false
  /// When `seek` makes its next attempt, at the earliest, in seconds of a monotonic clock.
  private(set) var nextTry = -Double.infinity
  private var hasRemarked = false
  private var hasRefused = false

  /// Seconds between attempts to connect, or to ask a daemon that has not answered.
  private static let patience = (bus: 5.0, daemon: 60.0)

  init(_ address: Bus.Address, loop: ThreadLoop, _ tell: @escaping (News) -> Void) {
    (self.address, self.loop, self.tell) = (address, loop, tell)
  }

  /// Whether it can show something now.
  var isPresent: Bool { owner != nil }

  // MARK: Finding one

  /// Looks for a daemon, which the bus may start; `.appeared` says that there is one. Call it whenever there is something to show: it makes
  /// no more than one attempt at a time.
  func seek(at now: Double) {
    guard !isPresent, !isSought, now >= nextTry else { return }
    nextTry = now + Self.patience.daemon
    if bus == nil {
      do throws(Bus.Failure) {
        let bus = try Bus(address, loop: loop) { [weak self] in self?.lost($0) }
        self.bus = bus
        listen(bus)
      } catch {
        nextTry = now + Self.patience.bus
        return remark(error.description)
      }
    }
    ask()
  }

  private func listen(_ bus: Bus) {
    bus.watch(name: Names.service) { [weak self] in self?.changed(owner: $0) }
    for member in ["ActionInvoked", "NotificationClosed"] {
      let rule = "type='signal',sender='\(Names.service)',path='\(Names.path)',interface='\(Names.service)',member='\(member)'"
      bus.listen(rule) { [weak self] message in
        guard let self, message.sender == owner, let kind = kind(of: message.readNumber()) else { return }
        if member == "ActionInvoked" {
          invoked(kind, message.readText())
        } else {
          closed(kind, byPerson: message.readNumber() == dismissed)
        }
      }
    }
  }

  private func ask() {
    isSought = true
    generation += 1
    call("GetCapabilities") { _ in
    } answered: { daemon, answer in
      daemon.isSought = false
      if let failure = answer.failure { return daemon.remark("no notification daemon: \(failure)") }
      guard let words = answer.readStrings() else { return daemon.remark("the notification daemon does not say what it can show") }
      daemon.capabilities = NotificationCapabilities(words)
      (daemon.owner, daemon.hasServed, daemon.hasRefused) = (answer.sender, true, false)
      daemon.tell(.appeared)
    }
  }

  private func changed(owner new: String?) {
    forget()
    if new != nil { ask() }
  }

  private func lost(_ failure: Bus.Failure) {
    // One that was there may be back at once; one that never lets anybody in is left alone for a while.
    nextTry = hasServed ? -.infinity : monotonicSeconds() + Self.patience.bus
    if !hasServed { remark(failure.description) }
    (bus, hasServed) = (nil, false)
    forget()
  }

  /// Ends what a former daemon showed.
  private func forget() {
    let wasPresent = isPresent
    generation += 1
    (owner, isSought, entries) = (nil, false, [:])
    if wasPresent { tell(.vanished) }
  }

  /// Once for each daemon.
  private func refused(_ reason: String) {
    guard !hasRefused else { return }
    hasRefused = true
    tell(.remark("a desktop notification was not shown: \(reason)"))
  }

  private func remark(_ reason: String) {
    guard !hasRemarked else { return }
    hasRemarked = true
    tell(.remark("no desktop notifications (\(reason)) until there is somebody to show them"))
  }

  // MARK: Showing

  /// Shows a notice, or replaces the one of its kind that is there.
  func show(_ notice: Notice) {
    guard isPresent else { return }
    guard var entry = entries[notice.kind] else { return send(Entry(notice: notice)) }
    entry.isOver = false
    guard entry.isAsked else {
      entry.notice = notice
      return send(entry)
    }
    entry.next = notice
    entries[notice.kind] = entry
  }

  /// Closes what is shown of this kind.
  func withdraw(_ kind: Notice.Kind) {
    guard let entry = entries[kind] else { return }
    guard !entry.isAsked else {
      entries[kind]?.next = nil
      entries[kind]?.isOver = true
      return
    }
    entries[kind] = nil
    if let id = entry.id { call("CloseNotification") { $0.append(id) } }
  }

  private func send(_ entry: Entry) {
    let (notice, kind) = (entry.notice, entry.notice.kind)
    entries[kind] = entry
    entries[kind]?.isAsked = true
    let text = NotificationText(notice, capabilities)
    call("Notify") { message in
      message.append("nearend")
      message.append(entry.id ?? 0)
      message.append("nearend")
      message.append(text.summary)
      message.append(text.body)
      message.appendStrings(text.actions)
      message.appendDictionary(["urgency": .byte(1), "desktop-entry": .text("nearend"), "transient": .flag(notice.isPassing)])
      message.append(Int32(notice.isPassing ? 5000 : -1))
    } answered: { daemon, answer in
      daemon.answered(kind, id: answer.failure == nil ? answer.readNumber() : nil, answer.failure)
    }
  }

  private func answered(_ kind: Notice.Kind, id: UInt32?, _ failure: String?) {
    guard var entry = entries[kind] else { return }
    entry.isAsked = false
    let isShown = id.map { $0 > 0 } ?? false
    if isShown { entry.id = id } else { refused(failure ?? "the daemon gives it no number") }
    guard entry.id != nil else {
      entries[kind] = nil
      return tell(.closed(kind, byPerson: false))
    }
    entries[kind] = entry
    if entry.isOver { return withdraw(kind) }
    guard let next = entry.next else { return }
    entry.next = nil
    entry.notice = next
    send(entry)
  }

  // MARK: What the daemon says

  private func kind(of id: UInt32?) -> Notice.Kind? { id.flatMap { id in entries.first { $0.value.id == id }?.key } }

  private func invoked(_ kind: Notice.Kind, _ key: String?) {
    guard let action = key.flatMap(NoticeAction.init), entries[kind]?.notice.action == action else { return }
    tell(.invoked(action))
  }

  private func closed(_ kind: Notice.Kind, byPerson: Bool) {
    // One that is being replaced is there again with the answer.
    guard entries[kind]?.isAsked == false else {
      entries[kind]?.id = nil
      return
    }
    entries[kind] = nil
    tell(.closed(kind, byPerson: byPerson))
  }

  private func call(
    _ member: String, _ fill: (BusMessage) -> Void, answered: @escaping (NotificationDaemon, BusMessage) -> Void = { _, _ in }
  ) {
    let asked = generation
    bus?.call(Names.service, Names.path, Names.service, member, fill) { [weak self] answer in
      if let self, generation == asked { answered(self, answer) }
    }
  }
}
