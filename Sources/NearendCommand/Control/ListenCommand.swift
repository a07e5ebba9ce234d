import ArgumentParser
import ControlClient
import DashboardView
import Foundation
import Nearend
import PipeWireGraph
import Platform
import SessionModel

struct ListenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "listen",
    abstract: "Hear yourself as others hear you: records some seconds, and plays them back raw and processed.",
    discussion: """
      Talk while it records, and let something play if others will talk over a loudspeaker. Others hear nothing meanwhile. The recording is in memory only, and gone afterwards. Ctrl-C ends it. Without a running nearend, one runs as long as this takes.

      Of the nearend that runs, through its control socket; the dashboard's key is y.
      """)

  @Option(parsing: .unconditional, help: ArgumentHelp("How many seconds are recorded, 1 to 30; by default 5.", valueName: "n"))
  var seconds: Double?
  @Flag(help: "Print what happens as lines of JSON, the last one with spectra.")
  var json = false
  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  /// The parser gives `nearend` itself the options that both have.
  private var length: Double { seconds ?? parent.display.seconds ?? AuditionStatus.standardLength }

  func run() throws {
    try parent.refuseOptions(
      of: "listen takes only --seconds, --json, --glyphs and --socket", except: ["--seconds", "--json", "--glyphs"])
    guard AuditionStatus.lengths.contains(length) else { throw ValidationError("--seconds \(length): give 1 to 30.") }
    let teller = AuditionTeller(asJSON: json || parent.display.json, parent.display.glyphs)
    if !listen(through: socket.nearend, teller) { try listenAlone(teller) }
    if let reason = teller.reason { fail("it ended early: \(reason)", .failure) }
  }

  /// Returns false if none runs, and none was named.
  private func listen(through nearend: RunningNearend, _ teller: AuditionTeller) -> Bool {
    do {
      let answer = try nearend.client.download("/listen?seconds=\(length)") { bytes in
        teller.take(bytes)
        return true
      }
      if let answer { _ = nearend.requireSuccess(answer) }
      if !teller.isOver { fail("nearend at \(nearend.client.path) has ended meanwhile", .unavailable) }
      return true
    } catch {
      if case .unreachable = error, socket.socket == nil { return false }
      nearend.end(error)
    }
  }

  /// Runs a nearend for this alone.
  private func listenAlone(_ teller: AuditionTeller) throws {
    let environment = ProcessInfo.processInfo.environment
    ServiceNotifier.clearEnvironment()
    let stop = StopRequest.onSignals()
    standardError.write("nearend: none runs here; one runs until you have heard yourself")
    do throws(GraphError) {
      let (service, keeper) = try startService(in: nil, wishes: Wishes(parent.devices, environment), display: parent.display, stop: stop)
      let end = OrderlyEnd(nil) {
        keeper.stop()
        service.stop()
      }
      listen(to: service, teller, stop)
      end.run()
    } catch {
      fail(error, ExitStatus(error))
    }
    if let failure = stop.failure { fail(failure, ExitStatus(failure)) }
  }

  private func listen(to service: NearendService, _ teller: AuditionTeller, _ stop: StopRequest) {
    var begun = service.beginAudition(seconds: length)
    // A device may be about to be chosen.
    for _ in 0..<20 where begun.number == nil && !stop.isRequested {
      pause(seconds: 0.1)
      begun = service.beginAudition(seconds: length)
    }
    guard let number = begun.number else { return teller.refused(begun.refusal ?? "") }
    while let report = service.audition, report.status.number == number {
      teller.tell(report)
      if teller.isOver { return }
      if stop.isRequested { service.endAudition() }
      pause(seconds: 0.1)
    }
  }
}

/// Tells of an audition on standard output: in a terminal one line that changes, elsewhere a line for each phase, or every document as
/// JSON; afterwards what it shows. One thread.
private final class AuditionTeller {
  private let asJSON: Bool
  private let glyphs: GlyphChoice?
  private let isTerminal = isatty(STDOUT_FILENO) == 1
  private var pending: [UInt8] = []
  private var phase: AuditionStatus.Phase?
  private(set) var isOver = false
  /// Why it has ended early.
  private(set) var reason: String?

  init(asJSON: Bool, _ glyphs: GlyphChoice?) { (self.asJSON, self.glyphs) = (asJSON, glyphs) }

  /// Takes bytes of the control socket's stream.
  func take(_ bytes: UnsafeRawBufferPointer) {
    pending += bytes
    while let end = pending.firstIndex(of: 10) {
      let line = Data(pending[..<end])
      pending.removeSubrange(...end)
      guard let report = try? JSONDecoder.ofDocuments.decode(AuditionReport.self, from: line) else {
        fail("unexpected answer from nearend, which may be of a different version", .failure)
      }
      tell(report)
    }
  }

  func refused(_ reason: String) { fail(reason, .failure) }

  func tell(_ report: AuditionReport) {
    if isOver { return }
    let status = report.status
    isOver = !status.isActive
    if status.phase == .ended { reason = (status.reason ?? "no reason is known").printable() }
    if asJSON {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      if let line = try? encoder.encode(report) { print(String(decoding: line, as: UTF8.self)) }
    } else if isTerminal, status.isActive {
      var line = status.words
      if let microphone = status.microphoneLevel, let voice = status.voiceLevel {
        line += " - microphone \(level(microphone)), voice \(level(voice))"
      }
      print("\r\u{1b}[K\(line.printable())", terminator: "")
    } else if status.phase != phase, status.isActive {
      print(status.words.printable())
    }
    phase = status.phase
    if isOver, !asJSON { show(report) }
    fflush(nil)
  }

  private func level(_ level: Double) -> String { level <= -100 ? "silent" : "\(Int(level.rounded())) dBFS" }

  private func show(_ report: AuditionReport) {
    if isTerminal { print("\r\u{1b}[K", terminator: "") }
    guard report.status.findings != nil else { return }
    for row in Frame.rows(of: report, width: min(standardOutputColumns(), 500), glyphs: GlyphChoice.set(glyphs)) { print(row.printable()) }
  }
}
