import PipeWireClient

/// What the filter node tells in its Props, and what happens when somebody sets it (O2). Called on the control thread, with its lock held. [control]
public struct GraphParameters: Sendable {
  /// A value of a parameter, see `NodeParameter`.
  public typealias Value = NodeParameter.Value
  public typealias Parameter = NodeParameter
  public typealias Change = ParameterChange

  /// All of them, as they are now.
  public var read: @Sendable () -> [Parameter]
  /// Somebody wants them so; `GraphController.parametersChanged` tells what has come of it.
  public var write: @Sendable ([Change]) -> Void

  public init(read: @escaping @Sendable () -> [Parameter], write: @escaping @Sendable ([Change]) -> Void) {
    self.read = read
    self.write = write
  }
}
