import Testing

/// nearend in a live PipeWire graph: the real daemon, session manager and PulseAudio server in private sessions. Serialized, because
/// each test drives a graph of its own.
@Suite("Live graph", .serialized)
enum GraphTests {}
