import SessionModel

/// The devices that sound can come from and go to.
enum RoutesPage {
  private enum Line {
    case heading(Device.Direction)
    case choice(Int)
    case text(String)
  }

  static func draw(_ snapshot: Snapshot, _ state: ViewState, _ body: Range<Int>, on canvas: inout Canvas) {
    let route = snapshot.route
    let choices = route.choices
    let selected = state.selectedDevice(in: choices)
    let devices = Dictionary(route.devices.map { (DeviceChoice($0.direction, name: $0.name), $0) }) { first, _ in first }
    canvas.put("Reference", 1, body.lowerBound, .label)
    canvas.put("the echo canceller hears \(route.reference.word)", 13, body.lowerBound)
    let lines = lines(choices, route)
    let rows = body.dropFirst(2)
    let selectedLine = lines.firstIndex { if case .choice(selected) = $0 { true } else { false } } ?? 0
    for (row, index) in zip(rows, SinkTable.window(around: selectedLine, count: lines.count, rows: rows.count)) {
      switch lines[index] {
      case .heading(let direction): canvas.rule(row, direction.heading)
      case .text(let text): canvas.put(text, 4, row, .faint)
      case .choice(let choice):
        draw(choices[choice], devices[choices[choice]], route, isSelected: choice == selected, row, &canvas)
      }
    }
  }

  private static func lines(_ choices: [DeviceChoice], _ route: RouteStatus) -> [Line] {
    var lines: [Line] = []
    for direction in [Device.Direction.input, .output] {
      lines.append(.heading(direction))
      for (index, choice) in choices.enumerated() where choice.direction == direction { lines.append(.choice(index)) }
      if !route.devices.contains(where: { $0.direction == direction }) { lines.append(.text("none connected")) }
    }
    return lines
  }

  private static func draw(
    _ choice: DeviceChoice, _ device: Device?, _ route: RouteStatus, isSelected: Bool, _ y: Int, _ canvas: inout Canvas
  ) {
    if isSelected { canvas.put(String(canvas.glyphs.selected), 0, y, .selection) }
    let style: Style = isSelected ? .selection : .plain
    guard let device else {
      canvas.put("follow the session manager's default", 4, y, style)
      return
    }
    let used = device.direction == .input ? route.microphone : route.speaker
    let isUsed = used?.name == device.name
    let state = [isUsed ? "in use" : nil, device.isDefault ? "default" : nil].compactMap { $0 }.joined(separator: ", ")
    if isUsed { canvas.put(String(canvas.glyphs.inUse), 2, y, .good) }
    let nameWidth = (canvas.width - 24) * 11 / 20
    canvas.put(device.description, 4, y, style, width: nameWidth)
    canvas.put(state, 5 + nameWidth, y, isUsed ? .good : .plain, width: 15)
    let x = 21 + nameWidth
    canvas.put(device.name, x, y, .faint, width: canvas.width - x - 1)
  }
}
