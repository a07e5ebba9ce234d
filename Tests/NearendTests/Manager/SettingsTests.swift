import PipeWireGraph
import RealtimeCore
import SessionModel
import Testing

@testable import Nearend

@Suite("The manager's settings")
struct SettingsTests {
  @Test("L6, L7: by default the voice is processed, one channel is captured and two are rendered, and the session configures itself")
  func defaults() {
    let manager = ManagerRig().manager
    #expect(manager.useVoiceProcessingIO)
    #expect(manager.captureChannelCount == 1)
    #expect(manager.renderChannelCount == 2)
    #expect(manager.channelCount == 2)
    #expect(!manager.manualAudioSessionManagement)
    #expect(!manager.bypassVoiceProcessing)
    #expect(manager.voiceProcessingEnableAGC)
    #expect(manager.isNoiseSuppressionEnabled)
    #expect(manager.isEchoCancellationEnabled)
    #expect(manager.echoCanceller == .nearend)
    #expect(manager.micMode == .standard)
    #expect(manager.isHighPassFilterEnabled)
    #expect(!manager.isMicrophoneMuted)
    #expect(manager.isAutomaticConfigurationEnabled)
    #expect(manager.isAutomaticDeactivationEnabled)
  }

  /// An init-only setting: how to change it, and its value afterwards.
  struct InitOnly: Sendable {
    let name: String
    let set: @Sendable (AudioSessionManager) -> Void
    let isSet: @Sendable (AudioSessionManager) -> Bool
  }
  static let initOnly = [
    InitOnly(name: "useVoiceProcessingIO") {
      $0.useVoiceProcessingIO = false
    } isSet: {
      !$0.useVoiceProcessingIO
    },
    InitOnly(name: "channelCount") {
      $0.channelCount = 1
    } isSet: {
      $0.channelCount == 1
    },
    InitOnly(name: "captureChannelCount") {
      $0.captureChannelCount = 2
    } isSet: {
      $0.captureChannelCount == 2
    },
    InitOnly(name: "renderChannelCount") {
      $0.renderChannelCount = 1
    } isSet: {
      $0.renderChannelCount == 1
    },
    InitOnly(name: "manualAudioSessionManagement") {
      $0.manualAudioSessionManagement = true
    } isSet: {
      $0.manualAudioSessionManagement
    },
  ]

  @Test("L6: init-only properties are locked at the first registration; a later set has no effect and logs a warning")
  func lock() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    for (count, property) in Self.initOnly.enumerated() {
      property.set(rig.manager)
      #expect(!property.isSet(rig.manager), "\(property.name)")
      #expect(rig.warnings.count == count + 1)
      #expect(rig.warnings.last?.contains(property.name) == true)
    }
    rig.unregisterCall()
    for property in Self.initOnly {
      property.set(rig.manager)
      #expect(property.isSet(rig.manager), "\(property.name)")
    }
    try rig.registerCall()
    // Both directions were set together, then each on its own.
    for property in Self.initOnly { #expect(property.isSet(rig.manager), "the next session has \(property.name)") }
    #expect(rig.warnings.count == Self.initOnly.count)
  }

  @Test("L6, L8: an init-only setting is marked as the program's own together with its value, so that a joined nearend is asked for it")
  func changedWithValue() {
    let owner = ManagerRig().manager.owner
    #expect(owner.send(.setInitOnly(.useVoiceProcessingIO(false))) == nil)
    // A session that starts now reads both.
    let kept = owner.current.withLock { $0.kept }
    #expect(!kept.session.settings.usesVoiceProcessing && kept.changed == [.useVoiceProcessingIO])
  }

  @Test("L6: channelCount sets both directions; 1 or 2, and anything else warns")
  func channelCount() {
    let rig = ManagerRig()
    rig.manager.channelCount = 2
    #expect(rig.manager.captureChannelCount == 2)
    #expect(rig.manager.renderChannelCount == 2)
    for count in [0, 3] {
      rig.manager.channelCount = count
      rig.manager.captureChannelCount = count
      rig.manager.renderChannelCount = count
    }
    #expect(rig.manager.channelCount == 2)
    #expect(rig.manager.captureChannelCount == 2)
    #expect(rig.warnings.count == 6)
  }

  static let live: [(property: ReferenceWritableKeyPath<AudioSessionManager, Bool> & Sendable, setting: Setting)] = [
    (\.bypassVoiceProcessing, .bypassVoiceProcessing), (\.voiceProcessingEnableAGC, .voiceProcessingEnableAGC),
    (\.isNoiseSuppressionEnabled, .noiseSuppression), (\.isEchoCancellationEnabled, .echoCancellation),
    (\.isHighPassFilterEnabled, .highPassFilter), (\.isMicrophoneMuted, .microphoneMuted),
    (\.isAdvancedDuckingEnabled, .isAdvancedDuckingEnabled),
  ]

