import ArgumentParser
import Border
import ControlClient
import DashboardTerminal
import Foundation
import SessionModel

struct AttachCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach", abstract: "Show the dashboard of a running nearend; q detaches and leaves it running.")

  @OptionGroup var socket: SocketOptions
  @ParentCommand var parent: NearendCommand

  func run() throws {
    try parent.refuseOptions(of: "attach takes only --glyphs and --socket", except: ["--glyphs"])
    let stop = StopRequest.onSignals()
    let nearend = socket.nearend
    // Checks that one runs, before the terminal changes.
    nearend.request("GET", "/status")
    AttachedView.show(nearend, TerminalDisplay.checked(parent.display, instead: "use nearend status"), stop)
  }
}

/// A nearend in another process, as the dashboard polls it. Used by one thread.
final class AttachedView {
  private let nearend: RunningNearend
  private let stop: StopRequest
  private var last: Snapshot
  private var seen = CallHistory()
  private var drawn: AuditionReport?
  /// Why the connection was lost.
  private(set) var loss: String?

  private init(nearend: RunningNearend, last: Snapshot, stop: StopRequest) {
    (self.nearend, self.last, self.stop) = (nearend, last, stop)
  }

  /// Shows its dashboard until `q`, or until a stop is requested; ends the process if that nearend ends, or is of another version.
  static func show(_ nearend: RunningNearend, _ terminal: TerminalDisplay, _ stop: StopRequest) {
    let view = AttachedView(nearend: nearend, last: nearend.get(Snapshot.self, "/status"), stop: stop)
    let end = OrderlyEnd(stop)
    do throws(DashboardError) {
      try terminal.run(stop, snapshot: view.snapshot, history: view.history, picture: view.picture, perform: view.perform)
    } catch {
      fail(error, .noTerminal)
    }
    // Before a failure is told, which the other thread would cut short.
    end.run()
    if let loss = view.loss { fail("the nearend at \(nearend.client.path) has ended, or does not answer: \(loss)", .unavailable) }
  }

  func snapshot() -> Snapshot {
    if let answer = request("GET", "/status") {
      do { last = try JSONDecoder.ofDocuments.decode(Snapshot.self, from: answer.body) } catch { connectionLost("\(error)") }
    }
    return last
  }

  /// Returns the history fetched so far, with the points since.
  func history() -> CallHistory {
    if let answer = request("GET", "/history?after=\(seen.points.last?.number ?? 0)") {
      do { seen.append(contentsOf: try JSONDecoder.ofDocuments.decode(CallHistory.self, from: answer.body).points) } catch {
        connectionLost("\(error)")
      }
    }
    return seen
  }

  /// Returns what the last audition recorded; fetched once.
  func picture() -> CallHistory {
    guard let audition = last.audition, audition.findings != nil else { return CallHistory() }
    if drawn?.status.number != audition.number, let answer = request("GET", "/listen/picture"), answer.isSuccess {
      do { drawn = try JSONDecoder.ofDocuments.decode(AuditionReport.self, from: answer.body) } catch { connectionLost("\(error)") }
    }
    return drawn?.status.number == audition.number ? drawn!.picture : CallHistory()
  }

  /// Returns why the command was refused; nil if it was not.
  func perform(_ command: Command) -> String? {
    guard loss == nil else { return nil }
    do throws(TransferError) {
      if let answer = try nearend.client.perform(command), !answer.isSuccess { return answer.reason.printable() }
    } catch { connectionLost(error.description) }
    return nil
  }

  private func request(_ method: String, _ target: String) -> HTTPAnswer? {
    guard loss == nil else { return nil }
    do throws(TransferError) { return try nearend.client.request(method, target) } catch { connectionLost(error.description) }
    return nil
  }

  private func connectionLost(_ reason: String) {
    if loss == nil { loss = reason }
    stop.request()
  }
}
