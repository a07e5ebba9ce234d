import SimulatedHardware
import Testing

/// The error that `body` throws; an issue where it throws none, or another kind. Swift 6.0's `#expect(throws:)` does not hand it out.
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
