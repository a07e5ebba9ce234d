import PipeWireClient

/// The parameters in the filter node's Props, and the handler of changes by others (O2). Called on the control thread, with its lock held.
/// [control]
package struct GraphParameters: Sendable {
  /// A value of a parameter, see `NodeParameter`.
  package typealias Value = NodeParameter.Value
  package typealias Parameter = NodeParameter
  package typealias Change = ParameterChange

  /// Returns all parameters with their current values.
  package var read: @Sendable () -> [Parameter]
  /// Applies requested values; `GraphController.parametersChanged` publishes the result.
  package var write: @Sendable ([Change]) -> Void

  package init(read: @escaping @Sendable () -> [Parameter], write: @escaping @Sendable ([Change]) -> Void) {
    self.read = read
    self.write = write
  }
}
