import Platform
import RTP
import RealtimeCore
import SessionModel
import Synchronization

/// Sends the voice to another machine as RTP, on a thread of its own. [any]
///
///     audio thread ─▶ relay ─▶ listener ─▶ resample ─▶ RTPSender ─▶ socket
final class RemoteSender: Sendable {
  let id: String
  let address: RTPAddress
  let thread: SocketThread
  private var socket: DatagramSocket { thread.socket }
  private let listener: VoiceListener
  private let relay: VoiceRelay
  private struct State {
    var sender: RTPSender
    var sent: UInt64 = 0
    var failures: UInt64 = 0
    var failure: (code: Int32, time: Double)?
    var heard: Heard?
  }
  /// What the other machine reports of the stream.
  struct Heard: Sendable, Equatable {
    /// 0–1.
    var loss: Double
    /// Seconds.
    var jitter: Double
    /// Seconds; nil while unknown.
    var roundTrip: Double?
  }
  private let state: Mutex<State>

  private static let stackSize = 512 << 10
  /// Seconds for which a failure is reported: the error of a refused datagram comes with the next one, after which sending works again.
  private static let memory = 2.0
  /// Seconds between questions whether sending is still wanted: the session's lock is not for every packet of every sender.
  private static let doubt = 0.1
  /// Seconds after which the voice counts as paused.
  private static let pause = 0.2

  init(id: String, to address: RTPAddress, milliseconds: Int, relay: VoiceRelay) throws(RemoteError) {
    (self.id, self.address, self.relay) = (id, address, relay)
    do throws(DatagramError) { thread = SocketThread(try DatagramSocket(to: address)) } catch {
      throw .socket(address: "\(address)", error)
    }
    do throws(RequestFailure) { listener = try VoiceListener() } catch { throw .resources(error.reason) }
    state = Mutex(State(sender: RTPSender(milliseconds: milliseconds)))
  }

  /// - Parameters:
  ///   - isWanted: ends sending if false, because somebody has unregistered its media.
  ///   - ended: called on the sender's thread after it has ended.
  func start(while isWanted: @escaping @Sendable () -> Bool, ended: @escaping @Sendable () -> Void) {
    relay.add(listener)
    thread.start(name: "nearend-rtp-out", stackSize: Self.stackSize) { [self] in
      run(while: isWanted)
    } ended: { [self] in
      relay.remove(listener)
      ended()
    }
  }

  /// Ends it. Idempotent.
  func stop() { thread.stop() }

  /// The state from which a report to the receiver is made (see `RTPReport`).
  var reading: (ssrc: UInt32, timestamp: UInt32, packets: UInt64, octets: UInt64) {
    state.withLock { ($0.sender.ssrc, $0.sender.timestamp, $0.sender.packets, $0.sender.octets) }
  }

  func note(_ heard: Heard) { state.withLock { $0.heard = heard } }

  var status: SendStatus {
    let now = monotonicSeconds()
    return state.withLock { state in
      SendStatus(
        id: id, address: "\(address)", ssrc: state.sender.ssrc,
        packetTime: Double(state.sender.packetFrames) * 1_000 / Double(RTPFormat.rate),
        packets: state.sent, failures: state.failures,
        failure: state.failure.flatMap { now - $0.time < Self.memory ? DatagramError(code: $0.code).reason : nil },
        lossPercent: state.heard.map { $0.loss * 100 }, jitter: state.heard.map { $0.jitter * 1_000 },
        roundTrip: state.heard?.roundTrip.map { $0 * 1_000 })
    }
  }

  // MARK: Its thread

  private func run(while isWanted: () -> Bool) {
    guard let resampler = VoiceResampler() else { return }
    var (rate, lost, last, asked) = (0, 0, monotonicSeconds(), -Double.infinity)
    while socket.wait(seconds: 1, insteadFor: listener.wake.descriptor) {
      let (cycles, nowLost) = listener.drain()
      let now = monotonicSeconds()
      if now - asked >= Self.doubt {
        guard isWanted() else { return }
        asked = now
      }
      if cycles.isEmpty { continue }
      let span = cycles.reduce(0.0) { $0 + Double($1.frames) / Double($1.rate) }
      if now - last - span > Self.pause || nowLost != lost {
        // The timestamps advance over the gap.
        state.withLock { $0.sender.skip(Int(max(0, now - last - span) * Double(RTPFormat.rate))) }
        resampler.reset()
      }
      (last, lost) = (now, nowLost)
      for cycle in cycles {
        if cycle.rate != rate { resampler.reset() }
        rate = cycle.rate
        let ratio = Double(RTPFormat.rate) / Double(cycle.rate)
        let samples = cycle.rate == RTPFormat.rate ? cycle.samples : resampler.convert(cycle.samples, ratio: ratio)
        send(samples)
      }
    }
  }

  private func send(_ samples: [Float]) {
    let packets = state.withLock { $0.sender.append(samples.map(SourceConverter.int16)) }
    for packet in packets {
      let code = socket.send(packet)
      state.withLock { state in
        if code == 0 { return state.sent += 1 }
        state.failures += 1
        state.failure = (code, monotonicSeconds())
      }
    }
  }
}
