import Foundation
import Nearend
import RealtimeCore
import SessionModel
import SimulatedHardware

/// Who comes and goes during a soak: participants with rings, participants with devices, applications that play and record. Each method does one thing
/// at random and names it; nil where there was nothing to do.
final class SoakGuests {
  private let session: PrivateSession
  private let service: NearendService
  private let seed: UInt64
  private var participants: [(id: String, participant: Participant)] = []
  private var devices: [String] = []
  private var players: [ChildProcess] = []
  private var recorders: [ChildProcess] = []
  private var number = 0
  private var packets = 0
  private var refused = 0

  private static let most = 6

  init(session: PrivateSession, service: NearendService, seed: UInt64) {
    self.session = session
    self.service = service
    self.seed = seed
  }

  var sinkCount: Int { participants.count + devices.count }

  /// What participants cannot have met with, at the end.
  var failure: String? {
    guard packets > 0 else { return "no participant ever sent a packet" }
    return refused < packets / 2 ? nil : "\(refused) of \(packets) packets found a full ring"
  }

  func ringSink(_ random: inout SeededGenerator) -> String? {
    if participants.count >= Self.most || (!participants.isEmpty && random.next() % 2 == 0) {
      let gone = participants.remove(at: Int(random.next() % UInt64(participants.count)))
      leave(gone)
      return "ring sink left"
    }
    number += 1
    let id = "guest\(number)"
    var profile = Participant.Profile.three[number % 3]
    profile.rate = [8_000, 16_000, 44_100, 48_000][Int(random.next() % 4)]
    let conversation = Conversation(seed: seed)
    guard
      let participant = try? Participant(profile, talker: number % 3, conversation: conversation, epoch: monotonicSeconds()),
      let sink = try? service.addRingSink(
        id: id, sampleRate: profile.rate, channelCount: profile.channels, bufferSize: profile.rate / 5 * profile.channels * 2)
    else { return "ring sink refused" }
    participant.start { sink.write($0) }
    participants.append((id, participant))
    return "ring sink came"
  }

  func graphSink(_ random: inout SeededGenerator) -> String? {
    if devices.count >= Self.most || (!devices.isEmpty && random.next() % 2 == 0) {
      service.removeSink(id: devices.remove(at: Int(random.next() % UInt64(devices.count))))
      return "device left"
    }
    number += 1
    let id = "device\(number)"
    guard (try? service.addGraphSink(id: id)) != nil else { return "device refused" }
    devices.append(id)
    return "device came"
  }

  /// `pacat` as an application that plays into one of nearend's devices.
  func player(_ random: inout SeededGenerator) throws -> String? {
    if players.count >= Self.most || (!players.isEmpty && random.next() % 2 == 0) {
      players.remove(at: Int(random.next() % UInt64(players.count))).end(grace: 1)
      return "player left"
    }
    let target = devices.last.map { "nearend.sink.\($0)" } ?? "nearend.speaker"
    players.append(try session.spawn("pacat", ["--playback", "--raw", "--device=\(target)", "/dev/zero"]))
    return "player came"
  }

  func recorder(_ random: inout SeededGenerator) throws -> String? {
    if recorders.count >= 2 || (!recorders.isEmpty && random.next() % 2 == 0) {
      recorders.remove(at: Int(random.next() % UInt64(recorders.count))).end(grace: 1)
      return "recorder left"
    }
    recorders.append(try session.spawn("pacat", ["--record", "--raw", "--device=nearend.microphone", "/dev/null"]))
    return "recorder came"
  }

  func sinkSetting(_ random: inout SeededGenerator) -> String? {
    let ids = participants.map(\.id) + devices
    guard !ids.isEmpty else { return nil }
    let id = ids[Int(random.next() % UInt64(ids.count))]
    if random.next() % 2 == 0 {
      service.perform(.setSinkMuted(id: id, random.next() % 2 == 0))
    } else {
      service.perform(.setSinkGain(id: id, Double(random.next() % 400) / 100))
    }
    return "sink setting"
  }

  func endClients() {
    for client in players + recorders { client.end(grace: 1) }
    players = []
    recorders = []
  }

  func removeAll() {
    endClients()
    for guest in participants { leave(guest) }
    participants = []
    for id in devices { service.removeSink(id: id) }
    devices = []
  }

  private func leave(_ guest: (id: String, participant: Participant)) {
    guest.participant.stop()
    service.removeSink(id: guest.id)
    packets += guest.participant.counters.packets
    refused += guest.participant.counters.refused
  }
}
