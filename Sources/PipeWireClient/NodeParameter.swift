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
  /// Changes of one message that are looked at.
  private static var most: Int { 256 }

  /// Every value that Props tell, in their order; none where it is no Props.
  init(_ props: Pod) {
    self = []
    for property in props.properties(of: UInt32(SPA_TYPE_OBJECT_Props)) ?? [] {
      if property.key == SPA_PROP_params.rawValue {
        append(contentsOf: Self.list(property.value))
      } else {
        let name = npw_props_key_name(property.key).map { String(cString: $0) } ?? "unknown"
        append(ParameterChange(name: name, value: nil))
      }
    }
    self = [ParameterChange](prefix(Self.most))
  }

  /// Name, value, name, value, … What is malformed comes without a value, and what follows it not at all.
  private static func list(_ list: Pod) -> [ParameterChange] {
    let malformed = ParameterChange(name: "params", value: nil)
    guard let elements = list.elements else { return [malformed] }
    var changes: [ParameterChange] = []
    for index in stride(from: 0, to: elements.count, by: 2) {
      guard let name = elements[index].text else { return changes + [malformed] }
      let value = index + 1 < elements.count ? NodeParameter.Value(elements[index + 1]) : nil
      changes.append(ParameterChange(name: name, value: value))
    }
    return changes
  }
}

extension NodeParameter.Value {
  /// nil where it is of no kind that a parameter has, or no finite number.
  fileprivate init?(_ pod: Pod) {
    if let flag = pod.bool {
      self = .bool(flag)
    } else if let number = pod.int.map(Double.init) ?? pod.long.map(Double.init) ?? pod.float.map(Double.init) ?? pod.double {
      guard number.isFinite else { return nil }
      self = .number(number)
    } else if let text = pod.text {
      self = .text(text)
    } else {
      return nil
    }
  }
}
