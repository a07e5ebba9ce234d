// The clock that every process of the simulation shares.
@_exported import func Platform.monotonicSeconds
