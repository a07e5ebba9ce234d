import Foundation
import Platform
import SessionModel

/// Requests to the host, so that it provides what this session wants. Nothing is requested while it is away.
extension JoinedSession {
  /// Makes the host provide media, outputs and the voice as this session wants them now.
  func updateHost() {
    requests.withLock { _ in
      guard let link else { return }
      updateMedia(link)
      let now = shared.withLock { $0 }
      for (id, output) in now.outputs {
        guard let name = now.name(of: id) else {
          if output.isOpen { output.reset() }
          continue
        }
        guard !output.isOpen else { continue }
        do throws(HostError) { try open(output, as: name, at: link) } catch { logRefusal(of: "speaker output '\(id)'", error) }
      }
      updateVoice(link, isWanted: now.session.source.map { now.name(of: $0.mediaId) != nil } ?? false)
    }
  }

  private func updateMedia(_ link: HostLink) {
    let (wanted, names) = shared.withLock { ($0.wantedMedia, $0.host?.names ?? [:]) }
    for (id, name) in names where !wanted.contains(where: { $0.id == id }) {
      shared.withLock { state in
        _ = state.update(link) { host in
          host.names[id] = nil
          host.released.insert(name)
        }
      }
      _ = try? link.request("DELETE", "/media/\(name)")
    }
    for media in wanted where names[media.id] == nil {
      do throws(HostError) {
        let target = "/media/\(Self.name(for: media.id))?program=\(link.welcome.program)"
        let answer = try link.request("POST", target + (media.isSend ? "&send=1" : "") + (media.isReceive ? "&receive=1" : ""))
        guard let name = (try? JSONDecoder().decode(Media.self, from: answer))?.id else { continue }
        shared.withLock { state in _ = state.update(link) { $0.names[media.id] = name } }
      } catch {
        logRefusal(of: "media '\(media.id)'", error)
      }
    }
  }

  /// Returns a name that a host accepts.
  static func name(for id: String) -> String {
    guard IdRule.problem(id) != nil else { return id }
    let name = id.prefix(IdRule.lengths.upperBound).map { IdRule.allows($0) ? $0 : "_" }
    return name.isEmpty ? "_" : String(name)
  }

  /// Opens an output's stream, with its own gain, mute and SSRC.
  func open(_ output: JoinedOutput, as name: String, at link: HostLink) throws(HostError) {
    let stream = try link.open(
      "/playout/\(name)",
      ["rate": output.format.sampleRate, "channels": output.format.channelCount, "bytes": output.capacity])
    output.use(stream) { [weak self] in
      // The host ended, or somebody else removed the output there.
      self?.ifHostStays { session in
        guard !output.isOpen, session.shared.withLock({ $0.outputs[output.id] === output }) else { return }
        session.change(.unregisterSink(mediaId: output.id))
      }
    }
    var changes: [String: EventValue] = [:]
    if output.gain != 1 { changes["gain"] = .number(output.gain) }
    if output.isMuted { changes["muted"] = true }
    if let ssrc = output.ssrc { changes["ssrc"] = .integer(Int(ssrc)) }
    if !changes.isEmpty { try link.request("PATCH", "/sinks/\(name)", changes) }
  }

  private func updateVoice(_ link: HostLink, isWanted: Bool) {
    let voice = shared.withLock { $0.host?.voice }
    if isWanted, voice == nil {
      do throws(HostError) {
        let stream = try link.open("/voice")
        let new = JoinedVoice(
          stream, into: tap,
          lost: { [weak self] lost, total in
            if let self, let id = state.source?.mediaId { slot.postOverrun(mediaId: id, lost: lost, total: total) }
          }, ended: {})
        if !shared.withLock({ state in state.update(link) { $0.voice = new } }) { new.end() }
      } catch {
        logRefusal(of: "the microphone", error)
      }
    } else if !isWanted, let voice {
      shared.withLock { $0.host?.voice = nil }
      voice.end()
    }
  }

  // MARK: Single requests

  /// Sends a request of which only the refusal matters, which is logged.
  func request(_ method: String, _ target: String, _ body: [String: EventValue]) {
    guard let link else { return }
    do throws(HostError) { try link.request(method, target, body) } catch { logRefusal(of: "\(method) \(target)", error) }
  }

  /// Requests that `didRecover` be posted once sound passes.
  func requestRecoveryEvent() {
    guard let link else { return }
    let command = EventValue.string(PlainCommand.notifyWhenSoundPasses.rawValue)
    _ = try? link.request("POST", "/commands?program=\(link.welcome.program)", ["command": command])
  }

  func logRefusal(of subject: String, _ error: HostError) {
    // The loss of the host is logged once, where the link ends.
    if case .refused(_, let reason) = error { log.add(.warning, "\(subject): the joined nearend refuses: \(reason)") }
  }
}
