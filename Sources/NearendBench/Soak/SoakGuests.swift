import Foundation
import Nearend
import RealtimeCore
import SessionModel
import SimulatedHardware

/// The guests of a soak: participants with rings, participants with devices, applications that play and record.
final class SoakGuests {
  private let session: PrivateSession
  private let service: NearendService
  private let conversation: Conversation
  private var participants: [String: Participant] = [:]
  private var devices: Set<String> = []
  private var clients: [String: ChildProcess] = [:]
  private var phone: ChildProcess?
  let account = PacketAccount()
  private var packets = 0
  private var refused = 0

  init(session: PrivateSession, service: NearendService, seed: UInt64) {
    self.session = session
    self.service = service
    conversation = Conversation(seed: seed)
  }

  var sinkCount: Int { participants.count + devices.count }

  /// An unexpected failure of the participants, checked at the end.
  var failure: String? {
    guard packets > 0 else { return "no participant ever sent a packet" }
    return refused < packets / 2 ? nil : "\(refused) of \(packets) packets found a full ring"
  }

  func ringSinkComes(id: String, talker: Int, rate: Int) throws {
    var profile = Participant.Profile.three[talker]
    profile.rate = rate
    profile.network = PacketSchedule.Network()
    let participant = try Participant(profile, talker: talker, conversation: conversation, epoch: monotonicSeconds())
    let sink = try service.addRingSink(
      id: id, sampleRate: rate, channelCount: profile.channels, bufferSize: rate / 5 * profile.channels * 2)
    account.open(id)
    participant.start { [account] in account.write($0, to: sink) }
    participants[id] = participant
  }

  func ringSinkLeaves(id: String) {
    guard let participant = participants.removeValue(forKey: id) else { return }
    participant.stop()
    let sent = account.close(id)
    service.removeSink(id: id)
    packets += sent.packets
    refused += sent.refused
  }

  func deviceComes(id: String) throws {
    try service.addGraphSink(id: id)
    devices.insert(id)
  }

  func deviceLeaves(id: String) {
    service.removeSink(id: id)
    devices.remove(id)
  }

  /// Starts `pacat` as an application that plays into one of nearend's devices.
  func playerComes(id: String, target: String) throws {
    clients[id] = try session.spawn("pacat", ["--playback", "--raw", "--device=\(target)", "/dev/zero"])
  }

  func recorderComes(id: String) throws {
    clients[id] = try session.spawn("pacat", ["--record", "--raw", "--device=nearend.microphone", "/dev/null"])
  }

  /// Starts a telephone's stream with an interrupting role. (PulseAudio's own "phone" becomes PipeWire's Communication, which does not
  /// interrupt.)
  func phoneComes() throws {
    phone = try session.spawn(
      "pacat", ["--playback", "--raw", "--property=media.role=Phone", "--device=\(Soak.laptopSpeaker)", "/dev/zero"])
  }

  func phoneLeaves() {
    phone?.end(grace: 1)
    phone = nil
  }

  /// Ends a client; ignored if it has already ended, with a daemon that crashed.
  func clientLeaves(id: String) { clients.removeValue(forKey: id)?.end(grace: 1) }

  func endClients() {
    for client in clients.values { client.end(grace: 1) }
    clients = [:]
    phoneLeaves()
  }

  /// Removes all guests except the telephone: nothing records the voice or plays.
  func leaveCall() {
    for id in Array(clients.keys) { clientLeaves(id: id) }
    for id in participants.keys { ringSinkLeaves(id: id) }
    for id in devices { deviceLeaves(id: id) }
  }
}
