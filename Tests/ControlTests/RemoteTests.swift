import ControlClient
import Foundation
import RTP
import SessionModel
import SimulatedHardware
import Synchronization
import TestSupport
import Testing

@testable import Nearend

@Suite("Participants on other machines", .serialized)
struct RemoteTests {
  /// A rig that runs in real time, whose voice is a tone.
  private final class Speaker {
    let rig: ControlRig
    private let upload: Thread

    init(tone: Double) throws {
      let rig = try ControlRig(speed: 1)
      self.rig = rig
      rig.service.session.send(.registerMedia(id: "somebody", isSend: true, isReceive: false))
      rig.service.core.isSending = true
      let samples = pcm(sine(tone, frames: 60 * 48_000, level: 0.2))
      let file = "\(rig.folder)/tone"
      try samples.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: file)) }
      let socket = rig.path
      upload = Thread {
        let input = open(file, O_RDONLY)
        defer { close(input) }
        _ = try? ControlClient(path: socket).upload("PUT", "/appaudio/tone?rate=48000&channels=1", from: input)
      }
      upload.start()
    }

    /// The last `seconds` of what was played.
    func played(_ seconds: Double) -> [Float] { rig.played.suffix(Int(seconds * 48_000)) }
    func share(of tone: Double) -> Double {
      let played = played(1)
      return played.count < 48_000 ? 0 : Measures.share(ofTone: tone, in: played, rate: 48_000)
    }
    var remote: RemoteStatus? { rig.snapshot.sinks.first?.remote }
    var send: SendStatus? { rig.snapshot.sends.first }
  }

  /// The first, even one of two consecutive free ports.
  private static func freePort() throws -> UInt16 {
    for _ in 0..<100 {
      let port = UInt16.random(in: 10_000...30_000) * 2
      let addresses = [try RTPAddress("0.0.0.0:\(port)"), try RTPAddress("0.0.0.0:\(port + 1)")]
      if let sockets = try? addresses.map({ try DatagramSocket(at: $0) }), sockets.count == 2 { return port }
    }
    throw POSIXError(.EADDRINUSE)
  }

  @Test("K12: a participant that reuses the name of a vanished one can be removed by that name")
  func successor() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    for round in 0..<50 {
      #expect(try rig.request("POST", "/sinks/alice?rtp=127.0.0.1:\(try Self.freePort())").status == 201)
      rig.service.session.send(.unregisterMedia(id: "alice"))
      _ = try rig.service.addRingSink(id: "alice", sampleRate: 48_000, channelCount: 1, bufferSize: 9_600)
      rig.service.removeSink(id: "alice")
      #expect(rig.snapshot.sinks.isEmpty && rig.snapshot.session.receiveMedia.isEmpty, "round \(round)")
      // The removed receiver ends asynchronously.
      #expect(rig.wait { rig.service.remotes.status(of: "alice") == nil })
    }
  }

  @Test("K12: the voice of one nearend is heard in another, with its SSRC, over IPv4 and IPv6", arguments: ["127.0.0.1", "[::1]"])
  func oneWay(host: String) throws {
    let (from, to) = (try Speaker(tone: 500), try Speaker(tone: 900))
    defer {
      from.rig.stop()
      to.rig.stop()
    }
    let address = "\(host):\(try Self.freePort())"
    #expect(try to.rig.request("POST", "/sinks/bob?rtp=\(address)&from=\(host)&latency=40").status == 201)
    #expect(to.rig.snapshot.sinks.first?.state == .idle && to.remote?.peer == nil && to.remote?.address == address)
    #expect(try from.rig.request("POST", "/sends?to=\(address)&packet=5").status == 201)
    #expect(to.rig.wait { to.share(of: 500) > 0.9 }, "\(String(describing: to.rig.snapshot.sinks))")
    let (remote, send) = (try #require(to.remote), try #require(from.send))
    #expect(to.rig.snapshot.sinks.first?.ssrc == send.ssrc && send.ssrc != 0)
    #expect(remote.packetTime == 5 && remote.channels == 1 && remote.lost == 0 && remote.refused == 0 && remote.streams == 1)
    #expect(remote.peer?.hasPrefix(host) == true && remote.jitter < 20 && remote.roundTrip == nil)
    #expect((10...120).contains(remote.latency), "\(remote.latency)")
    #expect(send.address == address && send.failures == 0 && send.lossPercent == nil)
    #expect(try from.rig.request("DELETE", "/sends/\(ControlClient.escaped(send.id))").isSuccess)
    #expect(from.rig.snapshot.sends.isEmpty && !from.rig.snapshot.session.sendMedia.contains(send.id))
    #expect(try to.rig.request("DELETE", "/sinks/bob").isSuccess)
    #expect(to.rig.snapshot.sinks.isEmpty && to.rig.snapshot.session.receiveMedia.isEmpty)
    #expect(try to.rig.request("POST", "/sinks/bob?rtp=\(address)").status == 201, "the port is free again at once")
  }

  @Test("K12: a call is both, each hears the other and not itself, and each knows what the other has received and how far away it is")
  func call() throws {
    let (alice, bob) = (try Speaker(tone: 500), try Speaker(tone: 900))
    defer {
      alice.rig.stop()
      bob.rig.stop()
    }
    let (first, second) = (try Self.freePort(), try Self.freePort())
    #expect(try alice.rig.request("POST", "/calls?to=127.0.0.1:\(second)&port=\(first)&id=bob").status == 201)
    #expect(try bob.rig.request("POST", "/calls?to=127.0.0.1:\(first)&port=\(second)&id=alice").status == 201)
    // Both conditions in the same quarter of a second: a lost cycle spreads power over every frequency.
    func hears(_ one: Speaker, _ tone: Double, not own: Double) -> Bool {
      let moment = Measures.clearestMoment(ofTone: tone, in: one.played(1), rate: 48_000)
      return Measures.share(ofTone: tone, in: moment, rate: 48_000) > 0.9 && Measures.share(ofTone: own, in: moment, rate: 48_000) < 0.01
    }
    #expect(alice.rig.wait { hears(alice, 900, not: 500) && hears(bob, 500, not: 900) })
    #expect(alice.rig.wait { alice.remote?.roundTrip != nil && alice.send?.lossPercent != nil })
    let (remote, send) = (try #require(alice.remote), try #require(alice.send))
    #expect(send.id == "bob" && remote.lost == 0 && (send.lossPercent ?? 100) < 1)
    #expect((remote.roundTrip ?? 1_000) < 50 && send.roundTrip != nil && send.jitter != nil)
    #expect(alice.rig.snapshot.session.sendMedia.contains("bob") && alice.rig.snapshot.session.receiveMedia == ["bob"])
    #expect(alice.rig.service.diagnostics().contains("Remote: from 127.0.0.1:"))
    let telemetry = try JSONDecoder().decode(TelemetryDocument.self, from: Data((alice.rig.service.telemetryJSON() ?? "").utf8))
    #expect(telemetry.remotes?["bob"]?.peer == remote.peer && telemetry.asmSsrcMap["bob"] == alice.rig.snapshot.sinks.first?.ssrc)
    #expect(try alice.rig.request("DELETE", "/calls/bob").isSuccess)
    #expect(alice.rig.snapshot.sinks.isEmpty && alice.rig.snapshot.sends.isEmpty && !alice.rig.snapshot.session.sendMedia.contains("bob"))
    #expect(bob.rig.wait { bob.send?.failures ?? 0 > 0 }, "nobody listens there any more, which is told")
    #expect(bob.send?.failure?.isEmpty == false)
    #expect(bob.rig.wait { bob.rig.snapshot.sinks.first?.state == .idle }, "who has hung up is silent, and not late")
    #expect(try bob.rig.request("DELETE", "/sinks/alice").isSuccess, "removing the participant ends the call")
    #expect(bob.rig.snapshot.sends.isEmpty)
  }

  /// Forwards datagrams, except every 50th.
  private final class Thief: @unchecked Sendable {
    private let inlet: DatagramSocket
    private let outlet: DatagramSocket
    private let done = DispatchSemaphore(value: 0)

    init(at port: UInt16, to target: UInt16) throws {
      inlet = try DatagramSocket(at: try RTPAddress("127.0.0.1:\(port)"))
      outlet = try DatagramSocket(to: try RTPAddress("127.0.0.1:\(target)"))
      Thread { [self] in
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 8)
        var count = 0
        while inlet.wait(seconds: 1) {
          while let (length, _) = inlet.receive(into: buffer) {
            count += 1
            if count % 50 != 0 { _ = outlet.send(Array(buffer[..<length])) }
          }
        }
        buffer.deallocate()
        done.signal()
      }.start()
    }

    func stop() {
      inlet.wake()
      done.wait()
    }
  }

  @Test("K12: lost packets are counted and concealed: no underrun, no silence, no drift of the latency")
  func lossy() throws {
    let (from, to) = (try Speaker(tone: 500), try Speaker(tone: 900))
    let (port, target) = (try Self.freePort(), try Self.freePort())
    let thief = try Thief(at: port, to: target)
    defer {
      from.rig.stop()
      to.rig.stop()
      thief.stop()
    }
    try to.rig.request("POST", "/sinks/bob?rtp=127.0.0.1:\(target)")
    try from.rig.request("POST", "/sends?to=127.0.0.1:\(port)")
    #expect(to.rig.wait { (to.remote?.lost ?? 0) >= 10 })
    let remote = try #require(to.remote)
    #expect(abs(remote.lossPercent - 2) < 0.6, "\(remote)")
    let expected = Double(remote.packets + remote.lost)
    #expect(abs(Double(remote.lost) / expected - 0.02) < 0.005)
    #expect(to.rig.snapshot.sinks.first?.totalUnderruns == 0)
    #expect(to.share(of: 500) > 0.9, "a tone with its gaps filled is still that tone: \(to.share(of: 500))")
    let metrics = to.rig.service.metrics()
    for name in ["lost_packets_total", "packets_total", "loss_ratio", "network_jitter_seconds", "latency_seconds"] {
      #expect(metrics.contains("nearend_remote_\(name){sink=\"bob\"}"), "\(name)")
    }
  }

  @Test("K12, X1: floods of other senders and of noise leave a call as it is, and are counted")
  func flood() throws {
    let (from, to) = (try Speaker(tone: 500), try Speaker(tone: 900))
    defer {
      from.rig.stop()
      to.rig.stop()
    }
    let port = try Self.freePort()
    try to.rig.request("POST", "/sinks/bob?rtp=127.0.0.1:\(port)")
    try from.rig.request("POST", "/sends?to=127.0.0.1:\(port)")
    #expect(to.rig.wait { to.share(of: 500) > 0.9 })
    let other = try DatagramSocket(to: try RTPAddress("127.0.0.1:\(port)"))
    var sender = RTPSender(milliseconds: 10)
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<100 {
      for packet in sender.append([Int16](repeating: 9_000, count: 48_00)) { _ = other.send(packet) }
      _ = other.send((0..<Int.random(in: 0...1_400)).map { _ in UInt8.random(in: 0...255, using: &generator) })
      usleep(10_000)
    }
    _ = other.send([UInt8](repeating: 0x80, count: 20_000))
    #expect(to.rig.wait { (to.remote?.refused ?? 0) > 300 })
    let remote = try #require(to.remote)
    #expect(remote.streams == 1 && remote.lastRefusal != nil)
    #expect(to.rig.wait { to.share(of: 500) > 0.9 })
    #expect(to.rig.snapshot.log.contains { $0.level == .warning && $0.message.contains("refused") })
  }

  @Test("K12: a call ends whole when its media or its participant is taken away by others; a sender that begins again is heard again")
  func ends() throws {
    let (alice, bob) = (try Speaker(tone: 500), try Speaker(tone: 900))
    defer {
      alice.rig.stop()
      bob.rig.stop()
    }
    let (first, second) = (try Self.freePort(), try Self.freePort())
    func call() throws { try alice.rig.request("POST", "/calls?to=127.0.0.1:\(second)&port=\(first)&id=bob") }
    try call()
    try bob.rig.request("POST", "/calls?to=127.0.0.1:\(first)&port=\(second)&id=alice")
    #expect(bob.rig.wait { bob.share(of: 500) > 0.9 })
    #expect(try alice.rig.request("DELETE", "/media/bob").isSuccess)
    #expect(alice.rig.wait { alice.rig.snapshot.sinks.isEmpty && alice.rig.snapshot.sends.isEmpty })
    #expect(bob.rig.wait { bob.rig.snapshot.sinks.first?.state == .idle })
    try call()
    #expect(bob.rig.wait { bob.remote?.streams == 2 && bob.share(of: 500) > 0.9 })
    #expect(bob.rig.snapshot.sinks.first?.ssrc == alice.send?.ssrc)
    #expect(try alice.rig.request("POST", "/sends?to=127.0.0.1:\(second)&id=other").status == 201)
    #expect(try alice.rig.request("DELETE", "/media/other").isSuccess)
    #expect(alice.rig.wait { alice.rig.snapshot.sends.map(\.id) == ["bob"] }, "what sends goes with its media")
    #expect(try alice.rig.request("DELETE", "/sends/bob").isSuccess, "the sending of a call is the call")
    #expect(alice.rig.snapshot.sinks.isEmpty && alice.rig.snapshot.sends.isEmpty)
  }

  @Test("K12: calls made and ended by several at once leave nothing behind: no port, no media, no sending; nor does the service's end")
  func crowd() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let ports = try (0..<3).map { _ in try Self.freePort() }
    let service = rig.service
    let calls = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for turn in 0..<60 {
        do {
          try service.call("127.0.0.1:9", id: "bob", port: ports[0])
          calls.withLock { $0 += 1 }
        } catch {}
        switch (thread + turn) % 3 {
        case 0: service.removeSink(id: "bob")
        case 1: _ = try? rig.request("DELETE", "/media/bob")
        default: try? service.endSend(id: "bob")
        }
      }
    }
    #expect(calls.withLock { $0 } > 10)
    try? service.endSend(id: "bob")
    #expect(rig.wait { rig.snapshot.sinks.isEmpty && rig.snapshot.sends.isEmpty && rig.snapshot.session.receiveMedia.isEmpty })
    #expect(rig.snapshot.session.sendMedia.isEmpty)
    try service.call("127.0.0.1:9", id: "bob", port: ports[0])
    let after = Mutex<[RemoteError?]>([])
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      if thread == 0 { return service.stop() }
      for _ in 0..<200 {
        _ = try? service.call("127.0.0.1:9", id: "ann\(thread)", port: ports[thread])
        try? service.endSend(id: "ann\(thread)")
      }
      do throws(RemoteError) { try service.send(to: "127.0.0.1:9") } catch { after.withLock { $0.append(error) } }
    }
    #expect(after.withLock { $0.allSatisfy { if case .session = $0 { true } else { false } } && $0.count == 2 })
    #expect(service.sends.isEmpty)
    for first in ports { _ = try DatagramSocket(at: try RTPAddress("0.0.0.0:\(first)")) }
  }

  @Test("X4, K12: destinations and participants over the network have a limit, which is told; their end is quick")
  func limits() throws {
    let rig = try ControlRig(speed: 1)
    defer { rig.stop() }
    for number in 0..<Remotes.mostSenders {
      #expect(try rig.request("POST", "/sends?to=127.0.0.1:9&id=to\(number)").status == 201)
    }
    for target in ["/sends?to=127.0.0.1:9&id=more", "/calls?to=127.0.0.1:9&id=more&port=\(try Self.freePort())"] {
      #expect(try rig.refusal(409, "POST", target)?.contains("which is the limit") == true, "\(target)")
    }
    #expect(rig.snapshot.sinks.isEmpty && !rig.snapshot.session.sendMedia.contains("more"))
    for number in 0..<Remotes.mostReceivers {
      #expect(try rig.request("POST", "/sinks/from\(number)?rtp=127.0.0.1:\(try Self.freePort())").status == 201)
    }
    #expect(try rig.refusal(409, "POST", "/sinks/more?rtp=127.0.0.1:\(try Self.freePort())")?.contains("which is the limit") == true)
    #expect(try rig.request("DELETE", "/sinks/from3").isSuccess && rig.request("DELETE", "/sends/to3").isSuccess)
    #expect(try rig.request("POST", "/calls?to=127.0.0.1:9&id=more&port=\(try Self.freePort())").status == 201)
    let begin = monotonicSeconds()
    rig.service.remotes.stop()
    #expect(monotonicSeconds() - begin < 2)
  }

  @Test("K12, X1: reports count from the other machine's own port alone, as answers to what was sent, and with figures that can be")
  func foreignReports() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let (here, there) = (try Self.freePort(), try Self.freePort())
    let peer = try DatagramSocket(at: try RTPAddress("127.0.0.1:\(there + 1)"))
    let impostor = try DatagramSocket(at: try RTPAddress("127.0.0.1:\(try Self.freePort())"))
    let target = try RTPAddress("127.0.0.1:\(here + 1)")
    #expect(try rig.request("POST", "/calls?to=127.0.0.1:\(there)&port=\(here)&id=bob").status == 201)
    let ssrc = try #require(rig.snapshot.sends.first).ssrc
    func report(loss: Double, jitter: Double, ago: Double) -> [UInt8] {
      let now = RTPReport.time(monotonicSeconds() - ago)
      let block = RTPReport.Block(
        ssrc: ssrc, fractionLost: loss, lost: 1, highestSequence: 1, jitter: jitter, lastReport: RTPReport.middle(now), delay: 0)
      return RTPReport(ssrc: 7, time: now, timestamp: 0, packets: 1, octets: 1, block: block).bytes
    }
    _ = impostor.send(report(loss: 0.75, jitter: 0.5, ago: 30), to: target)
    _ = peer.send(report(loss: 0.25, jitter: 0.01, ago: 30), to: target)
    _ = peer.send(report(loss: 0.5, jitter: 80_000, ago: 30), to: target)
    #expect(rig.wait { rig.snapshot.sends.first?.lossPercent == 25 })
    // Whatever came before the next report is handled by then.
    _ = peer.send(report(loss: 0.125, jitter: 0.01, ago: 30), to: target)
    #expect(rig.wait { rig.snapshot.sends.first?.lossPercent == 12.5 })
    let (send, remote) = (try #require(rig.snapshot.sends.first), try #require(rig.snapshot.sinks.first?.remote))
    #expect(send.roundTrip == nil && remote.roundTrip == nil, "a time that was never sent is no round trip")
    #expect(abs((send.jitter ?? 0) - 10) < 1)
  }

  @Test("K12: invalid requests are refused with the valid alternatives, and leave nothing behind")
  func refusals() throws {
    let rig = try ControlRig(speed: 0)
    defer { rig.stop() }
    let port = try Self.freePort()
    let impossible = [
      (422, "POST", "/sinks/bob?rtp=bob.example:5004", "numeric"), (422, "POST", "/sinks/bob?rtp=224.0.0.56:5004", "group"),
      (422, "POST", "/sinks/bob?rtp=10.0.0.7:0", "1 to 65535"),
      (422, "POST", "/sinks/bob?rtp=192.0.2.1:\(port)", "no address of this machine"),
      (422, "POST", "/sinks/bob?rtp=127.0.0.1:\(port)&latency=5", "20 to 100"),
      (422, "POST", "/sinks/b%20b?rtp=127.0.0.1:\(port)", "letters"),
      (422, "POST", "/sinks/bob?rtp=127.0.0.1:\(port)&from=everybody", "numeric"), (400, "POST", "/sinks/bob?from=10.0.0.8", "rtp="),
      (400, "POST", "/sinks/bob?device=1&rtp=127.0.0.1:\(port)", "device=1"),
      (422, "POST", "/sends?to=0.0.0.0:5004", "other machine's"), (422, "POST", "/sends?to=127.0.0.1:\(port)&packet=21", "1 to 20"),
      (400, "POST", "/sends", "to="), (404, "DELETE", "/sends/nobody", "nothing is now"),
      (422, "POST", "/calls?to=0.0.0.0", "other machine's"), (422, "POST", "/calls?to=127.0.0.1&port=70000", "65534"),
      (422, "POST", "/calls?to=127.0.0.1:65535", "65534"),
    ]
    for (status, method, target, words) in impossible {
      let reason = try rig.refusal(status, method, target)
      #expect(reason?.contains(words) == true, "\(target): \(reason ?? "another status")")
    }
    #expect(rig.snapshot.sinks.isEmpty && rig.snapshot.sends.isEmpty && rig.snapshot.session.receiveMedia.isEmpty)
    #expect(rig.snapshot.session.sendMedia.isEmpty)
    try rig.request("POST", "/sinks/bob?rtp=127.0.0.1:\(port)")
    #expect(try rig.refusal(409, "POST", "/sinks/bob?rtp=127.0.0.1:\(try Self.freePort())")?.contains("already registered") == true)
    #expect(try rig.refusal(409, "POST", "/sinks/ann?rtp=127.0.0.1:\(port)")?.contains("is in use") == true)
    try rig.request("POST", "/sends?to=127.0.0.1:\(port)")
    #expect(try rig.refusal(409, "POST", "/sends?to=127.0.0.1:\(port)")?.contains("already registered") == true)
    #expect(rig.snapshot.sinks.map(\.id) == ["bob"])
  }
}
