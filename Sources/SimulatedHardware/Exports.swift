// The clock that every process of the simulation shares.
@_exported import func Platform.monotonicSeconds
// The numbers that repeat in every run.
@_exported import struct SeededSignals.SeededGenerator
