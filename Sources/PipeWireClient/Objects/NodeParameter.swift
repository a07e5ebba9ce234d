internal import CPipeWire

/// A named value that a node publishes in its Props and describes in its PropInfo, for others to read and to set. [any]
package struct NodeParameter: Sendable, Equatable {
  /// A parameter's value; requests of any other kind are ignored.
  package enum Value: Sendable, Equatable {
    case bool(Bool)
    /// Single precision in the graph.
    case number(Double)
    case text(String)
  }
  /// The key among the `params` of Props, and the PropInfo's name.
  package var name: String
  /// The description for people.
  package var description: String
  /// The value to publish, which also determines the parameter's kind.
  package var value: Value
  /// The range of a number; nil for any.
  package var range: ClosedRange<Double>?

  /// Describes a parameter; `range` matters only for a number.
  package init(name: String, description: String, value: Value, range: ClosedRange<Double>? = nil) {
    self.name = name
    self.description = description
    self.value = value
    self.range = range
  }
}

/// A requested value of a node's parameter. [any]
package struct ParameterChange: Sendable, Equatable {
  /// The name of the parameter, or of another key of the Props.
  package var name: String
  /// nil if the value is of an unsupported kind, or `name` is another key of the Props.
  package var value: NodeParameter.Value?

  /// Creates a request like those from the graph.
  package init(name: String, value: NodeParameter.Value?) {
    self.name = name
    self.value = value
  }
}

extension [NodeParameter] {
  /// Lends the parameters in C's form for the duration of `body`.
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
  /// The largest number of changes read from one message.
  private static var most: Int { 256 }

  /// Reads every value of Props in order; empty if the param is not Props.
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

  /// Reads name, value, name, value, … A malformed entry has no value, and ends the list.
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
  /// nil if it is of an unsupported kind, NaN or infinite.
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
