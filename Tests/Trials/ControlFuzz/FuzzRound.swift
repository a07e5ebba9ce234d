import Foundation
import Nearend
import SessionModel
import SimulatedHardware

/// A handful of clients that send requests and leave in a random order; one may send nothing, and one always behaves well.
struct FuzzRound {
  let path: String
  let service: NearendService
  let number: UInt64

  private static let methods = ["GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "get", ""]
  private static let paths = [
    "/status", "/settings", "/sinks", "/sinks/alice", "/sinks/bob", "/sinks/%61lice", "/media/call", "/media/alice", "/mute", "/unmute",
    "/activate", "/deactivate", "/commands", "/events", "/source", "/diagnostics", "/telemetry", "/metrics", "/", "/nosuch", "//",
    "/sinks/a/b", "/appaudio", "/sends", "/sends/alice", "/calls", "/calls/alice",
  ]
  private static let queries = [
    "", "", "?rate=48000&channels=1", "?rate=8000&channels=2&buffer=10", "?device=1", "?send=1&receive=1", "?receive=1", "?rate=0",
    "?buffer=-1",
    "?rtp=127.0.0.1:25004&latency=40", "?rtp=[::1]:25004&from=::1", "?to=127.0.0.1:25004&id=alice",
    "?to=127.0.0.1:25006&id=call&port=25004",
    "?to=10.0.0&packet=0", "?rtp=:", "?x=%", "?rate=99999999999999999999", "?=", "?rate=1&rate=2",
  ]
  private static let bodies = [
    "", "{}", #"{"microphoneMuted": true}"#, #"{"mutemode": "restart", "prepared": true}"#,
    #"{"mutemode": "inputMixer", "prepared": false}"#, #"{"ns": false, "outputVolume": 0.25}"#, #"{"gain": 0.5, "muted": true}"#,
    #"{"command": "clearCounters"}"#, #"{"useVoiceProcessingIO": false}"#, #"{"manualAudioSessionManagement": false}"#,
    #"[[[[[[[[{"a":"#, "\u{0}\u{1}\u{2}", #"{"speaker": "nosuch"}"#, #"{"speaker": ""}"#, #"{"gain": 1e999}"#,
  ]

  func run(_ generator: inout SeededGenerator, _ tally: inout RequestTally) {
    var clients: [FuzzClient] = []
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      guard let client = FuzzClient(path: path) else {
        tally.failures.append("round \(number): nobody listens")
        return
      }
      client.send(request(&generator))
      tally.requests += 1
      clients.append(client)
      if Bool.random(using: &generator) { sessionEvent(&generator) }
    }
    clients.shuffle(using: &generator)
    for client in clients {
      // Some disconnect before their answer.
      if Int.random(in: 0..<4, using: &generator) > 0 {
        client.finishSending()
        switch answer(of: client) {
        case .status(let status): tally.answers[status, default: 0] += 1
        // It sent nothing that could be answered.
        case .closed where client.hasSentNothing: break
        case .closed: tally.failures.append("round \(number): no answer to \(client.sent)")
        case .silence: tally.failures.append("round \(number): hangs at \(client.sent)")
        }
      }
      client.close()
    }
    expectAnswer(&tally)
  }

  /// Returns the outcome of a client. A sink plays out only while the session runs, so a session in manual mode is activated meanwhile.
  private func answer(of client: FuzzClient) -> FuzzClient.Outcome {
    for _ in 0..<10 {
      if !service.session.current.isUnitRunning { service.session.send(.activatedExternally) }
      let outcome = client.status(timeout: 1)
      guard case .silence = outcome else { return outcome }
    }
    return .silence
  }

  /// Expects an answer to a valid request, whatever the other clients have done.
  private func expectAnswer(_ tally: inout RequestTally) {
    guard let client = FuzzClient(path: path) else { return tally.failures.append("round \(number): nobody listens") }
    client.send(Array("GET /settings HTTP/1.1\r\nConnection: close\r\n\r\n".utf8))
    guard case .status(200) = client.status(timeout: 10) else {
      return tally.failures.append("round \(number): GET /settings is not answered")
    }
    client.close()
  }

  private func request(_ generator: inout SeededGenerator) -> [UInt8] {
    let body = Array((Self.bodies.randomElement(using: &generator) ?? "").utf8)
    let target = (Self.paths.randomElement(using: &generator) ?? "") + (Self.queries.randomElement(using: &generator) ?? "")
    var text = "\(Self.methods.randomElement(using: &generator) ?? "") \(target) HTTP/1.1\r\n"
    var bytes: [UInt8]
    if Bool.random(using: &generator) {
      text += "Transfer-Encoding: chunked\r\n\r\n"
      bytes = Array(text.utf8)
      let pcm = (0..<Int.random(in: 0...4_000, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let payload = Bool.random(using: &generator) ? body : pcm
      if !payload.isEmpty { bytes += Array("\(String(payload.count, radix: 16))\r\n".utf8) + payload + [13, 10] }
      bytes += Array("0\r\n\r\n".utf8)
    } else {
      bytes = Array((text + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
    }
    mutate(&bytes, &generator)
    return bytes
  }

  /// Mutates half of the requests.
  private func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    guard Bool.random(using: &generator) else { return }
    for _ in 0..<Int.random(in: 1...8, using: &generator) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(contentsOf: bytes[place...].prefix(Int.random(in: 1...64, using: &generator)), at: place)
      case 3: bytes.removeSubrange(place...)
      default: bytes.insert(contentsOf: Array("\r\n".utf8), at: place)
      }
    }
  }

  private func sessionEvent(_ generator: inout SeededGenerator) {
    let id = ["alice", "bob", "call"].randomElement(using: &generator) ?? ""
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: service.session.send(.registerMedia(id: id, isSend: .random(using: &generator), isReceive: .random(using: &generator)))
    case 1: service.session.send(.unregisterMedia(id: id))
    case 2: service.removeSink(id: id)
    case 3: try? service.addGraphSink(id: id)
    case 4: service.session.send(.setInitOnly(.manualAudioSessionManagement(.random(using: &generator))))
    case 5: service.session.send(.activatedExternally)
    case 6: service.session.send(.deactivatedExternally)
    default:
      for event in [SessionEvent.interruptionBegan(.frozen), .interruptionEnded(.frozen)] { service.session.send(event) }
    }
  }
}
