import ArgumentParser
import Foundation
import OfflineProcessing
import SessionModel

struct PlotCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plot", abstract: "Draw the last minutes of a running nearend: levels, ERLE, delay, load, buffers, spectrograms.",
    discussion: """
      Example: what the call sounded like in the last five minutes, as a picture:
        nearend plot --minutes 5 --out call.png
      """)

  @Option(parsing: .unconditional, help: ArgumentHelp("How many minutes, up to 10; nearend keeps no more.", valueName: "minutes"))
  var minutes = 1.0
  @Option(
    help: ArgumentHelp("Where the picture goes, a PNG; by default into the terminal.", valueName: "file"),
    completion: .file(extensions: ["png"]))
  var out: String?
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func validate() throws {
    guard minutes > 0, minutes <= 10 else { throw ValidationError("--minutes \(minutes): give a number above 0, up to 10.") }
    if let out, !out.lowercased().hasSuffix(".png") { throw ValidationError("--out \(out): give a name that ends in .png.") }
  }

  func run() throws {
    try parent.refuseOwnOptions(of: "plot", butGlyphs: true)
    let history = socket.nearend.get(CallHistory.self, "/history")
    guard !history.points.isEmpty else { fail("there is nothing to draw yet: no cycle has run since nearend started", .unavailable) }
    let engine = socket.nearend.get(Snapshot.self, "/status").processing.engine
    let chart = Chart(history, seconds: minutes * 60, engine: engine)
    guard let out else { return TerminalChart(parent.display.glyphs).print(chart) }
    do throws(OfflineError) { try chart.write(to: out) } catch { fail(error, ExitStatus(error)) }
  }
}
