import ArgumentParser
import Border
import ControlClient
import Foundation
import Nearend
import Platform

/// The options that select a running nearend.
struct SocketOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The control socket of the nearend to talk to; by default $XDG_RUNTIME_DIR/nearend/control.sock.", valueName: "path"),
    completion: .file())
  var socket: String?

  /// Ends the process if the location of the socket is unknown.
  var nearend: RunningNearend {
    guard let path = socket ?? ControlPath.standard(ProcessInfo.processInfo.environment) else {
      fail(
        "XDG_RUNTIME_DIR is not set, so that no control socket can be found: export XDG_RUNTIME_DIR=/run/user/$(id -u), or give the socket "
          + "with --socket <path>", .unavailable)
    }
    return RunningNearend(client: ControlClient(path: path))
  }
}

/// A nearend in another process. Each call ends this process with a message if it fails.
struct RunningNearend {
  let client: ControlClient

  /// Descriptors that a request may need.
  static let leastDescriptors = 8

  /// Sends a request; returns the body of a successful answer.
  @discardableResult
  func request(_ method: String, _ target: String, _ document: (any Encodable)? = nil) -> Data {
    do {
      let json = try document.map { try JSONEncoder().encode($0) }
      return requireSuccess(try client.request(method, target, json: json)).body
    } catch {
      end(error)
    }
  }

  func get<Value: Decodable>(_ type: Value.Type, _ target: String) -> Value {
    let data = request("GET", target)
    do { return try JSONDecoder.ofDocuments.decode(type, from: data) } catch {
      fail("unexpected answer from the nearend at \(client.path), which may be of a different version: \(error)", .failure)
    }
  }

  /// Prints the elements of a list, made safe for terminals: each as its lines, or the whole as JSON.
  func list<Element: Decodable>(_ target: String, asJSON: Bool, none: String? = nil, _ lines: (Element) -> [String]) {
    if asJSON { return show(target) }
    let elements = get([Element].self, target)
    if elements.isEmpty, let none { print(none) }
    for element in elements {
      for line in lines(element) { print(line.printable()) }
    }
  }

  /// Prints multi-line text, made safe for terminals.
  func show(_ target: String) {
    let text = String(decoding: request("GET", target), as: UTF8.self).printableLines(atMost: .max)
    print(text, terminator: "")
  }

  func requireSuccess(_ answer: HTTPAnswer) -> HTTPAnswer {
    guard answer.isSuccess else { fail(answer.reason, .failure) }
    return answer
  }

  func end(_ error: any Error) -> Never {
    if case .unreachable? = error as? TransferError {
      if Shortage.lacksDescriptors(Self.leastDescriptors) {
        fail("the nearend at \(client.path) cannot be asked: \(Shortage.descriptors.advice)", .failure)
      }
      let folder = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"] ?? ""
      if !folder.isEmpty, client.path.hasPrefix("\(folder)/"), let fault = folderFault(folder) {
        fail(
          "XDG_RUNTIME_DIR is \(folder), which \(fault): give nearend's own, /run/user/$(id -u) in a login session, "
            + "or the control socket with --socket <path>", .unavailable)
      }
      fail("no nearend runs here: nothing listens at \(client.path); start one with nearend, or nearend --headless", .unavailable)
    }
    if case .failed? = error as? TransferError { fail("nearend at \(client.path) has ended in the middle of the request", .unavailable) }
    fail(error, .failure)
  }
}

extension HTTPAnswer {
  /// Whether the requested name is in use.
  var isTaken: Bool { code == ControlFailureCode.nameTaken.rawValue }
  /// Whether the voice already has a source.
  var hasSource: Bool { code == ControlFailureCode.sourceTaken.rawValue }
}

extension JSONDecoder {
  /// A decoder for nearend's documents.
  static var ofDocuments: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }
}

extension NearendCommand {
  /// Refuses options of `nearend` itself, which the parser accepts anywhere on the line, for a command that talks to another nearend.
  func refuseOwnOptions(of command: String, butJSON: Bool = false, butGlyphs: Bool = false) throws {
    try refuseOptions(
      of: "\(command) controls a running nearend and accepts none of nearend's own options",
      except: (butJSON ? ["--json"] : []) + (butGlyphs ? ["--glyphs"] : []))
  }

  /// Refuses the options that were given to `nearend` itself, except some, in these words and with their names.
  func refuseOptions(of words: String, except accepted: [String] = []) throws {
    let names = devices.given + display.given + (telemetry.isGiven ? ["the --telemetry options"] : []) + (wait ? ["--wait"] : [])
    let refused = names.filter { !accepted.contains($0) }
    guard refused.isEmpty else { throw ValidationError("\(words): leave out \(refused.joined(separator: ", ")).") }
  }
}
