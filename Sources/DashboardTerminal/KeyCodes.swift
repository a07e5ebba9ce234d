internal import CNCurses
import DashboardView

extension Key {
  /// Converts an ncurses key code; nil if the dashboard does not use it.
  init?(functionCode code: Int32) {
    switch code {
    case KEY_UP: self = .up
    case KEY_DOWN: self = .down
    case KEY_LEFT: self = .left
    case KEY_RIGHT: self = .right
    case KEY_PPAGE: self = .pageUp
    case KEY_NPAGE: self = .pageDown
    case KEY_HOME: self = .home
    case KEY_END: self = .end
    case KEY_BTAB: self = .backTab
    case KEY_ENTER: self = .enter
    case KEY_F0 + 1...KEY_F0 + 12: self = .function(Int(code - KEY_F0))
    default: return nil
    }
  }

  /// Converts a typed character.
  init?(character code: UInt32) {
    switch code {
    case 0x09: self = .tab
    case 0x0a, 0x0d: self = .enter
    case 0x1b: self = .escape
    default:
      guard code >= 0x20, code != 0x7f, let scalar = Unicode.Scalar(code) else { return nil }
      self = .character(scalar)
    }
  }
}
