import SimulatedHardware

/// SPA's binary form as a peer may send it: valid, with wrong sizes, or with any byte changed.
struct HostilePod {
  let bytes: [UInt8]

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  // From spa/utils/type.h.
  private static let (bool, id, int, long, float, double, string): (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) = (
    2, 3, 4, 5, 6, 7, 8
  )
  private static let (array, structure, object, choice): (UInt32, UInt32, UInt32, UInt32) = (13, 14, 15, 19)

  static func raw<T: BitwiseCopyable>(_ value: T) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

  private static func pod(_ type: UInt32, _ body: [UInt8], size: UInt32? = nil) -> [UInt8] {
    raw(size ?? UInt32(body.count)) + raw(type) + body + [UInt8](repeating: 0, count: (8 - body.count % 8) % 8)
  }

  /// A latency param, with the keys that nearend reads, as a port's Latency.
  static func latency(_ generator: inout SeededGenerator) -> HostilePod {
    make(0x4000B, id: 15, [(1, id), (2, float), (3, float), (4, int), (5, int), (6, long), (7, long)], &generator)
  }
  static func props(_ generator: inout SeededGenerator) -> HostilePod {
    make(0x40002, [(0x10008, array), (0x10004, bool), (0x80001, structure), (0x10003, float)], &generator)
  }
  static func profile(_ generator: inout SeededGenerator) -> HostilePod {
    make(0x40007, [(1, int), (2, string), (3, string), (4, int), (5, id)], &generator)
  }
  static func route(_ generator: inout SeededGenerator) -> HostilePod {
    make(
      0x40009,
      [(1, int), (2, id), (3, int), (4, string), (5, string), (6, int), (7, id), (8, structure), (9, array), (10, object), (11, array)],
      &generator)
  }

