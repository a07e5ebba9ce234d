/// Builds SPA's binary form by hand, so that the sizes in it may be false.
enum PodBytes {
  static let (none, bool, id, int, long, float, double, string): (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) =
    (1, 2, 3, 4, 5, 6, 7, 8)
  static let (array, structure, object, choice): (UInt32, UInt32, UInt32, UInt32) = (13, 14, 15, 19)

  static func raw<T: BitwiseCopyable>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

  /// A pod whose header claims `size` bytes; nil for the true size.
  static func pod(_ type: UInt32, _ body: [UInt8], size: UInt32? = nil) -> [UInt8] {
    let padding = [UInt8](repeating: 0, count: (8 - body.count % 8) % 8)
    return raw(size ?? UInt32(body.count)) + raw(type) + body + padding
  }
  static func int(_ value: Int32) -> [UInt8] { pod(int, raw(value)) }
  static func long(_ value: Int64) -> [UInt8] { pod(long, raw(value)) }
  static func id(_ value: UInt32) -> [UInt8] { pod(id, raw(value)) }
  static func float(_ value: Float) -> [UInt8] { pod(float, raw(value)) }
  static func double(_ value: Double) -> [UInt8] { pod(double, raw(value)) }
  static func bool(_ value: Bool) -> [UInt8] { pod(bool, raw(Int32(value ? 1 : 0))) }
  static func text(_ value: String) -> [UInt8] { pod(string, Array(value.utf8) + [0]) }
  static func structure(_ elements: [[UInt8]]) -> [UInt8] { pod(structure, elements.flatMap { $0 }) }

  /// An array whose child claims `childSize` bytes.
  static func array(_ type: UInt32, childSize: UInt32, _ values: [UInt8]) -> [UInt8] {
    pod(array, raw(childSize) + raw(type) + values)
  }
  static func floats(_ values: [Float]) -> [UInt8] { array(float, childSize: 4, values.flatMap { raw($0) }) }
  static func ints(_ values: [Int32]) -> [UInt8] { array(int, childSize: 4, values.flatMap { raw($0) }) }

  /// A choice of kind "none" around a child that claims `childSize` bytes.
  static func choice(_ type: UInt32, childSize: UInt32, _ values: [UInt8]) -> [UInt8] {
    pod(choice, raw(UInt32(0)) + raw(UInt32(0)) + raw(childSize) + raw(type) + values)
  }

  static func object(_ type: UInt32, _ properties: [(UInt32, [UInt8])]) -> [UInt8] {
    pod(object, raw(type) + raw(UInt32(0)) + properties.flatMap { raw($0.0) + raw(UInt32(0)) + $0.1 })
  }

  // From spa/utils/type.h and spa/param.
  static let (props, latency, profile, route): (UInt32, UInt32, UInt32, UInt32) = (0x40002, 0x4000B, 0x40007, 0x40009)
  static let (channelVolumes, mute, params): (UInt32, UInt32, UInt32) = (0x10008, 0x10004, 0x80001)
}
