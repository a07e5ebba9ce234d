import ControlClient
import Foundation
import Platform
import RTP
import SessionModel
import Synchronization
import TestSupport
import Testing

@testable import SimulatedHardware

/// How fast a mute is heard on other machines, where there are as many as may be.
@Suite("Mute on the wire", .serialized)
struct MuteOnTheWireTests {
  /// Destinations of the voice at a time, as nearend's limit.
  private static let destinations = 32

  /// Another machine that gets every destination's packets, and notes when each stream was last loud.
  private final class Listener: @unchecked Sendable {
    let port: UInt16
    private let socket: DatagramSocket
    private let lastLoud = Mutex([UInt32: Double]())
    private let done = DispatchSemaphore(value: 0)

    init() throws {
      port = UInt16.random(in: 10_000...30_000) * 2
      socket = try DatagramSocket(at: try RTPAddress("127.0.0.1:\(port)"))
      Thread { [self] in
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 8)
        while socket.wait(seconds: 60) {
          while let (length, _) = socket.receive(into: buffer) { note(UnsafeRawBufferPointer(rebasing: buffer[..<length])) }
        }
        buffer.deallocate()
        done.signal()
      }.start()
    }

    func stop() {
      socket.wake()
      done.wait()
    }

    /// The streams that were loud since `time`, CLOCK_MONOTONIC in seconds, and when they last were.
    func loud(since time: Double) -> [Double] { lastLoud.withLock { $0.values.filter { $0 >= time } } }

    private func note(_ datagram: UnsafeRawBufferPointer) {
      guard let packet = try? RTPPacket(datagram) else { return }
      // Big-endian samples of 16 bits: the high byte of anything louder than −42 dBFS is neither 0 nor −1.
      let isLoud = stride(from: packet.payload.lowerBound, to: packet.payload.upperBound, by: 2).contains {
        (1...254).contains(datagram[$0])
      }
      if isLoud { lastLoud.withLock { $0[packet.ssrc] = monotonicSeconds() } }
    }
  }

  @Test("D1 X4: with 32 destinations mute is silence on the wire to each of them within 200 ms of the request, and SIGTERM ends all in 2 s")
  func mute() throws {
    let session = try plainSession()
    let running = try session.startNearend("--headless")
    #expect(running.says("control socket"), "\(running.errors)")
    let client = ControlClient(path: "\(session.path)/nearend/control.sock")
    let listener = try Listener()
    defer { listener.stop() }
    // The output is known then.
    #expect(try session.nearend("set", "bypassVoiceProcessing", "on").succeeded)
    let noise = TestSupport.noise(frames: 48_000 * 60)
    let talker = try GraphProbe(socket: session.socket, name: "talker", play: ["near": noise], record: ["room"], frames: noise.count)
    try session.link(talker.playPort("near"), "hw.mic:input_MONO")
    try session.link("hw.speaker:monitor_FL", talker.recordPort("room"))
    talker.start()
    for number in 0..<Self.destinations {
      #expect(try client.request("POST", "/sends?to=127.0.0.1:\(listener.port)&id=to\(number)").status == 201)
    }
    var times: [Double] = []
    for _ in 0..<5 {
      let unmuted = monotonicSeconds()
      #expect(try client.request("PATCH", "/settings", json: Data(#"{"microphoneMuted": false}"#.utf8)).isSuccess)
      var heard = 0
      try session.wait(for: "the voice at every destination", detail: { "\(heard) hear it" }) {
        heard = listener.loud(since: unmuted).count
        return heard == Self.destinations
      }
      let begin = monotonicSeconds()
      #expect(try client.request("POST", "/mute").isSuccess)
      // Long after the last that may come.
      usleep(600_000)
      times.append((listener.loud(since: begin).max() ?? begin) - begin)
    }
    print("D1: from the request to the last sound on the wire to \(Self.destinations) destinations \(times.map { Int($0 * 1_000) }) ms")
    // A busy machine delays one or the other.
    #expect(times.sorted()[2] < 0.2)
    #expect(try client.request("PATCH", "/settings", json: Data(#"{"microphoneMuted": false}"#.utf8)).isSuccess)
    let begin = monotonicSeconds()
    running.process.signal(SIGTERM)
    #expect(running.process.wait(timeout: 10) == .status(0))
    print("X4: from SIGTERM to the end with \(Self.destinations) destinations \(monotonicSeconds() - begin) s")
    #expect(monotonicSeconds() - begin < 2)
    withExtendedLifetime(talker) {}
  }
}
