import Foundation
internal import Glibc
import Platform
import Synchronization

/// A remote participant of a call: packets of interleaved native-endian Int16 PCM that arrive as if through a network. [any]
package final class Participant: Sendable {
  /// The participant's format, clock and voice.
  package struct Profile: Sendable {
    /// The participant's name, usually also its sink's id.
    package var name: String
    /// Frames per second.
    package var rate: Int
    /// 1, or 2 with the same voice on both.
    package var channels: Int
    /// How much faster its clock runs, in parts per million.
    package var drift: Double
    /// The speaker and the text.
    package var voice: Voice
    /// The network between the participant and nearend.
    package var network: PacketSchedule.Network

    /// Creates a profile.
    /// - Parameters:
    ///   - rate: frames per second.
    ///   - channels: 1 or 2.
    ///   - drift: how much faster its clock runs, in parts per million.
    package init(name: String, rate: Int, channels: Int, drift: Double, voice: Voice, network: PacketSchedule.Network = .init()) {
      self.name = name
      self.rate = rate
      self.channels = channels
      self.drift = drift
      self.voice = voice
      self.network = network
    }

    /// Three participants that differ in all but their network, a good one.
    package static let three = [
      Profile(name: "alice", rate: 16_000, channels: 1, drift: 200, voice: Voice.farEnd[0], network: .good),
      Profile(name: "bruno", rate: 44_100, channels: 1, drift: -200, voice: Voice.farEnd[1], network: .good),
      Profile(name: "clara", rate: 48_000, channels: 2, drift: 0, voice: Voice.farEnd[2], network: .good),
    ]
  }
  /// Accepts one packet; returns false if it refuses it.
  package typealias Write = @Sendable (UnsafeRawBufferPointer) -> Bool

  /// Counts since `start`.
  package struct Counters: Sendable, Equatable {
    /// Packets passed to `Write`.
    package var packets = 0
    /// Packets that `Write` refused.
    package var refused = 0
  }

  /// The profile given to `init`.
  package let profile: Profile
  /// The counts so far; all 0 before `start`.
  package var counters: Counters { state.withLock { $0.counters } }

  private struct State {
    var counters = Counters()
    var isStopping = false
  }
  private let state = Mutex(State())
  private let packets: PacketSource
  private let epoch: Double
  private let seed: UInt64

  /// - Parameters:
  ///   - talker: the participant's index among the conversation's remote participants.
  ///   - epoch: the conversation's beginning, in seconds of CLOCK_MONOTONIC.
  /// - Throws: `SessionError` if its speech cannot be made.
  package init(_ profile: Profile, talker: Int, conversation: Conversation, epoch: Double, cache: String? = nil) throws {
    self.profile = profile
    self.epoch = epoch
    seed = conversation.seed &* 31 &+ UInt64(talker)
    let speech = try Speech(profile.voice, rate: profile.rate, cache: cache)
    packets = PacketSource(speech: speech, channels: profile.channels, conversation: conversation, talker: talker)
  }

  deinit { stop() }

  /// Sends on a thread of its own until `stop`. Call it once.
  package func start(_ write: @escaping Write) {
    startThread(name: "participant") { [packets, profile, epoch, seed, weak self] in
      var schedule = PacketSchedule(drift: profile.drift, network: profile.network, seed: seed)
      let begin = monotonicSeconds()
      var packet = [Int16](repeating: 0, count: packets.samplesPerPacket)
      while true {
        let (sent, arrival) = schedule.next()
        packets.fill(&packet, at: begin + sent - epoch)
        sleepUntil(begin + arrival)
        guard let self, !self.state.withLock({ $0.isStopping }) else { return }
        let isTaken = packet.withUnsafeBytes(write)
        self.state.withLock { state in
          state.counters.packets += 1
          if !isTaken { state.counters.refused += 1 }
        }
      }
    }
  }

  /// Stops sending; at most one packet in flight still arrives.
  package func stop() { state.withLock { $0.isStopping = true } }
}

/// The packets that a participant sends: its speech during its turns of the conversation, silence otherwise.
struct PacketSource: Sendable {
  let speech: Speech
  let channels: Int
  let conversation: Conversation
  let talker: Int

  private var frames: Int { Int(PacketSchedule.packet * Double(speech.rate)) }
  var samplesPerPacket: Int { frames * channels }

  /// Fills a packet that was sent `time` seconds after the conversation's epoch.
  func fill(_ packet: inout [Int16], at time: Double) {
    let talk = conversation.farEndTalk(talker, at: time)
    let first = Int(max(0, time) * Double(speech.rate))
    for frame in 0..<frames {
      let now = time + Double(frame) / Double(speech.rate)
      let gain = talk.map { fade(at: now, in: $0) } ?? 0
      let sample = gain > 0 ? Int16(clamping: Int(speech.samples[(first + frame) % speech.samples.count] * gain * 32_767)) : 0
      for channel in 0..<channels { packet[frame * channels + channel] = sample }
    }
  }
}

/// Returns the gain of a talk, 0…1: fades in and out within 20 ms, so that no talk starts with a click.
func fade(at time: Double, in talk: Range<Double>) -> Float {
  Float(min(1, max(0, min(time - talk.lowerBound, talk.upperBound - time) / 0.02)))
}

private func sleepUntil(_ seconds: Double) {
  var time = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
  while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
}
