import Testing

/// What `body` throws; nil, with an issue, if it throws nothing or something else. Swift 6.0's `#expect(throws:)` returns nothing.
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
