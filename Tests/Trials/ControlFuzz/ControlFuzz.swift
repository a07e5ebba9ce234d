import ArgumentParser
import Foundation
import Nearend
import PipeWireGraph
import SessionModel
import SimulatedHardware

/// Sends random, mutated requests in random orders, with random session events in between, to a live nearend in a private PipeWire session.
/// Fails on a request without an answer, on a hang, and if a sink, media or a descriptor remains; a crash ends it with a signal.
struct ControlFuzz: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "fuzz-control", abstract: "Random requests at nearend's control socket.")

  @OptionGroup var options: FuzzOptions

  func run() throws {
    let (seconds, seed) = (options.seconds, options.seed)
    say("fuzz: \(seconds) s, seed \(seed)")
    var configuration = SessionConfiguration()
    configuration.runsPulse = false
    let session = try PrivateSession(configuration)
    defer { session.end() }
    let path = "\(session.path)/nearend/control.sock"
    let service = try NearendService(NearendOptions(graph: GraphOptions(remote: session.socket), controlSocket: path))
    try service.start()
    defer { service.stop() }

    var tally = RequestTally()
    var round: UInt64 = 0
    let descriptors = openDescriptors()
    let end = monotonicSeconds() + seconds
    while monotonicSeconds() < end {
      var generator = SeededGenerator(seed: seed &+ round)
      FuzzRound(path: path, service: service, number: round).run(&generator, &tally)
      round += 1
      if round % 25 == 0 || monotonicSeconds() >= end { try checkNothingLeft(service, descriptors, round) }
    }
    say("fuzz: \(round) rounds, \(tally.requests) requests; answers: \(tally.described)")
    guard tally.failures.isEmpty else {
      for failure in tally.failures { say("fuzz: FAILED: \(failure)") }
      throw ExitCode.failure
    }
    say("fuzz: nothing to complain of")
  }

  private func removeWhatOutlivesClients(_ service: NearendService) {
    for sink in service.snapshot().sinks where sink.kind == .graph || sink.remote != nil { service.removeSink(id: sink.id) }
    for send in service.sends { try? service.endSend(id: send.id) }
    for media in service.session.current.media where media.owner == .program && !service.session.current.sinks.contains(media.id) {
      service.session.send(.unregisterMedia(id: media.id))
    }
  }

  /// Checks that nothing of the clients is left once they are gone; what may outlive a client is removed first.
  private func checkNothingLeft(_ service: NearendService, _ descriptors: Int, _ round: UInt64) throws {
    let deadline = monotonicSeconds() + 10
    var left = ""
    repeat {
      // On each attempt, because the last request of a departed client may still be in progress.
      removeWhatOutlivesClients(service)
      let snapshot = service.snapshot()
      let open = openDescriptors()
      left =
        "sinks \(snapshot.sinks.map { "\($0.id), \($0.kind)" }), sends \(snapshot.session.sendMedia), receives \(snapshot.session.receiveMedia), "
        + "\(open) sockets instead of \(descriptors)"
      if snapshot.sinks.isEmpty, snapshot.session.sendMedia.isEmpty, snapshot.session.receiveMedia.isEmpty, open <= descriptors {
        return
      }
      usleep(20_000)
    } while monotonicSeconds() < deadline
    say("fuzz: FAILED: left after round \(round): \(left)")
    throw ExitCode.failure
  }

  /// Sockets only: PipeWire's client library keeps memory and eventfds of former links.
  private func openDescriptors() -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.count { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.hasPrefix("socket:") == true }
  }
}

/// Counts of requests and answers.
struct RequestTally {
  var requests = 0
  var answers: [Int: Int] = [:]
  var failures: [String] = []

  var described: String { answers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") }
}
