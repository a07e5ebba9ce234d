/// Seconds that a fact is waited for before a test, or a rehearsal, gives up: far more than anything takes on a busy machine, so that only
/// what never comes is given up.
public let factTimeout = 60.0
