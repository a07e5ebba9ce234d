import Glibc
import SessionModel

/// The live route as a chain, and the available devices.
enum RoutesPage {
  private enum Line {
    case heading(String)
    case choice(Int)
    case text(String)
    case input(MicrophoneInput)
  }

  static func draw(_ snapshot: Snapshot, _ state: ViewState, _ body: Range<Int>, on canvas: inout Canvas) {
    let route = snapshot.route
    let choices = route.choices
    let selected = state.selectedDevice(in: choices)
    let devices = Dictionary(route.devices.map { (DeviceRow($0.direction, name: $0.name), $0) }) { first, _ in first }
    drawChain(snapshot, body.lowerBound, &canvas)
    canvas.put("Reference", 1, body.lowerBound + 3, .label)
    canvas.put("the echo canceller hears \(route.reference.words)", 13, body.lowerBound + 3, width: canvas.width - 14)
    canvas.put("Defaults", 1, body.lowerBound + 4, .label)
    let (defaults, style) = defaults(of: route)
    canvas.put(defaults, 13, body.lowerBound + 4, style, width: canvas.width - 14)
    let lines = lines(choices, route)
    let rows = body.dropFirst(5)
    let selectedLine = lines.firstIndex { if case .choice(selected) = $0 { true } else { false } } ?? 0
    for (row, index) in zip(rows, SinkTable.window(around: selectedLine, count: lines.count, rows: rows.count)) {
      switch lines[index] {
      case .heading(let words): canvas.rule(row, words)
      case .text(let text): canvas.put(text, 4, row, .faint)
      case .input(let input): draw(input, row, &canvas)
      case .choice(let choice):
        draw(choices[choice], devices[choices[choice]], route, isSelected: choice == selected, row, &canvas)
      }
    }
  }

  /// Returns what programs use that choose no device, and why that is not what was asked for.
  private static func defaults(of route: RouteStatus) -> (String, Style) {
    let status = route.defaults
    if let filter = status.bypasses.first { return ("smart, but \(filter) leads past nearend: it has a target", .caution) }
    if status.effective == .smart { return ("smart: programs that choose no device go through nearend", .good) }
    if status.requested == .smart, status.reason != nil { return ("not smart: the session manager does not understand it", .caution) }
    if route.areOursDefault { return ("Nearend Speaker and Nearend Microphone, for every application", .good) }
    return ("the session's own; d lets programs use nearend", .plain)
  }

  // MARK: The chain

  /// Draws two boxes of text with nearend between them: what each port is, and below it the device.
  ///
  ///     built-in microphone ───▶ nearend ───▶ headphones
  private static func drawChain(_ snapshot: Snapshot, _ y: Int, _ canvas: inout Canvas) {
    let (route, graph) = (snapshot.route, snapshot.graph)
    let middle = "nearend"
    let half = (canvas.width - middle.count) / 2
    let arrow = 7
    let room = half - arrow - 3
    canvas.put(middle, half, y, .heading)
    drawEnd(route.current.inputs.first, none: "no microphone", 1, y, room, .right, &canvas)
    drawEnd(route.current.outputs.first, none: "no speaker", half + middle.count + arrow + 2, y, room, .left, &canvas)
    drawArrow(isOn: graph.captureLinks > 0, half - arrow - 1, y, arrow, &canvas)
    drawArrow(isOn: graph.renderLinks > 0 && !route.isPausedAfterUnplug, half + middle.count + 1, y, arrow, &canvas)
    let uses = [
      graph.captureLinks > 0 ? "open" : "closed", route.isPausedAfterUnplug ? "paused" : graph.renderLinks > 0 ? "playing" : "idle",
    ]
    canvas.put(uses[0], half - arrow - 1, y + 1, .faint, width: arrow)
    canvas.put(uses[1], half + middle.count + 1, y + 1, .faint, width: arrow, align: .right)
  }

