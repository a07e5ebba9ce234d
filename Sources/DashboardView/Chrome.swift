import SessionModel

/// The parts of every page: title, tabs, banners, footer.
enum Chrome {
  /// The rows between banners and footer.
  static func body(_ snapshot: Snapshot, _ size: Size) -> Range<Int> {
    1 + max(1, Banner.shown(snapshot).count)..<size.height - 1
  }

  static func draw(_ snapshot: Snapshot, _ state: ViewState, on canvas: inout Canvas) {
    title(snapshot, state, &canvas)
    banners(snapshot, &canvas)
    footer(state, canvas.frame.size, &canvas)
  }

  private static func title(_ snapshot: Snapshot, _ state: ViewState, _ canvas: inout Canvas) {
    canvas.fill(row: 0, .title)
    let isWide = canvas.width >= 100
    let gap = isWide ? 2 : 1
    let tabs = Page.allCases.map { "F\($0.rawValue + 1) \(isWide ? $0.title : $0.shortTitle)" }
    var column = canvas.width - 1 - tabs.reduce(0) { $0 + $1.count } - gap * (tabs.count - 1)
    let room = column - 2
    for (page, tab) in zip(Page.allCases, tabs) {
      column = canvas.put(tab, column, 0, page == state.page && !state.isHelpShown ? .currentTab : .tab) + gap
    }
    let badge = badge(snapshot.session, full: isWide)
    let badgeWidth = CellText.width(of: badge, set: canvas.set)
    let name = "nearend \(snapshot.version)"
    let nameWidth = CellText.width(of: name, set: canvas.set, limit: room)
    var end = 1
    if nameWidth + 1 + badgeWidth <= room {
      end = canvas.put(name, 1, 0, .title) + 1
    } else if badgeWidth + 8 <= room {
      end = canvas.put("nearend", 1, 0, .title) + 1
    }
    canvas.put(badge, end, 0, badgeStyle(snapshot), width: room - end + 1)
  }

  /// Nothing is good while a banner is due.
  static func badgeStyle(_ snapshot: Snapshot) -> Style {
    switch snapshot.session.state.style {
    case .plain: .title
    case .good: Banner.all(snapshot).isEmpty ? .good : .caution
    case let style: style
    }
  }

  private static func badge(_ session: SessionStatus, full: Bool) -> String {
    guard full, let interruption = session.interruption else { return session.state.word }
    return "\(session.state.word) \(interruption.reason.word) \(Numbers.duration(interruption.duration))"
  }

  private static func banners(_ snapshot: Snapshot, _ canvas: inout Canvas) {
    let banners = Banner.shown(snapshot)
    for (row, banner) in banners.enumerated() {
      canvas.fill(row: 1 + row, banner.style)
      canvas.put(banner.text, 1, 1 + row, banner.style, width: canvas.width - 2, align: .center)
    }
    if banners.isEmpty { canvas.rule(1) }
  }

  static func footer(_ state: ViewState, _ size: Size, _ canvas: inout Canvas) {
    let row = canvas.height - 1
    canvas.fill(row: row, .footer)
    if let notice = state.notice {
      canvas.put(notice, 1, row, .notice, width: canvas.width - 2)
      return
    }
    var column = 1
    for (label, text) in footerKeys(state, size) {
      let width = label.count + 1 + text.count
      guard column + width < canvas.width else { break }
      column = canvas.put(label, column, row, .footerKey) + 1
      column = canvas.put(text, column, row, .footer) + 2
    }
  }

  /// The most useful keys of a page, most important first.
  private static func footerKeys(_ state: ViewState, _ size: Size) -> [(String, String)] {
    let common = [("?", "help"), ("q", "quit"), ("space", "mute microphone")]
    let switches = [("b", "bypass"), ("e", "AEC"), ("n", "NS"), ("g", "AGC"), ("H", "HPF")]
    guard !state.isHelpShown else { return [("? Esc q", "close help")] }
    guard size.isLargeEnough else {
      return [("space", "mute"), ("q", "quit"), ("?", "help"), ("\(Size.minimum.width)x\(Size.minimum.height)", "pages")] + switches
    }
    if state.showsAudition { return [("y", "again, or stop"), ("Esc q", "close"), ("?", "help"), ("space", "mute microphone")] }
    switch state.page {
    case .call:
      return common + switches + [("m", "mute"), ("+ -", "gain"), ("c", "device"), ("C", "clear counters"), ("D", "save diagnostics")]
    case .participants:
      return common + [("j k", "select"), ("m", "mute"), ("0-9 + -", "gain"), ("C", "clear")] + switches
    case .routes:
      let own = [("j k", "select"), ("Enter", "use device"), ("d", "defaults"), ("r", "resume"), ("space", "mute")]
      return common.dropLast() + own + switches
    case .diagnostics: return common + [("j k", "scroll"), ("D", "save to a file"), ("C", "clear")] + switches
    case .log: return common + [("j k", "scroll"), ("End", "newest")] + switches
    case .graphs: return common + [("h l", "another span"), ("C", "clear")] + switches
    }
  }
}
