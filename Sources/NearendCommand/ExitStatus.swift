import ArgumentParser
import ControlClient
import Foundation
import Nearend
import PipeWireGraph
import Platform
import RealtimeCore

/// Exit statuses of `nearend`, taken from sysexits.h where it has a suitable one.
enum ExitStatus: Int32 {
  case success = 0
  /// Something failed while it ran.
  case failure = 1
  // 64: wrong arguments, given by the argument parser itself.
  /// nearend.toml, a preset, or the manifest of a batch is invalid.
  case badConfiguration = 65
  /// `--mic` or `--speaker` names a device that is not there, or a file to process is not there or cannot be processed.
  case noInput = 66
  /// No daemon, no nearend to talk to, no systemd or unit to enable, or something that a rehearsal needs is not installed.
  case unavailable = 69
  /// An output file of `process` cannot be written.
  case noOutput = 73
  /// Another nearend, or another `nearend tray`, runs in this session.
  case alreadyRunning = 75
  /// No terminal, or one that is too small or unknown.
  case noTerminal = 78

  static let help = """
    EXIT STATUS
      0   done
      1   failed while running, or process was interrupted
      64  wrong arguments
      65  nearend.toml, a preset that config check has found, or the
          manifest of a batch is invalid
      66  no device of that name, or an input file that cannot be processed
      69  no PipeWire daemon, no nearend to talk to, no systemd or unit to
          enable, or something that a rehearsal needs is not installed
      73  an output file that cannot be written
      75  another nearend, or another nearend tray, runs in this session
      78  not a terminal, or one that is too small
    """
}

/// Prints what went wrong to standard error, and ends the process. Where descriptors are short, which files, libraries and daemons may
/// report as anything, that is said, too: of words of the command's own, and where there is no session, where nearly none is left; of any
/// other error below what a session takes.
func fail(_ reason: Any, _ status: ExitStatus) -> Never {
  standardError.write(journal.line(.error, "\(reason)") ?? "nearend: \(reason)")
  let short = Shortage.descriptors
  let words = "\(reason)"
  let takesLittle = reason is String || reason is TransferError || reason is IsolationError
  let takesSession = !takesLittle && [.failure, .unavailable].contains(status)
  let isNamed = words.includes(SystemError(code: EMFILE).description)
  if !words.includes(short.problem), isNamed || Shortage.lacksDescriptors(takesSession ? Shortage.mostNeededBySession : 4) {
    let hint = "\(short.problem), which may be the cause; \(short.remedy)"
    standardError.write(journal.line(.error, hint) ?? "nearend: \(hint)")
  }
  exit(status.rawValue)
}

extension ExitStatus {
  init(_ error: GraphError) {
    switch error {
    case .noDaemon: self = .unavailable
    case .alreadyRunning: self = .alreadyRunning
    case .unknownDevice: self = .noInput
    case .refused, .vetoed: self = .failure
    }
  }
}
