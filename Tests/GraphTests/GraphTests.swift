import Testing

/// nearend in a live PipeWire graph: the real daemon, session manager and PulseAudio server in private sessions. One after another, because
/// each drives a graph of its own.
@Suite("Live graph", .serialized)
enum GraphTests {}
