import SimulatedHardware
import Testing

/// Returns the error that `body` throws; records an issue if it throws none, or another kind. Swift 6.0's `#expect(throws:)` does not
/// return it.
func sessionError<T>(_ body: () throws -> T, at location: SourceLocation = #_sourceLocation) -> SessionError? {
  do {
    _ = try body()
    Issue.record("no error was thrown", sourceLocation: location)
  } catch let error as SessionError {
    return error
  } catch {
    Issue.record("thrown was \(error)", sourceLocation: location)
  }
  return nil
}
