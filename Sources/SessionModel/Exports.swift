// Its types appear in this module's interface, so that one import is enough.
@_exported import VoiceFacts
