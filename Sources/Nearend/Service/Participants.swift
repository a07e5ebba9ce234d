import PipeWireGraph
import RealtimeCore
import SessionModel
import Synchronization

/// What happens to a participant.
package enum ParticipantChange: Sendable {
  case came, left
  /// Its gain or mute changed.
  case changed
}

/// The participants of a session (K1, K9): those whose PCM a program writes, and those with a device of their own. [any]
final class Participants: Sendable {
  /// Participants with a device of their own at a time: each is a node of the graph, with its ports and links.
  static let mostDevices = 64

  private let core: AudioCore
  private let session: VoiceSession
  private let graph: any SessionGraph
  private let log: EventLog
  private let events: EventBus
  /// Serializes adding and removing devices, which are registered in two places.
  private let registration = Mutex(())
  /// Media that `addRing` registered, and that is unregistered with its sink.
  private let ownMedia = Mutex<Set<String>>([])

  init(core: AudioCore, session: VoiceSession, graph: any SessionGraph, log: EventLog, events: EventBus) {
    (self.core, self.session, self.graph, self.log, self.events) = (core, session, graph, log, events)
  }

  /// Adds one whose PCM a program writes: with receive media of its own, or as the sink of registered media.
  func addRing(id: String, format: SinkFormat, capacityBytes: Int) throws(SinkError) -> RingSink {
    let sink = try RingSink(id: id, format: format, capacityBytes: capacityBytes)
    guard !session.current.sinks.contains(id) else { throw .alreadyRegistered(id: id) }
    let isNew = session.current.program(id) == nil
    if isNew, let refusal = session.send(.registerMedia(id: id, isSend: false, isReceive: true)) {
      throw SinkError(id: id, refusal)
    }
    do throws(SinkError) {
      if let refusal = try session.register(sink) {
        throw SinkError(id: id, refusal)
      }
    } catch {
      if isNew { session.send(.unregisterMedia(id: id)) }
      throw error
    }
    ownMedia.withLock { if isNew { $0.insert(id) } else { $0.remove(id) } }
    let count = format.channelCount
    log.add(.info, "participant \(id): \(format.sampleRate) Hz, \(count) channel\(count == 1 ? "" : "s")")
    events.post(.participant(id, .came))
    return sink
  }

  /// Adds one with a device of its own.
  func addDevice(id: String) throws(SinkError) {
    if let problem = ParticipantId.problem(id) { throw .impossibleId(id, reason: problem) }
    let result: Result<Void, SinkError> = registration.withLock { _ in
      do throws(SinkError) {
        guard core.mixer.graphSinks.count < Self.mostDevices || core.mixer.graphSink(id: id) != nil else {
          throw .tooManySinks(limit: Self.mostDevices)
        }
        graph.addGraphSink(try core.mixer.addGraphSink(id: id))
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
    log.add(.info, "participant \(id): device nearend.sink.\(id)")
    events.post(.participant(id, .came))
  }

  /// Removes one of either kind; ignored for an unknown id.
  func remove(id: String) {
    let isRemoved = registration.withLock { _ in
      graph.removeGraphSink(id: id)
      return core.mixer.graphSink(id: id) != nil && core.mixer.remove(id: id)
    }
    let hasRing = session.current.sinks.contains(id)
    if hasRing {
      // Media that somebody else registered stays, with its microphone.
      let ownsMedia = ownMedia.withLock { $0.remove(id) != nil }
      session.send(ownsMedia ? .unregisterMedia(id: id) : .unregisterSink(mediaId: id))
    }
    guard isRemoved || hasRing else { return }
    log.add(.info, "participant \(id) left")
    events.post(.participant(id, .left))
  }

  func setMuted(_ isMuted: Bool, id: String) {
    core.mixer.ringSink(id: id)?.isMuted = isMuted
    core.mixer.graphSink(id: id)?.isMuted = isMuted
    events.post(.participant(id, .changed))
  }

  /// Sets the linear gain, 0–4.
  func setGain(_ gain: Double, id: String) {
    core.mixer.ringSink(id: id)?.gain = Float(gain)
    core.mixer.graphSink(id: id)?.gain = Float(gain)
    events.post(.participant(id, .changed))
  }

  /// Sets the RTP SSRC of the remote stream that feeds it (K8).
  func setSsrc(_ ssrc: UInt32, id: String) {
    core.mixer.ringSink(id: id)?.ssrc = ssrc
    core.mixer.graphSink(id: id)?.ssrc = ssrc
  }
}

extension SinkError {
  /// Converts the session's refusal of a sink.
  fileprivate init(id: String, _ refusal: SessionRefusal) {
    self =
      switch refusal {
      case .sinkExists: .alreadyRegistered(id: id)
      case .ended: .sessionEnds(id: id, reason: refusal.description)
      default: .refused(id: id, reason: refusal.description)
      }
  }
}
