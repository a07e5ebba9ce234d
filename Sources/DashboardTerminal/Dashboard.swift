internal import CNCurses
import DashboardView
import Glibc
import SessionModel

/// The dashboard in the terminal of standard input and output (U1–U4).
///
/// It polls: `snapshot` is called at the refresh rate and after keys, and only differences are sent to the terminal. However the process
/// ends, short of SIGKILL, the terminal is restored.
package struct Dashboard: Sendable {
  private let options: DashboardOptions
  private let stopSignal = StopSignal()

  package init(options: DashboardOptions = DashboardOptions()) {
    self.options = options
  }

  /// Throws the error that `run` would throw at once if this process's terminal cannot show a dashboard. [any]
  package static func checkTerminal() throws(DashboardError) { try Screen.check() }

  /// Shows the dashboard until `q` or `stop()`. Blocks; the closures are called on the calling thread. [control]
  ///
  /// - Parameters:
  ///   - carriesSound: whether this process is the one that carries everybody's sound: Ctrl-Z, which would stop it, is then declined.
  ///   - history: the last minutes; called only while the Graphs page is shown.
  ///   - picture: what a person who heard themselves recorded; called only while that is shown.
  ///   - perform: carries a command out; returns why it was refused where the log does not say so, which is then shown.
  ///
  /// Ctrl-C and SIGTERM are for the caller to handle (by `stop()`); unhandled, they end the process with the terminal restored.
  package func run(
    carriesSound: Bool = false, extraKeys: ExtraKeys? = nil, snapshot: () -> Snapshot,
    history: () -> CallHistory = { CallHistory() }, picture: () -> CallHistory = { CallHistory() }, perform: (Command) -> String?
  ) throws(DashboardError) {
    guard stopSignal.descriptor >= 0 else { throw .system(call: "eventfd", code: stopSignal.failure) }
    setlocale(LC_CTYPE, "")
    let screen = try Screen.open(usesColor: options.usesColor)
    defer { screen.close() }

    var state = ViewState(glyphs: glyphs)
    if let extraKeys { state.extraHelp = ExtraHelp(label: extraKeys.label, meaning: extraKeys.meaning) }
    var shown: Frame?
    while true {
      let events = Int(nearend_terminal_events())
      if events & NEAREND_TERMINAL_SUSPEND != 0 {
        if carriesSound { state.notice = Self.declinesToStop } else { screen.suspend() }
      }
      if events & NEAREND_TERMINAL_CONTINUED != 0 { screen.invalidate() }
      let size = screen.currentSize()
      state.utcOffset = Self.utcOffset()
      let drawn = state.showsAudition ? picture() : state.page == .graphs ? history() : CallHistory()
      let frame = Frame(drawing: snapshot(), history: drawn, size: size, state: state)
      if frame != shown || events != 0 {
        screen.draw(frame, over: events == 0 ? shown : nil)
        shown = frame
      }
      guard try wait() else { return }
      for key in screen.keys() {
        let response = state.press(key, on: snapshot(), size: size)
        for command in response.commands { if let refusal = perform(command) { state.notice = refusal } }
        if response.quits { return }
        if !response.isUnderstood, let notice = extraKeys?.press(key) { state.notice = notice }
      }
    }
  }

  private static let declinesToStop = "Ctrl-Z would stop everybody's sound: nearend goes on; q quits it"

  /// Makes `run` return, now or as soon as it is called. [any]
  package func stop() { stopSignal.raise() }

  /// Restores the terminal as far as that is possible at once, while another thread still hangs in a write to it. The process is to end.
  /// [any]
  package static func abandonTerminal() { nearend_terminal_abandon() }

  /// Sleeps until a key, a signal, or the next frame; returns false if the dashboard is to stop.
  private func wait() throws(DashboardError) -> Bool {
    var sources = [STDIN_FILENO, stopSignal.descriptor, nearend_terminal_descriptor()].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    let rate = min(max(options.refreshRate.isFinite ? options.refreshRate : 10, 1), 60)
    guard poll(&sources, nfds_t(sources.count), Int32(1_000 / rate)) >= 0 || errno == EINTR else {
      throw .system(call: "poll", code: errno)
    }
    if sources[1].revents != 0 { return false }
    if Int32(sources[0].revents) & (POLLHUP | POLLERR | POLLNVAL) != 0 { throw .terminalLost }
    return true
  }

  private var glyphs: GlyphSet {
    let isUTF8 = String(cString: nl_langinfo(nl_item(CODESET))) == "UTF-8"
    return isUTF8 ? options.glyphs ?? .unicode : .ascii
  }

  private static func utcOffset() -> Int {
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    return local.tm_gmtoff
  }
}
