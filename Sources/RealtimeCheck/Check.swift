/// A check that drives code inside the fence.
struct Check: Sendable {
  let name: String
  /// Returns nil, or what was not reached. Does not return on a violation: the sanitizer ends the process and prints the call stack.
  let run: @Sendable () throws -> String?

  init(_ name: String, _ run: @escaping @Sendable () throws -> String?) {
    self.name = name
    self.run = run
  }
}

/// Fails a check whose scenario did not reach the state that it is meant to drive.
func require(_ condition: Bool, _ what: @autoclosure () -> String) -> String? {
  condition ? nil : what()
}
