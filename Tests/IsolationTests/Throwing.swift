import Testing

/// Returns the error that `body` throws; records an issue and returns nil if it throws none, or another kind. Swift 6.0's
/// `#expect(throws:)` does not return it.
func thrown<Failure: Error, Value>(
  _ type: Failure.Type, sourceLocation: SourceLocation = #_sourceLocation, by body: () throws -> Value
) -> Failure? {
  do {
    _ = try body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let error as Failure {
    return error
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
  return nil
}
