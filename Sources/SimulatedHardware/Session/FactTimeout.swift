/// Seconds that a test or rehearsal waits for a fact before it gives up: far more than anything takes on a busy machine, so that it gives
/// up only on what never happens.
public let factTimeout = 60.0
