import ArgumentParser
import Foundation
import Platform
import SimulatedHardware

/// Two machines in a call: two network namespaces with a lossy network between them, and in each a whole session with its own room and
/// talker. Prints the figures, and fails if a side is not heard, hears itself, or drifts.
struct Intercom: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "intercom", abstract: "Lets two nearends talk over a lossy network, and measures what they hear.",
    subcommands: [CallCommand.self, SideCommand.self, WireCommand.self], defaultSubcommand: CallCommand.self)
}

struct CallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "call", abstract: "The call; this is what is done by default.")

  @Option(help: "Length of the call, 48 to 86400.")
  var seconds = 120.0
  @Option(help: "Delay of the network in ms, each way.")
  var delay = 30.0
  @Option(help: "How much earlier or later a packet may come, in ms.")
  var jitter = 5.0
  @Option(help: "Packets lost, in percent.")
  var loss = 1.0

  /// dB by which a voice must come back lower in half of the seconds, and over all of them together, where cycles that a busy machine loses
  /// are audible.
  private static let echo = 45.0, least = 15.0
  /// Seconds between both being ready and the first word.
  private static let lead = 5.0

  func validate() throws {
    guard (48...86_400).contains(seconds) else { throw ValidationError("--seconds: give 48 to 86400.") }
    guard (0...500).contains(delay), (0...delay).contains(jitter), (0...50).contains(loss) else {
      throw ValidationError("--delay: give 0 to 500; --jitter: no more than the delay; --loss: 0 to 50.")
    }
  }

  func run() throws {
    if let obstacle = Network.obstacle {
      say("SKIPPED: \(obstacle)")
      throw ExitCode(77)
    }
    try Speech.synthesise([.nearEnd] + Voice.farEnd)
    let folder = "/tmp/nearend-intercom.\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let network = try Network()
    defer { network.remove() }
    let signals = [SIGINT, SIGTERM].map { (number: Int32) -> any DispatchSourceSignal in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler {
        network.remove()
        Foundation.exit(1)
      }
      source.resume()
      return source
    }
    defer { for source in signals { source.cancel() } }
    let (wire, wireInput, wireOutput) = try Self.spawn(
      network.command(
        in: "wire", [Trials.program, "intercom", "wire", "--delay", "\(delay)", "--jitter", "\(jitter)", "--loss", "\(loss)"]))
    let sides = try ["a", "b"].map { name in
      let peer = Network.addresses[name == "a" ? "b" : "a"] ?? ""
      return try Self.spawn(
        network.command(
          in: name,
          [Trials.program, "intercom", "side", "--name", name, "--peer", peer, "--folder", folder, "--seconds", "\(seconds)"]))
    }
    for side in sides { _ = side.output.fileHandleForReading.availableData }
    let epoch = monotonicSeconds() + Self.lead
    for side in sides { side.input.fileHandleForWriting.write(Data("\(epoch)\n".utf8)) }
    for side in sides { side.process.waitUntilExit() }
    try wireInput.fileHandleForWriting.close()
    let passed = wireOutput.fileHandleForReading.readDataToEndOfFile()
    wire.waitUntilExit()
    guard sides.allSatisfy({ $0.process.terminationStatus == 0 }) else { throw Failure("a side has failed; its words are above") }
    let problems = try judge(folder, try JSONDecoder().decode(Wire.Report.self, from: passed))
    for problem in problems { say("FAILED: \(problem)") }
    if !problems.isEmpty { throw ExitCode.failure }
    say("both are heard, neither hears itself")
  }

  private func judge(_ folder: String, _ wire: Wire.Report) throws -> [String] {
    var problems: [String] = []
    say("network: \(wire.passed) packets passed, \(wire.lost) lost, \(delay) ms ± \(jitter) ms")
    say("spoken to: \(wire.destinations.keys.sorted().map { "\($0) (\(wire.destinations[$0] ?? 0))" }.joined(separator: ", "))")
    let strangers = Set(wire.destinations.keys).subtracting(Network.addresses.values)
    if !strangers.isEmpty { problems.append("others were spoken to: \(strangers.sorted())") }
    let reports = try Dictionary(
      uniqueKeysWithValues: ["a", "b"].map { name in
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name).json"))
        return (name, try JSONDecoder().decode(Side.Report.self, from: data))
      })
    for (name, other) in [("a", "b"), ("b", "a")] {
      guard let own = reports[name], let peer = reports[other], let last = own.moments.last else { throw Failure("no report of \(name)") }
      var delays: [Double] = []
      for (index, (recording, theirs)) in zip(own.recordings, peer.recordings).enumerated() {
        let figures = try Figures(of: name, recording, other: theirs)
        delays.append(figures.delay)
        say(
          "\(name), \(Int(recording.begin)) s: echo \(Self.text(-figures.echo)) dB (typically \(Self.text(-figures.typical)), "
            + "\(Self.text(-figures.loudest.echo)) in the second \(Int(figures.loudest.time))), heard at "
            + "\(Self.text(figures.heard)) dBFS (sent at \(Self.text(figures.sent))), silence \(Self.text(figures.silence)) dBFS, "
            + "voice to ear \(Self.text(figures.delay)) ms, likeness "
            + "\(Self.text(figures.likeness * 100)) %\(recording.isExact ? "" : ", cycles were lost")")
        if figures.typical < Self.echo || figures.echo < Self.least {
          problems.append("\(name) hears itself in recording \(index + 1)")
          for moment in peer.moments { say(Self.text(of: moment, at: other)) }
        }
        if figures.heard < -45 || figures.likeness < 0.3 { problems.append("\(name) does not hear \(other) in recording \(index + 1)") }
      }
      let settled = own.moments.filter { $0.seconds > 20 }
      let latencies = settled.map(\.remote.latency)
      // The smallest measurement: a report that a busy machine reads late lengthens it.
      let roundTrip = settled.compactMap(\.remote.roundTrip).min()
      say(
        "\(name): lost \(last.remote.lost) of \(last.remote.packets + last.remote.lost) (\(last.remote.late) late), jitter "
          + "\(Self.text(last.remote.jitter)) ms, latency \(Self.text(latencies.min() ?? 0))–\(Self.text(latencies.max() ?? 0)) ms, round trip "
          + "\(roundTrip.map(Self.text) ?? "-") ms, underruns \(last.underruns), drops \(last.drops), drift "
          + "\(Self.text(last.driftPPM)) ppm, xruns \(own.xruns)")
      if let first = delays.first, let end = delays.last, abs(end - first) > 25 {
        problems.append("\(name): the voice came \(Self.text(end - first)) ms later at the end than at the beginning")
      }
      if abs((roundTrip ?? 0) - 2 * delay) >= 15 { problems.append("\(name): the round trip is not what the network's is") }
    }
    return problems
  }

  private static func text(_ value: Double) -> String { fixed(value, 1) }

  private static func text(of moment: Side.Moment, at name: String) -> String {
    let canceller = moment.canceller
    return "  \(name), \(text(moment.seconds)) s: ERLE \(canceller.erle.map(text) ?? "-") dB, echo delay "
      + "\(canceller.echoDelay.map(text) ?? "-") ms, microphone \(text(canceller.microphoneLevel)) dBFS, reference "
      + "\(text(canceller.referenceLevel)) dBFS, underruns \(moment.underruns), xruns \(canceller.xruns)"
  }

  private static func spawn(_ words: [String]) throws -> (process: Process, input: Pipe, output: Pipe) {
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    return (process, input, output)
  }
}

struct SideCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "side", abstract: "One machine.", shouldDisplay: false)
  @Option var name: String
  @Option var peer: String
  @Option var folder: String
  @Option var seconds: Double

  func run() throws {
    try Side(name: name, peer: peer, folder: folder, seconds: seconds).run()
  }
}

struct WireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "wire", abstract: "The network between them.", shouldDisplay: false)
  @Option var delay: Double
  @Option var jitter: Double
  @Option var loss: Double

  func run() throws {
    var wire = Wire()
    (wire.delay, wire.jitter, wire.loss) = (delay / 1_000, jitter / 1_000, loss / 100)
    try wire.run("a", "b")
  }
}
