extension TransitionTests {
  /// The effects of each event while a call manager activates the session (S1), as rows of event | change of the state | effects; an event
  /// that is not listed does nothing, and "set *" stands for each of the init-only settings.
  static let manualMode = """
    manualIdle
      registerMedia new:s | +new:s |
      registerMedia new:r | +new:r |
      registerMedia new:sr | +new:sr |
      registerMedia parec:r | +parec:r |
      registerSource mic / ear / nobody, registerSink ear / mic / nobody |  | refuse:unknown
      set useVoiceProcessingIO false | +raw | processing:off
      set channelCount 2 / captureChannelCount 2 | -capture=1 +capture=2 | channels:2/2
      set renderChannelCount 1 | -render=2 +render=1 | channels:1/1
      set manual false | -manual |
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | +unlinked |
      automaticDeactivation off | +lasting |
      activate | +granted |
      deactivate |  | reset
      applications parec:s | +~parec:s |
      began daemonLost | +held=daemonLost |
      began noDevice | +held=noDevice |
      to background | +background |

    manualGranted
      registerMedia new:s | +new:s | demand:s+awake
      registerMedia new:r | +new:r | demand:r+awake
      registerMedia new:sr | +new:sr | demand:sr+awake
      registerMedia parec:r | +parec:r | demand:r+awake
      registerSource mic / ear / nobody, registerSink ear / mic / nobody |  | refuse:unknown
      set useVoiceProcessingIO false | +raw | processing:off
      set channelCount 2 / captureChannelCount 2 | -capture=1 +capture=2 | channels:2/2
      set renderChannelCount 1 | -render=2 +render=1 | channels:1/1
      set manual false | -granted -manual |
      channelCount 3 |  | refuse:impossible
      voiceProcessing off | +raw | processing:off
      automaticConfiguration off | +unlinked |
      automaticDeactivation off | +lasting |
      deactivate | -granted | reset
      applications parec:s | +~parec:s | demand:s
      began daemonLost | -granted +held=daemonLost |
      began noDevice | -granted +held=noDevice |
      to background | +background |

    manualWaiting
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
      activate | -source=mic.deferred +source=mic.running +granted | demand:sr+awake attach:mic recovered
      deactivate |  | reset
      applications parec:s | +~parec:s |
      began daemonLost | +held=daemonLost |
      began noDevice | +held=noDevice |
      to background | +background |

    manualActive
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
      deactivate | -source=mic.running -granted +source=mic.deferred | reset demand:none detach:mic
      applications parec:s | +~parec:s |
      began daemonLost | -source=mic.running -granted +source=mic.deferred +held=daemonLost | demand:none detach:mic
      began noDevice | -source=mic.running -granted +source=mic.deferred +held=noDevice | demand:none detach:mic
      to background | +background |
      began frozen | -source=mic.running -granted +source=mic.deferred +held=frozen | rebuild demand:none detach:mic

    manualInterrupted
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
      activate | +granted |
      deactivate |  | reset
      applications parec:s | +~parec:s |
      began noDevice | +held=noDevice |
      ended daemonLost | -held=daemonLost |
      to background | +background |
    """
}
