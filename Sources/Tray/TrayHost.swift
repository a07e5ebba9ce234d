import Border
internal import MessageBus
import PipeWireClient
import Platform
import SessionModel

/// The icon on the session bus, for whatever panel there is: connects, and registers with `org.kde.StatusNotifierWatcher`, again whenever
/// that comes back. Nothing polls: without a watcher, nothing is asked but once, and without a bus, a timer has it tried again. [control]
final class TrayHost {
  enum News {
    case pressed(StatusNotifierItem.Press)
    case chosen(TrayAction)
    /// A person is about to see the menu.
    case opens
    /// It is time for another attempt to connect, with what is so then.
    case isDue
    /// A message for people.
    case remark(String)
  }

  private enum Watcher {
    static let name = "org.kde.StatusNotifierWatcher"
    static let path = "/StatusNotifierWatcher"
  }

  private let address: Bus.Address
  private let loop: ThreadLoop
  private let icons: InstalledIcons
  private let tell: (News) -> Void
  private var bus: Bus?
  private var item: StatusNotifierItem?
  private var menu: MenuServer?
  private var hasRemarked = false
  private var retries = BusRetries()
  /// Fires when the next attempt to connect is due; paused while there is a bus, or nothing to show.
  private let timer: LoopTimer

  init(_ address: Bus.Address, loop: ThreadLoop, icons: InstalledIcons, _ tell: @escaping (News) -> Void) {
    (self.address, self.loop, self.icons, self.tell) = (address, loop, icons, tell)
    timer = LoopTimer(loop: loop)
    timer.connect(to: self) { $0.tell(.isDue) }
  }

  /// Shows the item, and connects first where that is still to be done. Without a bus, that is tried again, also with a later change.
  func show(_ new: TrayItem) {
    if bus == nil { connect(new) }
    item?.show(new)
    menu?.show(new.menu)
  }

  /// Takes the icon away: the panel sees that its owner has left.
  func hide() {
    timer.pause()
    if bus != nil { retries = BusRetries() }
    (bus, item, menu) = (nil, nil, nil)
  }

  private func connect(_ new: TrayItem) {
    let now = monotonicSeconds()
    guard retries.isPossible(at: now) else { return timer.schedule(after: max(retries.next - now, 0.01)) }
    retries.noteAttempt(at: now)
    let bus: Bus
    do throws(Bus.Failure) {
      bus = try Bus(address, loop: loop) { [weak self] in self?.lost($0) }
    } catch {
      timer.schedule(after: retries.next - now)
      return remark(error.description)
    }
    timer.pause()
    self.bus = bus
    item = StatusNotifierItem(new, icons: icons, on: bus) { [weak self] in self?.tell(.pressed($0)) }
    menu = MenuServer(
      new.menu, on: bus, refresh: { [weak self] in self?.tell(.opens) }, choose: { [weak self] in self?.tell(.chosen($0)) })
    bus.watch(name: Watcher.name) { [weak self] owner in if owner != nil { self?.register() } }
    register()
  }

  private func register() {
    // By the object's path: the watcher knows who calls. Its name is not known before the bus has answered.
    bus?.call(Watcher.name, Watcher.path, Watcher.name, "RegisterStatusNotifierItem") { message in
      message.append(StatusNotifierItem.path)
    } answered: { [weak self] answer in
      if let failure = answer.failure { self?.remark(failure.printable()) }
    }
  }

  private func lost(_ failure: Bus.Failure) {
    let former = retries
    hide()
    retries = former
    let now = monotonicSeconds()
    retries.noteLoss(at: now)
    timer.schedule(after: retries.next - now)
    remark(failure.description)
  }

  private func remark(_ reason: String) {
    guard !hasRemarked else { return }
    hasRemarked = true
    tell(.remark("no icon in the tray (\(reason)) until there is a panel that shows it"))
  }
}