  @Test("L7: live properties act in a running session and are kept between sessions, and each change is posted once")
  func liveProperties() throws {
    let rig = ManagerRig()
    let (manager, tape) = (rig.manager, EventTape(rig.manager.owner.bus))
    func changes(_ setting: Setting) -> Int {
      tape.all.count { $0.kind == .settingChanged && $0.detail["setting"] == .string(setting.rawValue) }
    }
    let normal = Self.live.map { manager[keyPath: $0.property] }
    // Between sessions.
    for (index, (property, setting)) in Self.live.enumerated() {
      for _ in 0..<2 { manager[keyPath: property] = !normal[index] }
      #expect(manager[keyPath: property] == !normal[index])
      #expect(changes(setting) == 1, "the same again is no change")
    }
    try rig.registerCall()
    for (index, (property, setting)) in Self.live.enumerated() {
      #expect(manager.owner.service?.value(of: setting) == .bool(!normal[index]), "the core does as it was told before")
      let before = changes(setting)
      manager[keyPath: property] = normal[index]
      #expect(manager.owner.service?.value(of: setting) == .bool(normal[index]), "and as it is told now")
      #expect(changes(setting) == before + 1)
      // Changed by another client, such as the dashboard.
      try manager.owner.service?.set(setting, to: .bool(!normal[index]))
    }
    rig.unregisterCall()
    for (index, (property, _)) in Self.live.enumerated() { #expect(manager[keyPath: property] == !normal[index]) }
    #expect(rig.warnings == [])
  }

  @Test("V10, L7: the canceller and its switch are one state from two sides, in a session, between two and in the next")
  func echoCanceller() throws {
    let rig = ManagerRig()
    let (manager, tape) = (rig.manager, EventTape(rig.manager.owner.bus))
    func posted() -> [EventValue?] {
      tape.all.filter { $0.detail["setting"] == .string("echoCanceller") }.map { $0.detail["value"] }
    }
    for isRunning in [false, true] {
      if isRunning { try rig.registerCall() }
      let before = posted().count
      manager.echoCanceller = .webrtc
      #expect(manager.echoCanceller == .webrtc && manager.isEchoCancellationEnabled)
      manager.isEchoCancellationEnabled = false
      #expect(manager.echoCanceller == .off)
      manager.isEchoCancellationEnabled = true
      #expect(manager.echoCanceller == .webrtc, "on is the engine chosen last")
      manager.echoCanceller = .off
      #expect(!manager.isEchoCancellationEnabled)
      manager.echoCanceller = .nearend
      #expect(manager.isEchoCancellationEnabled && manager.echoCanceller == .nearend)
      #expect(posted().dropFirst(before) == [.string("webrtc"), .string("off"), .string("webrtc"), .string("off"), .string("nearend")])
    }
    rig.unregisterCall()
    // Off, while the chosen engine is remembered.
    manager.echoCanceller = .webrtc
    manager.echoCanceller = .off
    #expect(manager.getDiagnostics().contains("Voice Processing Engine: webrtc-audio-processing"))
    for _ in 0..<2 {
      try rig.registerCall()
      #expect(manager.echoCanceller == .off)
      #expect(manager.owner.service?.snapshot().processing.engine == .webrtc)
      rig.unregisterCall()
    }
    manager.isEchoCancellationEnabled = true
    #expect(manager.echoCanceller == .webrtc)
    #expect(rig.warnings == [])
  }

  @Test("V10: as a setting it takes its own words and a switch's, and errors name the valid ones")
  func echoCancellerWords() throws {
    #expect(Setting(named: "aec") == .echoCanceller)
    #expect(Setting(named: "echoCancellation") == .echoCancellation)
    for (text, value) in [
      ("nearend", EventValue.string("nearend")), ("webrtc", .string("webrtc")), ("off", .string("off")), ("on", .bool(true)),
      ("true", .bool(true)), ("no", .bool(false)),
    ] {
      #expect(try Setting.echoCanceller.parse(text) == value)
      #expect(try Setting.echoCanceller.checked(.string(text)) == value)
    }
    #expect(try Setting.echoCanceller.checked(.bool(false)) == .bool(false))
    #expect(throws: SettingError.badValue(setting: "echoCanceller", value: "speex", possible: "nearend, webrtc or off")) {
      try Setting.echoCanceller.parse("speex")
    }
    #expect(throws: SettingError.self) { try Setting.echoCanceller.checked(.number(1)) }
  }

