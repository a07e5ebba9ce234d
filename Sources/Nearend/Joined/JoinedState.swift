import SessionModel

/// What a joined session knows: its own session, and what the host has of it.
struct JoinedState {
  var machine = SessionMachine()
  var isStopped = false
  /// nil while the host is away.
  var host: Host?
  var settings: HostSettings
  var outputs: [String: JoinedOutput] = [:]
  /// Streams of application audio that were opened so far.
  var appAudioCount = 0
  var isAppAudioEnabled = true

  /// What lasts as long as the membership in one host.
  struct Host {
    let link: HostLink
    /// The host's names of the media registered there, by the program's own.
    var names: [String: String] = [:]
    /// The host's names of media that this program has unregistered, until the host has reported that.
    var released: Set<String> = []
    var voice: JoinedVoice?
    var appAudio: JoinedOutput?

    /// Returns the program's own id of media that it has registered with the host.
    func ownId(_ name: String) -> String? { names.first { $0.value == name }?.key }
  }

  /// The host's settings, and this program's part in them.
  struct HostSettings {
    /// As last reported.
    var reported: [Setting: EventValue]
    /// Those that were changed while the host was away.
    var waiting: [Setting: EventValue] = [:]
    /// Those that end with this program, and are requested again from a host that comes back.
    var programScoped: [Setting: EventValue] = [:]

    func value(of setting: Setting) -> EventValue { waiting[setting] ?? reported[setting] ?? setting.standard }
  }

  init(_ link: HostLink) {
    host = Host(link: link)
    settings = HostSettings(reported: link.welcome.checkedSettings)
  }

  /// The program's own session.
  var session: SessionState { machine.state }

  /// The media that the host is to have now.
  var wantedMedia: [Media] {
    let isPresent = !session.settings.isManual || session.isActivatedExternally
    return isPresent ? session.media.filter { $0.owner == .program } : []
  }

  /// Returns the host's name of a medium; nil if it is not registered there.
  func name(of mediaId: String) -> String? { host?.names[mediaId] }

  /// Changes what is known of the host, if it is still this one. Returns false if not.
  mutating func update(_ link: HostLink, _ change: (inout Host) -> Void) -> Bool {
    guard var host, host.link === link else { return false }
    change(&host)
    self.host = host
    return true
  }
}
