extension TransitionTests {
  /// The effects of each event while nearend manages the session itself, as rows of event | change of the state | effects; an event that is
  /// not listed does nothing, and "set *" stands for each of the init-only settings.
  static let defaultMode = """
    idle
      registerMedia new:s | +new:s +activated | demand:s+awake
      registerMedia new:r | +new:r +activated | demand:r+awake
      registerMedia new:sr | +new:sr +activated | demand:sr+awake
      registerMedia parec:r | +parec:r +activated | demand:r+awake
      registerSource mic / ear / nobody, registerSink ear / mic / nobody |  | refuse:unknown
      set useVoiceProcessingIO false | +raw | processing:off
      set channelCount 2 / captureChannelCount 2 | -capture=1 +capture=2 | channels:2/2
      set renderChannelCount 1 | -render=2 +render=1 | channels:1/1
      set manual true | +manual |
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | +unlinked |
      automaticDeactivation off | +lasting |
      activate, deactivate |  | warn
      applications parec:s | +~parec:s +activated | demand:s
      began daemonLost | +held=daemonLost |
      began noDevice | +held=noDevice |
      to background | +background |

    receiving
      registerMedia new:s | +new:s | demand:sr+awake
      registerMedia new:r | +new:r |
      registerMedia new:sr | +new:sr | demand:sr+awake
      registerMedia parec:r | +parec:r |
      unregisterMedia ear | -ear:r -activated | demand:none
      registerSource mic |  | refuse:unknown
      registerSource ear |  | refuse:direction
      registerSource nobody |  | refuse:unknown
      registerSink ear | +sink=ear |
      registerSink mic / nobody |  | refuse:unknown
      set * |  | refuse:locked
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | +unlinked | demand:r+awake+unlinked
      automaticDeactivation off | +lasting |
      activate, deactivate |  | warn
      applications parec:s | +~parec:s | demand:sr+awake
      began daemonLost | +held=daemonLost | demand:none
      began noDevice | +held=noDevice | demand:none
      to background | +background |
      began frozen | +held=frozen | rebuild

    sending
      registerMedia new:s | +new:s |
      registerMedia new:r | +new:r | demand:sr+awake
      registerMedia new:sr | +new:sr | demand:sr+awake
      registerMedia parec:r | +parec:r | demand:sr+awake
      unregisterMedia mic | -mic:s -activated | demand:none
      registerSource mic | +source=mic.running | attach:mic
      registerSource ear / nobody, registerSink ear |  | refuse:unknown
      registerSink mic |  | refuse:direction
      registerSink nobody |  | refuse:unknown
      set * |  | refuse:locked
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | +unlinked | demand:s+awake+unlinked
      automaticDeactivation off | +lasting |
      activate, deactivate |  | warn
      applications parec:s | +~parec:s |
      began daemonLost | +held=daemonLost | demand:none
      began noDevice | +held=noDevice | demand:none
      to background | +background |
      began frozen | +held=frozen | rebuild

    sourced
      registerMedia new:s | +new:s |
      registerMedia new:r | +new:r | demand:sr+awake
      registerMedia new:sr | +new:sr | demand:sr+awake
      registerMedia parec:r | +parec:r | demand:sr+awake
      unregisterMedia mic | -mic:s -source=mic.running -activated | remove-source:mic demand:none
      registerSource mic |  | refuse:taken
      registerSource ear / nobody |  | refuse:unknown
      unregisterSource mic | -source=mic.running | remove-source:mic
      registerSink ear |  | refuse:unknown
      registerSink mic |  | refuse:direction
      registerSink nobody |  | refuse:unknown
      set * |  | refuse:locked
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | +unlinked | demand:s+awake+unlinked
      automaticDeactivation off | +lasting |
      activate, deactivate |  | warn
      applications parec:s | +~parec:s |
      began daemonLost | -source=mic.running +source=mic.deferred +held=daemonLost | demand:none detach:mic
      began noDevice | -source=mic.running +source=mic.deferred +held=noDevice | demand:none detach:mic
      to background | +background |
      began frozen | -source=mic.running +source=mic.deferred +held=frozen | rebuild detach:mic

    call
      registerMedia new:s | +new:s |
      registerMedia new:r | +new:r |
      registerMedia new:sr | +new:sr |
      registerMedia parec:r | +parec:r |
      unregisterMedia mic | -mic:s -source=mic.running | remove-source:mic demand:r+awake
      unregisterMedia ear | -ear:r -sink=ear | remove-sink:ear demand:s+awake
      registerSource mic |  | refuse:taken
      registerSource ear |  | refuse:direction
      registerSource nobody |  | refuse:unknown
      unregisterSource mic | -source=mic.running | remove-source:mic
      registerSink ear |  | refuse:exists
      registerSink mic |  | refuse:direction
      registerSink nobody |  | refuse:unknown
      unregisterSink ear | -sink=ear | remove-sink:ear
      set * |  | refuse:locked
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | +unlinked | demand:sr+awake+unlinked
      automaticDeactivation off | +lasting |
      activate, deactivate |  | warn
      applications parec:s | +~parec:s |
      began daemonLost | -source=mic.running +source=mic.deferred +held=daemonLost | demand:none detach:mic
      began noDevice | -source=mic.running +source=mic.deferred +held=noDevice | demand:none detach:mic
      to background | +background |
      began frozen | -source=mic.running +source=mic.deferred +held=frozen | rebuild detach:mic

    application
      registerMedia new:s | +new:s | demand:s+awake
      registerMedia new:r | +new:r | demand:sr+awake
      registerMedia new:sr | +new:sr | demand:sr+awake
      registerMedia parec:r | +parec:r | demand:sr+awake
      registerSource mic / ear / nobody, registerSink ear / mic / nobody |  | refuse:unknown
      set * |  | refuse:locked
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | +unlinked | demand:s+unlinked
      automaticDeactivation off | +lasting |
      activate, deactivate |  | warn
      applications none | -~parec:s -activated | demand:none
      began daemonLost | +held=daemonLost | demand:none
      began noDevice | +held=noDevice | demand:none
      to background | +background |
      began frozen | +held=frozen | rebuild

    unlinked
      registerMedia new:s | +new:s |
      registerMedia new:r | +new:r |
      registerMedia new:sr | +new:sr |
      registerMedia parec:r | +parec:r |
      unregisterMedia mic | -mic:s -source=mic.running | remove-source:mic demand:r+awake+unlinked
      unregisterMedia ear | -ear:r -sink=ear | remove-sink:ear demand:s+awake+unlinked
      registerSource mic |  | refuse:taken
      registerSource ear |  | refuse:direction
      registerSource nobody |  | refuse:unknown
      unregisterSource mic | -source=mic.running | remove-source:mic
      registerSink ear |  | refuse:exists
      registerSink mic |  | refuse:direction
      registerSink nobody |  | refuse:unknown
      unregisterSink ear | -sink=ear | remove-sink:ear
      set * |  | refuse:locked
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration on | -unlinked | demand:sr+awake
      automaticDeactivation off | +lasting |
      activate, deactivate |  | warn
      applications parec:s | +~parec:s |
      began daemonLost | -source=mic.running +source=mic.deferred +held=daemonLost | demand:none detach:mic
      began noDevice | +unheeded=noDevice |
      to background | +background |
      began frozen | -source=mic.running +source=mic.deferred +held=frozen | rebuild detach:mic

    lasting
      registerMedia new:s | +new:s | demand:s+awake
      registerMedia new:r | +new:r | demand:r+awake
      registerMedia new:sr | +new:sr | demand:sr+awake
      registerMedia parec:r | +parec:r | demand:r+awake
      registerSource mic / ear / nobody, registerSink ear / mic / nobody |  | refuse:unknown
      set useVoiceProcessingIO false | +raw | processing:off
      set channelCount 2 / captureChannelCount 2 | -capture=1 +capture=2 | channels:2/2
      set renderChannelCount 1 | -render=2 +render=1 | channels:1/1
      set manual true | -activated +manual |
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | -activated +unlinked |
      automaticDeactivation on | -activated -lasting |
      activate, deactivate |  | warn
      applications parec:s | +~parec:s | demand:s
      began daemonLost | +held=daemonLost |
      began noDevice | +held=noDevice |
      to background | +background |

    interrupted
      registerMedia new:s | +new:s |
      registerMedia new:r | +new:r |
      registerMedia new:sr | +new:sr |
      registerMedia parec:r | +parec:r |
      unregisterMedia mic | -mic:s -source=mic.deferred | remove-source:mic
      unregisterMedia ear | -ear:r -sink=ear | remove-sink:ear
      registerSource mic |  | refuse:taken
      registerSource ear |  | refuse:direction
      registerSource nobody |  | refuse:unknown
      unregisterSource mic | -source=mic.deferred | remove-source:mic
      registerSink ear |  | refuse:exists
      registerSink mic |  | refuse:direction
      registerSink nobody |  | refuse:unknown
      unregisterSink ear | -sink=ear | remove-sink:ear
      set * |  | refuse:locked
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | +unlinked |
      automaticDeactivation off | +lasting |
      activate, deactivate |  | warn
      applications parec:s | +~parec:s |
      began noDevice | +held=noDevice |
      ended daemonLost | -source=mic.deferred -held=daemonLost +source=mic.running | demand:sr+awake attach:mic recovered
      to background | +background |

    background
      registerMedia new:s | +new:s |
      registerMedia new:r | +new:r |
      registerMedia new:sr | +new:sr |
      registerMedia parec:r | +parec:r |
      unregisterMedia mic | -mic:s -source=mic.running | remove-source:mic demand:r+awake
      unregisterMedia ear | -ear:r -sink=ear | remove-sink:ear demand:s+awake
      registerSource mic |  | refuse:taken
      registerSource ear |  | refuse:direction
      registerSource nobody |  | refuse:unknown
      unregisterSource mic | -source=mic.running | remove-source:mic
      registerSink ear |  | refuse:exists
      registerSink mic |  | refuse:direction
      registerSink nobody |  | refuse:unknown
      unregisterSink ear | -sink=ear | remove-sink:ear
      set * |  | refuse:locked
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | +unlinked | demand:sr+awake+unlinked
      automaticDeactivation off | +lasting |
      activate, deactivate |  | warn
      applications parec:s | +~parec:s |
      began daemonLost | -source=mic.running +source=mic.deferred +held=daemonLost | demand:none detach:mic
      began noDevice | -source=mic.running +source=mic.deferred +held=noDevice | demand:none detach:mic
      to foreground | -background |
      began frozen | -source=mic.running +source=mic.deferred +held=frozen | rebuild detach:mic

    interruptedInBackground
      registerMedia new:s | +new:s |
      registerMedia new:r | +new:r |
      registerMedia new:sr | +new:sr |
      registerMedia parec:r | +parec:r |
      unregisterMedia mic | -mic:s -source=mic.deferred | remove-source:mic
      unregisterMedia ear | -ear:r -sink=ear | remove-sink:ear
      registerSource mic |  | refuse:taken
      registerSource ear |  | refuse:direction
      registerSource nobody |  | refuse:unknown
      unregisterSource mic | -source=mic.deferred | remove-source:mic
      registerSink ear |  | refuse:exists
      registerSink mic |  | refuse:direction
      registerSink nobody |  | refuse:unknown
      unregisterSink ear | -sink=ear | remove-sink:ear
      set * |  | refuse:locked
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | +unlinked |
      automaticDeactivation off | +lasting |
      activate, deactivate |  | warn
      applications parec:s | +~parec:s |
      began noDevice | +held=noDevice |
      ended daemonLost | -held=daemonLost +awaits |
      to foreground | -background |

    awaitingForeground
      registerMedia new:s | +new:s |
      registerMedia new:r | +new:r |
      registerMedia new:sr | +new:sr |
      registerMedia parec:r | +parec:r |
      unregisterMedia mic | -mic:s -source=mic.deferred | remove-source:mic
      unregisterMedia ear | -ear:r -sink=ear | remove-sink:ear
      registerSource mic |  | refuse:taken
      registerSource ear |  | refuse:direction
      registerSource nobody |  | refuse:unknown
      unregisterSource mic | -source=mic.deferred | remove-source:mic
      registerSink ear |  | refuse:exists
      registerSink mic |  | refuse:direction
      registerSink nobody |  | refuse:unknown
      unregisterSink ear | -sink=ear | remove-sink:ear
      set * |  | refuse:locked
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | -source=mic.deferred -awaits +source=mic.running +unlinked | demand:sr+awake+unlinked attach:mic recovered
      automaticDeactivation off | +lasting |
      activate, deactivate |  | warn
      applications parec:s | +~parec:s |
      began daemonLost | +held=daemonLost |
      began noDevice | +held=noDevice |
      to foreground | -source=mic.deferred -awaits -background +source=mic.running | demand:sr+awake attach:mic recovered
    """
}
