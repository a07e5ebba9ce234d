internal import CNCurses
import DashboardView

/// The ncurses attributes and colour pair of every style. Without colours, attributes alone carry emphasis.
struct Palette {
  struct Look {
    var attributes: attr_t = 0
    var pair: Int16 = 0
  }

  private var looks: [Look]

  /// With `usesColor`, call after `start_color`.
  init(usesColor: Bool) {
    looks = Style.allCases.map { Self.monochrome($0) }
    guard usesColor else { return }
    for (index, style) in Style.allCases.enumerated() {
      guard let (foreground, background, attributes) = Self.color(style) else { continue }
      let pair = Int16(index + 1)
      init_pair(pair, foreground, background)
      looks[index] = Look(attributes: attributes, pair: pair)
    }
  }

  subscript(style: Style) -> Look { looks[Int(style.rawValue)] }

  private static func monochrome(_ style: Style) -> Look {
    switch style {
    case .plain, .label, .barLow, .barMiddle, .good, .footer: Look()
    case .faint, .rule, .barEmpty: Look(attributes: nearend_dim())
    case .heading, .caution, .barHigh, .barMark, .footerKey: Look(attributes: nearend_bold())
    case .title, .tab, .interruption, .muteBanner, .notice: Look(attributes: nearend_reverse())
    case .currentTab: Look(attributes: nearend_bold() | nearend_underline())
    case .alarm: Look(attributes: nearend_bold() | nearend_underline())
    case .selection: Look(attributes: nearend_bold() | nearend_reverse())
    }
  }

  private static func color(_ style: Style) -> (Int16, Int16, attr_t)? {
    let black = Int16(COLOR_BLACK)
    let white = Int16(COLOR_WHITE)
    let cyan = Int16(COLOR_CYAN)
    let none: Int16 = -1
    return switch style {
    case .plain, .faint, .rule, .barEmpty, .currentTab, .selection: nil
    case .label, .heading, .footerKey: (cyan, none, style == .label ? 0 : nearend_bold())
    case .title, .tab: (white, Int16(COLOR_BLUE), style == .title ? nearend_bold() : 0)
    case .footer: (none, none, 0)
    case .notice: (black, cyan, 0)
    case .good, .barLow: (Int16(COLOR_GREEN), none, 0)
    case .caution, .barMiddle: (Int16(COLOR_YELLOW), none, style == .caution ? nearend_bold() : 0)
    case .barMark: (Int16(COLOR_MAGENTA), none, nearend_bold())
    case .alarm, .barHigh: (Int16(COLOR_RED), none, nearend_bold())
    case .interruption: (white, Int16(COLOR_RED), nearend_bold())
    case .muteBanner: (black, Int16(COLOR_YELLOW), 0)
    }
  }
}
