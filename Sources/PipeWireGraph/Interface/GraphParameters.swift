import PipeWireClient

/// The parameters in the filter node's Props, and the handling of changes by others (O2). Called on the control thread, with its lock held.
/// [control]
public struct GraphParameters: Sendable {
  /// A value of a parameter, see `NodeParameter`.
  public typealias Value = NodeParameter.Value
  public typealias Parameter = NodeParameter
  public typealias Change = ParameterChange

  /// Returns all parameters with their current values.
  public var read: @Sendable () -> [Parameter]
  /// Takes requested values; `GraphController.parametersChanged` publishes the result.
  public var write: @Sendable ([Change]) -> Void

  public init(read: @escaping @Sendable () -> [Parameter], write: @escaping @Sendable ([Change]) -> Void) {
    self.read = read
    self.write = write
  }
}
