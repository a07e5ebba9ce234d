internal import CairoLibrary
import SessionModel

extension Chart {
  /// Draws a PNG, which replaces a file of that name once it is complete. Throws `OfflineError.output`.
  package func write(to path: String) throws(OfflineError) {
    let file = try PendingFile(path: path)
    try ChartImage.draw(self, to: file)
    try file.finish()
  }
}

/// Draws a chart as a PNG, with cairo.
enum ChartImage {
  private static let width = 1_000.0
  private static let margin = (left: 60.0, right: 20.0, top: 30.0, bottom: 24.0)
  private static let panelHeight = 200.0
  /// Dark enough on white, and distinguishable without seeing red or green (Okabe and Ito): blue, vermilion, grey.
  private static let colours = [(0.0, 0.45, 0.70), (0.84, 0.37, 0.0), (0.6, 0.6, 0.6)]

  /// - Throws: `OfflineError.output`.
  static func draw(_ chart: Chart, to file: PendingFile) throws(OfflineError) {
    let height = Double(chart.panels.count + chart.spectrograms.count) * panelHeight + margin.bottom
    let surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height))
    defer { cairo_surface_destroy(surface) }
    let context = cairo_create(surface)
    defer { cairo_destroy(context) }
    cairo_set_source_rgb(context, 1, 1, 1)
    cairo_paint(context)
    cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL)
    cairo_set_font_size(context, 12)
    cairo_set_line_width(context, 1)
    func area(_ index: Int, _ panel: Chart.Panel) -> Area {
      Area(
        left: margin.left, top: Double(index) * panelHeight + margin.top, width: width - margin.left - margin.right,
        height: panelHeight - margin.top - 6, panel: panel)
    }
    for (index, panel) in chart.panels.enumerated() {
      let area = area(index, panel)
      grid(context, area)
      for (number, line) in panel.lines.enumerated() { plot(context, line, in: area, colour: colours[number % colours.count]) }
      legend(context, area)
    }
    for (index, spectrogram) in chart.spectrograms.enumerated() {
      let area = area(chart.panels.count + index, Chart.Panel(title: spectrogram.title, range: 0...20, lines: []))
      draw(context, spectrogram, in: area)
      legend(context, area)
    }
    let last = area(chart.panels.count + chart.spectrograms.count - 1, Chart.Panel(title: "", range: 0...1, lines: []))
    timeAxis(context, last, seconds: chart.seconds)
    let status = cairo_surface_write_to_png(surface, file.temporary)
    guard status == CAIRO_STATUS_SUCCESS else {
      throw .output(file: file.path, reason: String(cString: cairo_status_to_string(status)))
    }
  }

  private struct Area {
    let left, top, width, height: Double
    let panel: Chart.Panel

    func y(_ value: Double) -> Double {
      let range = panel.range
      let share = (min(max(value, range.lowerBound), range.upperBound) - range.lowerBound) / (range.upperBound - range.lowerBound)
      return top + height * (1 - share)
    }
  }

  private static func grid(_ context: OpaquePointer?, _ area: Area) {
    let range = area.panel.range
    for step in 0...4 {
      let value = range.lowerBound + (range.upperBound - range.lowerBound) * Double(step) / 4
      cairo_set_source_rgb(context, 0.88, 0.88, 0.88)
      cairo_move_to(context, area.left, area.y(value).rounded() + 0.5)
      cairo_line_to(context, area.left + area.width, area.y(value).rounded() + 0.5)
      cairo_stroke(context)
      text(context, "\(Int(value))", x: area.left - 40, y: area.y(value) + 4)
    }
  }

  private static func timeAxis(_ context: OpaquePointer?, _ area: Area, seconds: Double) {
    for step in 0...8 {
      let time = seconds * Double(step) / 8
      let label = seconds < 80 ? "\(decimal(time, 1)) s" : "\(Int(time)) s"
      text(context, label, x: area.left + area.width * Double(step) / 8 - (step == 8 ? 24 : 10), y: area.top + area.height + 18)
    }
  }

  private static func plot(_ context: OpaquePointer?, _ line: Chart.Line, in area: Area, colour: (Double, Double, Double)) {
    cairo_set_source_rgb(context, colour.0, colour.1, colour.2)
    if line.isMarks {
      for (index, value) in line.values.enumerated() where value != nil {
        let x = area.left + area.width * Double(index) / Double(line.values.count)
        cairo_rectangle(context, x, area.top, max(1, area.width / Double(line.values.count)), area.height)
      }
      return cairo_fill(context)
    }
    var isDrawing = false
    for (index, value) in line.values.enumerated() {
      guard let value else {
        isDrawing = false
        continue
      }
      let x = area.left + area.width * (Double(index) + 0.5) / Double(line.values.count)
      if isDrawing { cairo_line_to(context, x, area.y(value)) } else { cairo_move_to(context, x, area.y(value)) }
      isDrawing = true
    }
    cairo_stroke(context)
  }

  /// Lighter is louder, from −100 to −30 dBFS; the colours rise in brightness for every eye.
  private static func draw(_ context: OpaquePointer?, _ spectrogram: Chart.Spectrogram, in area: Area) {
    let columns = spectrogram.columns
    let cell = (width: area.width / Double(max(columns.count, 1)), height: area.height / Double(SpectrogramScale.bands))
    for (column, bands) in columns.enumerated() {
      for (band, byte) in (bands ?? []).enumerated() {
        let share = SpectrogramScale.intensity(byte)
        cairo_set_source_rgb(context, share * share, 0.85 * share * share * share, 0.2 + 0.6 * share - 0.7 * share * share * share)
        let y = area.top + area.height - Double(band + 1) * cell.height
        // Half a pixel over its edge, or the background shows between cells.
        cairo_rectangle(context, area.left + Double(column) * cell.width, y, cell.width + 0.5, cell.height + 0.5)
        cairo_fill(context)
      }
    }
  }

  private static func legend(_ context: OpaquePointer?, _ area: Area) {
    text(context, area.panel.title, x: area.left, y: area.top - 8)
    guard area.panel.lines.count > 1 else { return }
    for (index, line) in area.panel.lines.enumerated() {
      let x = area.left + 160 + Double(index) * 130
      let colour = colours[index % colours.count]
      cairo_set_source_rgb(context, colour.0, colour.1, colour.2)
      cairo_rectangle(context, x, area.top - 14, 18, 4)
      cairo_fill(context)
      text(context, line.name, x: x + 24, y: area.top - 8)
    }
  }

  private static func text(_ context: OpaquePointer?, _ text: String, x: Double, y: Double) {
    cairo_set_source_rgb(context, 0.2, 0.2, 0.2)
    cairo_move_to(context, x, y)
    cairo_show_text(context, text)
  }
}
