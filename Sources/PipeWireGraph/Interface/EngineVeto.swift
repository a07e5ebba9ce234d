/// The hook of an engine observer that refused a step, and why (S6). [any]
public struct EngineVeto: Error, Sendable, Equatable, CustomStringConvertible {
  /// The hooks that may refuse.
  public enum Hook: String, Sendable, CaseIterable { case didCreate, willEnable, willConnectInput, willConnectOutput, willStart }
  public let hook: Hook
  /// The error that the hook threw.
  public let error: any Error

  public init(hook: Hook, error: any Error) {
    self.hook = hook
    self.error = error
  }

  public static func == (a: EngineVeto, b: EngineVeto) -> Bool { a.hook == b.hook && "\(a.error)" == "\(b.error)" }

  public var description: String { "an engine observer refused in \(hook.rawValue): \(error)" }
}