  private static func drawEnd(
    _ port: RoutePort?, none: String, _ x: Int, _ y: Int, _ width: Int, _ align: Canvas.Alignment, _ canvas: inout Canvas
  ) {
    guard let port else {
      canvas.put(none, x, y, .caution, width: width, align: align)
      return
    }
    let plugged = port.availability.word.map { ", \($0)" } ?? ""
    canvas.put(port.portType.word + plugged, x, y, port.availability == .no ? .caution : .good, width: width, align: align)
    let detail = port.portDescription.isEmpty ? port.description : "\(port.portDescription), \(port.description)"
    canvas.put(detail, x, y + 1, .faint, width: width, align: align)
  }

  private static func drawArrow(isOn: Bool, _ x: Int, _ y: Int, _ width: Int, _ canvas: inout Canvas) {
    let shaft = isOn ? Character(canvas.glyphs.horizontal) : "."
    canvas.put(String(repeating: shaft, count: width - 1) + String(canvas.glyphs.toRight), x, y, isOn ? .good : .faint)
  }

  // MARK: Candidates

  private static func lines(_ choices: [DeviceRow], _ route: RouteStatus) -> [Line] {
    var lines: [Line] = []
    for direction in [Device.Direction.input, .output] {
      lines.append(.heading(direction.heading))
      for (index, choice) in choices.enumerated() where choice.direction == direction { lines.append(.choice(index)) }
      if !route.devices.contains(where: { $0.direction == direction }) { lines.append(.text("none connected")) }
      if direction == .input, !route.microphoneInputs.isEmpty {
        lines.append(.text("channels of the microphone:"))
        lines += route.microphoneInputs.map { .input($0) }
      }
    }
    guard !route.usedPrograms.isEmpty else { return lines }
    lines.append(.heading("Programs moved to nearend's devices: \(route.usedPrograms.joined(separator: ", "))"))
    let programs = route.programs.filter(\.isUsed)
    lines += programs.isEmpty ? [.text("none plays or records now")] : programs.map { .text($0.words) }
    return lines
  }

  /// Draws a channel of the microphone: its level, and whether it is heard.
  private static func draw(_ input: MicrophoneInput, _ y: Int, _ canvas: inout Canvas) {
    let level = input.level > 0 ? 20 * log10(input.level) : -120
    canvas.put(input.label, 6, y, width: 9)
    canvas.meter(level, 16, y, width: 20)
    canvas.put(Numbers.dBFS(level), 38, y, .faint, width: 12)
    canvas.put(input.use.words, 51, y, input.use == .heard ? .good : input.use == .unchosen ? .faint : .caution, width: canvas.width - 52)
  }

  private static func draw(
    _ choice: DeviceRow, _ device: Device?, _ route: RouteStatus, isSelected: Bool, _ y: Int, _ canvas: inout Canvas
  ) {
    if isSelected { canvas.put(String(canvas.glyphs.selected), 0, y, .selection) }
    let style: Style = isSelected ? .selection : .plain
    let nameWidth = (canvas.width - 46) * 11 / 20 + 10
    let (kindX, stateX) = (5 + nameWidth, 25 + nameWidth)
    let isPicked = route.picked(choice.direction) == choice.name
    guard let device else {
      canvas.put(
        choice.name ?? (route.areOursDefault ? "follow the default device (other than nearend's)" : "follow the session manager's default"),
        4, y,
        style,
        width: stateX - 5)
      guard isPicked else { return }
      canvas.put(
        choice.name == nil ? "followed" : "chosen, not available", stateX, y, choice.name == nil ? .good : .caution, width: 27)
      return
    }
    let used = device.direction == .input ? route.microphone : route.speaker
    let isUsed = used?.name == device.name
    if isUsed { canvas.put(String(canvas.glyphs.inUse), 2, y, .good) }
    canvas.put(device.description, 4, y, style, width: nameWidth)
    canvas.put(device.portType.word, kindX, y, width: 19)
    // A device in use is obviously plugged in.
    let plugged = isUsed && device.availability == .yes ? nil : device.availability.word
    let state = [isUsed ? "in use" : nil, isPicked ? "chosen" : nil, device.isDefault ? "default" : nil, plugged].compactMap { $0 }
    canvas.put(state.joined(separator: ", "), stateX, y, device.availability == .no ? .caution : isUsed ? .good : .plain, width: 27)
    let x = stateX + 28
    guard x < canvas.width - 10 else { return }
    canvas.put(device.name, x, y, .faint, width: canvas.width - x - 1)
  }
}