  /// - Parameter param: the param's id in the object, for readers that go by it.
  private static func make(
    _ type: UInt32, id param: UInt32 = 0, _ keys: [(UInt32, UInt32)], _ generator: inout SeededGenerator
  ) -> HostilePod {
    var body = raw(type) + raw(param)
    for (key, kind) in keys where Int.random(in: 0..<8, using: &generator) > 0 {
      body += raw(key) + raw(UInt32(0)) + value(kind, 0, &generator)
    }
    var bytes = pod(object, body)
    // The outer size stays true: libpipewire sends that many bytes.
    if Int.random(in: 0..<3, using: &generator) == 0 {
      for _ in 0..<Int.random(in: 1...4, using: &generator) where bytes.count > 16 {
        bytes[Int.random(in: 8..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
    }
    return HostilePod(bytes)
  }

  /// What can be wrong with the volumes of a node.
  enum VolumeFault: String, CaseIterable {
    case none, childSize = "child size", hugeChildren = "children of 4 KiB", longClaim = "claims more", cut = "cut off", half =
      "a value cut",
      values = "values", thousands, kind = "other type", missing, twice, bytes = "any byte"
  }

  /// The Props of a node, as it publishes them itself: a mute and the volumes of its channels.
  static func volumes(_ fault: VolumeFault, _ generator: inout SeededGenerator) -> HostilePod {
    // From spa/param/props.h.
    let (volumes, mute): (UInt32, UInt32) = (0x10008, 0x10004)
    func property(_ key: UInt32, _ value: [UInt8]) -> [UInt8] { raw(key) + raw(UInt32(0)) + value }
    func list(_ type: UInt32, childSize: UInt32 = 4, _ body: [UInt8], size: UInt32? = nil) -> [UInt8] {
      pod(array, raw(childSize) + raw(type) + body, size: size)
    }
    func floats(_ values: [Float]) -> [UInt8] { values.flatMap { raw($0) } }
    let quiet = floats([Float.random(in: 0.1...1, using: &generator), 0.5])
    let hostile = (0..<Int.random(in: 1...80, using: &generator)).map { _ in
      [Float(1e39 as Double), -Float(1e39 as Double), .nan, .signalingNaN, -1, .infinity, -0.0, .leastNonzeroMagnitude].randomElement(
        using: &generator) ?? Float(0)
    }
    var told = property(mute, pod(bool, raw(Int32.random(in: 0...1, using: &generator))))
    switch fault {
    case .none, .cut, .bytes: told += property(volumes, list(float, quiet))
    case .childSize: told += property(volumes, list(float, childSize: size(&generator), quiet))
    case .hugeChildren: told += property(volumes, list(float, childSize: 4_096, [UInt8](repeating: 0x3F, count: 4_096 * 3)))
    case .longClaim: told += property(volumes, list(Bool.random(using: &generator) ? float : int, quiet, size: size(&generator)))
    case .half:
      told += property(
        volumes, list(Bool.random(using: &generator) ? float : int, Array(quiet.prefix(.random(in: 0...7, using: &generator)))))
    case .values: told += property(volumes, list(float, floats(hostile)))
    case .thousands:
      told += property(volumes, list(float, floats([Float](repeating: 0.7, count: .random(in: 1_000...10_000, using: &generator)))))
    case .kind:
      told += property(
        volumes, value([int, long, float, double, string, structure].randomElement(using: &generator) ?? int, 0, &generator))
    case .missing: break
    case .twice:
      told +=
        property(volumes, list(int, quiet)) + property(volumes, list(float, floats(hostile))) + property(mute, pod(float, raw(Float.nan)))
    }
    // Props, as the param Props.
    var bytes = pod(object, raw(UInt32(0x40002)) + raw(UInt32(2)) + told)
    switch fault {
    case .cut:
      bytes = Array(bytes.prefix(.random(in: 16..<bytes.count, using: &generator)))
      bytes.replaceSubrange(0..<4, with: raw(UInt32(bytes.count - 8)))
    case .bytes:
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 16..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
    default: break
    }
    return HostilePod(bytes)
  }

  /// Returns a value, mostly of the expected type.
  private static func value(_ wanted: UInt32, _ depth: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    let kinds = [bool, id, int, long, float, double, string, array, structure, choice, object, 1]
    let kind = Int.random(in: 0..<6, using: &generator) == 0 ? kinds.randomElement(using: &generator) ?? int : wanted
    let claimed = Int.random(in: 0..<10, using: &generator) == 0 ? size(&generator) : nil
    if kind != choice, kind != array, Int.random(in: 0..<8, using: &generator) == 0 {
      return pod(
        choice,
        raw(UInt32(0)) + raw(UInt32(0)) + raw(size(&generator)) + raw(kind)
          + scalar(kind, &generator).prefix(Int.random(in: 0...8, using: &generator)))
    }
    switch kind {
    case string:
      return pod(string, Array(text(&generator).utf8) + (Int.random(in: 0..<8, using: &generator) == 0 ? [] : [0]), size: claimed)
    case array:
      let child = Bool.random(using: &generator) ? float : int
      let childSize = Int.random(in: 0..<4, using: &generator) == 0 ? size(&generator) : 4
      let values = (0..<Int.random(in: 0...70, using: &generator)).flatMap { _ in scalar(child, &generator) }
      return pod(array, raw(childSize) + raw(child) + values, size: claimed)
    case structure where depth < 3:
      var body: [UInt8] = []
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        body += value(string, depth + 1, &generator) + value(kinds.randomElement(using: &generator) ?? int, depth + 1, &generator)
      }
      return pod(structure, body, size: claimed)
    case object where depth < 3:
      let body = raw(UInt32(0x40002)) + raw(UInt32(0)) + raw(UInt32(0x10004)) + raw(UInt32(0)) + value(bool, depth + 1, &generator)
      return pod(object, body, size: claimed)
    default: return pod(kind, scalar(kind, &generator), size: claimed)
    }
  }

  private static func size(_ generator: inout SeededGenerator) -> UInt32 {
    let sizes: [UInt32] = [0, 1, 3, 7, 8, 64, 4_096, 65_536, 0x7FFF_FFFF, .max - 7, .max]
    return sizes.randomElement(using: &generator) ?? 0
  }

  private static func scalar(_ kind: UInt32, _ generator: inout SeededGenerator) -> [UInt8] {
    switch kind {
    case float:
      raw(
        [0, 1, -1, .greatestFiniteMagnitude, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 3.4e38].randomElement(using: &generator)
          ?? Float(0))
    case double: raw([0, 1, -1, 1e308, .infinity, -.infinity, .nan].randomElement(using: &generator) ?? 0.0)
    case long: raw([0, 1, -500_000_000, .max, .min, 1 << 40].randomElement(using: &generator) ?? Int64(0))
    default: raw([0, 1, 2, -1, .max, .min, 48_000].randomElement(using: &generator) ?? Int32(0))
    }
  }

  /// Names and other text, up to 64 KiB.
  static func text(_ generator: inout SeededGenerator) -> String {
    let texts = [
      "nearend", "nearend.speaker", "nearend.microphone", "hw.speaker", "port.type", "speaker", "noiseSuppression", "outputVolume",
      "microphone", "",
      "\u{1B}[2J\u{1B}]0;owned\u{7}", "a\r\nnearend: error: forged", "\u{9B}31m", "\u{202E}desrever", String(repeating: "x", count: 65_000),
      "e" + String(repeating: "\u{301}", count: 20_000), "{\"name\":\"\u{1B}[2J\"}", "-1", "1e999", "\u{FFFF}",
    ]
    return texts.randomElement(using: &generator) ?? ""
  }
}
