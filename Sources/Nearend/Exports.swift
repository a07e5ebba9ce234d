// Types of other modules that appear in this module's interface, so that `import Nearend` is enough.
@_exported import enum PipeWireGraph.GraphError
@_exported import struct PipeWireGraph.EngineVeto
@_exported import struct PipeWireGraph.InterruptionOptions
@_exported import SessionModel
@_exported import struct RealtimeCore.AudioStage
@_exported import typealias RealtimeCore.MicrophoneCallback
@_exported import struct RealtimeCore.PlugInAddress
@_exported import enum RealtimeCore.PlugInChain
@_exported import struct RealtimeCore.PlugInDescription
@_exported import enum RealtimeCore.PlugInError
@_exported import struct RealtimeCore.PlugInPort
@_exported import class RealtimeCore.PlugInRack
@_exported import struct RealtimeCore.PlugInStatus
@_exported import class RealtimeCore.StageChain
@_exported import typealias RealtimeCore.StageCallback
@_exported import enum RealtimeCore.AppAudioError
@_exported import protocol RealtimeCore.AppAudioSample
@_exported import struct RealtimeCore.AppAudioBuffer
@_exported import class RealtimeCore.RingSink
@_exported import struct RealtimeCore.RingSinkStatus
@_exported import enum RealtimeCore.SinkError
@_exported import struct RealtimeCore.SinkFormat
