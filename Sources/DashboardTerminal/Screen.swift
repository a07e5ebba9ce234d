internal import CNCurses
import DashboardView
import Glibc

/// The terminal under ncurses, from `open` to `close`; all calls on one thread. [control]
struct Screen {
  private let screen: OpaquePointer
  private let palette: Palette

  /// Checks that the terminal can show a dashboard, without changing it.
  static func check() throws(DashboardError) {
    guard isatty(STDIN_FILENO) == 1 else { throw .notATerminal(stream: "input") }
    guard isatty(STDOUT_FILENO) == 1 else { throw .notATerminal(stream: "output") }
    let name = environment("TERM")
    guard let name else { throw .unknownTerminal(nil) }
    var status: Int32 = 0
    guard setupterm(nil, STDOUT_FILENO, &status) == OK else { throw status == 1 ? .incapableTerminal(name) : .unknownTerminal(name) }
    guard canMoveCursor() else { throw .incapableTerminal(name) }
    if let size = Self.size, !size.holds(.smallest) { throw .tooSmall(found: size) }
  }

  /// Takes the terminal over. On an error it is unchanged.
  static func open(usesColor: Bool?) throws(DashboardError) -> Screen {
    try check()
    // Signals first: ncurses leaves a signal alone if a handler is set.
    let failure = nearend_terminal_arm(STDIN_FILENO)
    guard failure == 0 else { throw .system(call: "tcgetattr", code: failure) }
    guard let screen = nearend_open_screen() else {
      nearend_terminal_disarm()
      throw .incapableTerminal(environment("TERM") ?? "")
    }
    let opened = Screen(screen: screen, usesColor: usesColor ?? (environment("NO_COLOR") == nil))
    let size = opened.currentSize()
    guard size.holds(.smallest) else {
      opened.close()
      throw .tooSmall(found: size)
    }
    return opened
  }

  private init(screen: OpaquePointer, usesColor: Bool) {
    self.screen = screen
    cbreak()
    noecho()
    nonl()
    let window = nearend_stdscr()
    intrflush(window, false)
    keypad(window, true)
    nodelay(window, true)
    set_escdelay(25)
    Self.passFlowControlKeys()
    let hasColor = usesColor && has_colors()
    if hasColor {
      start_color()
      use_default_colors()
    }
    palette = Palette(usesColor: hasColor)
    curs_set(0)
  }

  /// Restores the terminal.
  func close() {
    endwin()
    delscreen(screen)
    nearend_terminal_disarm()
  }

  /// Returns the current size, and reports a change to ncurses.
  func currentSize() -> Size {
    if let size = Self.size, size.height != Int(nearend_lines()) || size.width != Int(nearend_columns()) {
      resizeterm(Int32(size.height), Int32(size.width))
    }
    return Size(width: Int(nearend_columns()), height: Int(nearend_lines()))
  }

  /// Draws the differences between `frame` and `former`, which is on the screen; draws everything without `former`.
  func draw(_ frame: Frame, over former: Frame?) {
    let window = nearend_stdscr()
    let former = former?.size == frame.size ? former : nil
    if former == nil { werase(window) }
    for y in 0..<frame.size.height {
      let row = frame.row(y)
      guard let former else {
        draw(row, 0, y)
        continue
      }
      let formerRow = former.row(y)
      guard row != formerRow, var first = row.indices.first(where: { row[$0] != formerRow[$0] }) else { continue }
      var end = (row.indices.last { row[$0] != formerRow[$0] } ?? first) + 1
      // Wide characters, old and new, are drawn as a whole.
      while first > row.startIndex, row[first].isContinuation || formerRow[first].isContinuation { first -= 1 }
      while end < row.endIndex, row[end].isContinuation || formerRow[end].isContinuation { end += 1 }
      draw(row[first..<end], first - row.startIndex, y)
    }
    wrefresh(window)
  }

  /// Discards ncurses' picture of the terminal: the next drawing sends everything.
  func invalidate() { clearok(nearend_curscr(), true) }

  /// Leaves the screen, stops the process, and restores the screen when it continues.
  func suspend() {
    endwin()
    nearend_terminal_suspend()
    wrefresh(nearend_stdscr())
    Self.passFlowControlKeys()
    invalidate()
  }

  /// Returns waiting keys, at most `limit`, so that a flood of them cannot delay drawing or stopping.
  func keys(limit: Int = 64) -> [Key] {
    var keys: [Key] = []
    for _ in 0..<limit {
      var code: wint_t = 0
      let kind = wget_wch(nearend_stdscr(), &code)
      if kind == ERR { break }
      if let key = kind == KEY_CODE_YES ? Key(functionCode: Int32(bitPattern: code)) : Key(character: code) { keys.append(key) }
    }
    return keys
  }

  private func draw(_ cells: ArraySlice<Cell>, _ x: Int, _ y: Int) {
    let window = nearend_stdscr()
    var drawn: [cchar_t] = []
    drawn.reserveCapacity(cells.count)
    for (index, cell) in zip(cells.indices, cells) where !cell.isContinuation {
      let isWide = index + 1 < cells.endIndex && cells[index + 1].isContinuation
      drawn.append(wide(cell, width: isWide ? 2 : 1))
      // If the C library assumes another width, blanks preserve the columns.
      if isWide, nearend_character_width(cell.scalar.value) != 2 { drawn.append(wide(Cell(style: cell.style), width: 1)) }
    }
    wmove(window, Int32(y), Int32(x))
    wadd_wchnstr(window, drawn, Int32(drawn.count))
  }

  private func wide(_ cell: Cell, width: Int32) -> cchar_t {
    let value = wchar_t(cell.scalar.value)
    let isAgreed = cell.scalar.isASCII || nearend_character_width(cell.scalar.value) == width
    var characters: (wchar_t, wchar_t, wchar_t) = (isAgreed ? value : 0x3f, 0, 0)
    if isAgreed, cell.mark.value != 0, nearend_character_width(cell.mark.value) == 0 { characters.1 = wchar_t(cell.mark.value) }
    let look = palette[cell.style]
    var result = cchar_t()
    withUnsafePointer(to: &characters) { tuple in
      _ = tuple.withMemoryRebound(to: wchar_t.self, capacity: 3) { setcchar(&result, $0, look.attributes, look.pair, nil) }
    }
    return result
  }

  /// Disables flow control, because Ctrl-S would stop the terminal, and with it everything that waits for the dashboard to end.
  private static func passFlowControlKeys() {
    var modes = termios()
    guard tcgetattr(STDIN_FILENO, &modes) == 0 else { return }
    modes.c_iflag &= ~tcflag_t(IXON)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
    def_prog_mode()
  }

  private static func canMoveCursor() -> Bool {
    guard let capability = tigetstr("cup") else { return false }
    return Int(bitPattern: capability) != -1
  }

  private static var size: Size? {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    return Size(width: Int(size.ws_col), height: Int(size.ws_row))
  }

  /// An environment variable; nil if unset or empty.
  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
