internal import CPipeWire

/// A named value that a node tells in its Props and describes in its PropInfo, for others to see and to set. [any]
public struct NodeParameter: Sendable, Equatable {
  public enum Value: Sendable, Equatable {
    case bool(Bool)
    /// Single precision in the graph.
    case number(Double)
    case text(String)
  }
  public var name: String
  /// For people.
  public var description: String
  public var value: Value
  /// What a number may be; nil for any.
  public var range: ClosedRange<Double>?

  public init(name: String, description: String, value: Value, range: ClosedRange<Double>? = nil) {
    self.name = name
    self.description = description
    self.value = value
    self.range = range
  }
}

/// What somebody wants a node's parameter to be. [any]
public struct ParameterChange: Sendable, Equatable {
  public var name: String
  /// nil where it is of no kind that a parameter has, and where `name` is another key of the Props.
  public var value: NodeParameter.Value?

  public init(name: String, value: NodeParameter.Value?) {
    self.name = name
    self.value = value
  }
}

extension [NodeParameter] {
  /// The parameters as C has them, for the time of `body`.
  func withPointer<T>(_ body: (UnsafePointer<npw_parameter>, UInt32) -> T) -> T {
    var copies: [UnsafeMutablePointer<CChar>] = []
    defer { for copy in copies { free(copy) } }
    func copy(_ text: String) -> UnsafePointer<CChar> {
      copies.append(strdup(text))
      return UnsafePointer(copies.last!)
    }
    let raw = map { parameter in
      var raw = npw_parameter()
      raw.name = copy(parameter.name)
      raw.description = copy(parameter.description)
      switch parameter.value {
      case .bool(let value): (raw.kind, raw.number) = (NPW_PARAMETER_BOOL, value ? 1 : 0)
      case .number(let value): (raw.kind, raw.number) = (NPW_PARAMETER_NUMBER, value)
      case .text(let value): (raw.kind, raw.text) = (NPW_PARAMETER_TEXT, copy(value))
      }
      (raw.minimum, raw.maximum) = parameter.range.map { ($0.lowerBound, $0.upperBound) } ?? (0, 0)
      return raw
    }
    return raw.withUnsafeBufferPointer { body($0.baseAddress!, UInt32($0.count)) }
  }
}

extension [ParameterChange] {
  /// Reads a Props pod.
  init(props: UnsafePointer<spa_pod>?) {
    self = []
    withUnsafeMutablePointer(to: &self) { changes in
      npw_parameters_read(
        props,
        { data, raw in
          guard let raw = raw?.pointee, let name = raw.name else { return }
          let value: NodeParameter.Value? =
            switch raw.kind {
            case NPW_PARAMETER_BOOL: .bool(raw.number != 0)
            case NPW_PARAMETER_NUMBER: .number(raw.number)
            case NPW_PARAMETER_TEXT: raw.text.map { .text(String(cString: $0)) }
            default: nil
            }
          data!.assumingMemoryBound(to: [ParameterChange].self).pointee.append(ParameterChange(name: String(cString: name), value: value))
        }, changes)
    }
  }
}