  @Test("L7: every setting that the audio core holds has a place there, which returns what it is given, and no other setting has one")
  func places() throws {
    let core = try AudioCore()
    for setting in Setting.allCases {
      guard case .audio = setting.home else {
        #expect(core.value(of: setting) == nil && !core.set(setting, to: setting.standard), "\(setting)")
        continue
      }
      #expect(core.value(of: setting) == setting.standard, "\(setting)")
      let other: EventValue =
        switch setting.kind {
        case .bool: .bool(setting.standard != .bool(true))
        case .volume: 0.5
        case .choice(let words), .switchedChoice(let words): .string(try #require(words.last))
        case .deviceName, .programNames: "none"
        case .channels: "1,3"
        }
      #expect(core.set(setting, to: other) && core.value(of: setting) == other, "\(setting)")
      #expect(core.set(setting, to: setting.standard) && core.value(of: setting) == setting.standard, "\(setting)")
    }
  }

  @Test("L7: isVoiceProcessingBypassed and bypassVoiceProcessing are the same switch")
  func bypassAlias() {
    let manager = ManagerRig().manager
    manager.isVoiceProcessingBypassed = true
    #expect(manager.bypassVoiceProcessing)
    manager.bypassVoiceProcessing = false
    #expect(!manager.isVoiceProcessingBypassed)
  }

  @Test("D3: ducking is minimal and fixed by default; the level acts in a running session and is kept between sessions")
  func ducking() throws {
    let rig = ManagerRig()
    #expect(rig.manager.duckingLevel == .min && !rig.manager.isAdvancedDuckingEnabled)
    rig.manager.duckingLevel = .mid
    try rig.registerCall()
    #expect(try rig.graph.settings.ducking == DuckingSettings(level: .mid))
    rig.manager.duckingLevel = .max
    #expect(try rig.graph.settings.ducking == DuckingSettings(level: .max))
    rig.unregisterCall()
    #expect(rig.manager.duckingLevel == .max)
  }

  @Test("V4: the canceller's reference is the configured one, changes in a running session, and is kept until it is configured anew")
  func reference() throws {
    let rig = ManagerRig()
    #expect(rig.manager.reference == .everything)
    rig.manager.configuration.reference = .mix
    #expect(rig.manager.reference == .mix)
    try rig.registerCall()
    #expect(try rig.graph.settings.reference == .mix)
    rig.manager.reference = .everything
    #expect(try rig.graph.settings.reference == .everything && rig.manager.reference == .everything)
    rig.unregisterCall()
    try rig.registerCall()
    #expect(try rig.graph.settings.reference == .everything, "what was set last")
    rig.unregisterCall()
    rig.manager.configuration.reference = .mix
    try rig.registerCall()
    #expect(try rig.graph.settings.reference == .mix, "what was configured last")
    #expect(rig.warnings == [])
    #expect(throws: SettingError.badValue(setting: "reference", value: "speaker", possible: "everything or mix")) {
      try Setting.reference.parse("speaker")
    }
  }

  @Test("R2, R5: the configuration applies to the next session, whatever the last one left")
  func configuredAnew() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    rig.unregisterCall()
    rig.manager.configuration.areDefaultDevices = true
    rig.manager.configuration.pausesOnUnplug = false
    try rig.registerCall()
    let settings = try rig.graph.settings
    #expect(settings.defaultDeviceMode == .on && !settings.pausesOnUnplug)
  }

  @Test("V1: setVoiceProcessingEnabled switches voice processing while media is registered")
  func voiceProcessing() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    rig.manager.setVoiceProcessingEnabled(false)
    #expect(!rig.manager.useVoiceProcessingIO)
    #expect(rig.manager.owner.service?.core.controls.usesVoiceProcessing == false)
    rig.unregisterCall()
    try rig.registerCall()
    #expect(rig.manager.owner.service?.core.controls.usesVoiceProcessing == false)
    rig.unregisterCall()
    rig.manager.setVoiceProcessingEnabled(true)
    try rig.registerCall()
    #expect(rig.manager.owner.service?.core.controls.usesVoiceProcessing == true)
  }

  @Test("S5: without automatic configuration the graph is told to link no device, at once")
  func automaticConfiguration() throws {
    let rig = ManagerRig()
    rig.manager.isAutomaticConfigurationEnabled = false
    try rig.registerCall()
    #expect(rig.demand.sends)
    #expect(!rig.demand.linksDevices)
    rig.manager.isAutomaticConfigurationEnabled = true
    #expect(rig.demand.linksDevices)
  }

  @Test("S5: without automatic deactivation node and session outlast the last media, until it is on again or the manager shuts down")
  func automaticDeactivation() throws {
    let rig = ManagerRig()
    rig.manager.isAutomaticDeactivationEnabled = false
    #expect(rig.world.starts == 0)
    for end in [{ rig.manager.isAutomaticDeactivationEnabled = true }, { rig.manager.shutDown() }] {
      rig.manager.isAutomaticDeactivationEnabled = false
      try rig.registerCall()
      rig.unregisterCall()
      #expect(rig.manager.isSessionActive)
      #expect(rig.world.nodes == 1)
      #expect(rig.demand == SessionDemand(), "no real device is linked")
      end()
      #expect(!rig.manager.isSessionActive)
      #expect(rig.world.nodes == 0)
    }
  }

  @Test("S5: automatic deactivation has no meaning without automatic configuration")
  func deactivationWithoutConfiguration() throws {
    let rig = ManagerRig()
    rig.manager.isAutomaticDeactivationEnabled = false
    try rig.registerCall()
    rig.unregisterCall()
    #expect(rig.world.nodes == 1)
    rig.manager.isAutomaticConfigurationEnabled = false
    #expect(rig.world.nodes == 0)
  }
}
