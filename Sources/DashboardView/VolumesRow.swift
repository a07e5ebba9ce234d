import SessionModel

/// The volumes of the four devices on the way of a call, in signal order, as mixers set them (D1).
struct VolumesRow {
  struct Part: Equatable {
    var text: String
    var style: Style
  }
  let parts: [Part]

  /// - Parameter isWide: whether there is room for the devices' whole names, beside which two of them are called as in 80 columns.
  init(_ volumes: VolumesStatus, isWide: Bool) {
    parts = volumes.ends.map { end in
      let name = isWide ? end.plainName : Self.short(end)
      let state = end.status.isMuted ? "MUTED" : percent(end.status.volume)
      return Part(text: "\(name) \(state)", style: end.complaint == nil ? .plain : .caution)
    }
  }

  private static func short(_ end: VolumesStatus.End) -> String {
    switch (end.direction, end.isOurs) {
    case (.input, true): "Nearend Mic"
    case (.input, false): "mic"
    case (.output, true): "Nearend Speaker"
    case (.output, false): "speaker"
    }
  }

  func draw(_ x: Int, _ y: Int, on canvas: inout Canvas) {
    var column = x
    for (index, part) in parts.enumerated() {
      column = canvas.put(part.text, column, y, part.style, width: canvas.width - column - 1)
      if index < parts.count - 1 { column = canvas.put(", ", column, y, width: canvas.width - column - 1) }
    }
  }
}
