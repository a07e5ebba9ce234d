import Foundation

/// A control port of a LADSPA plug-in that is set from outside: a setting with its range (S6). [any]
public struct PlugInPort: Codable, Sendable, Equatable {
  /// Its index among all the plug-in's ports.
  public var index: Int
  /// The plug-in's own name for it, which settings use.
  public var name: String
  /// The lower bound, in the port's own unit, or as a share of the sample rate; nil if unbounded.
  public var lower: Double?
  /// The upper bound, in the port's own unit, or as a share of the sample rate; nil if unbounded.
  public var upper: Double?
  /// A Boolean value indicating whether the bounds are shares of the sample rate.
  public var isRateRelative: Bool
  /// A Boolean value indicating whether equal ratios, rather than equal differences, are equal steps: frequencies, gains.
  public var isLogarithmic: Bool
  /// A Boolean value indicating whether only whole numbers are possible; true for a switch.
  public var isInteger: Bool
  /// A Boolean value indicating whether it is a switch: 0 is off, 1 is on.
  public var isToggled: Bool
  /// The value that the plug-in suggests, in the bits of LADSPA's hints.
  var suggestion: Int

  /// Sample rates in Hz that plug-ins are made for.
  public static let rates = 1_000...1_000_000

  /// Reads a port's hints; ignores a bound that is NaN or infinite.
  init(index: Int, name: String, hints: Int, lower: Float, upper: Float) {
    self.index = index
    self.name = name
    isToggled = hints & 0x4 != 0
    self.lower = isToggled ? 0 : hints & 0x1 != 0 && lower.isFinite ? Double(lower) : nil
    self.upper = isToggled ? 1 : hints & 0x2 != 0 && upper.isFinite ? Double(upper) : nil
    isRateRelative = hints & 0x8 != 0 && !isToggled
    isLogarithmic = hints & 0x10 != 0
    isInteger = hints & 0x20 != 0 || isToggled
    suggestion = hints & 0x3C0
  }

  /// The bounds at a sample rate in Hz.
  public func bounds(rate: Int) -> (lower: Double?, upper: Double?) {
    let factor = isRateRelative ? Double(rate) : 1
    return (lower.map { $0 * factor }, upper.map { $0 * factor })
  }

  /// The value that the plug-in suggests at a sample rate in Hz; without a suggestion the one closest to 0.
  public func standard(rate: Int) -> Double {
    let (lower, upper) = bounds(rate: rate)
    let value: Double =
      switch suggestion {
      case 0x40: lower ?? 0
      case 0x80: between(lower, upper, 0.25)
      case 0xC0: between(lower, upper, 0.5)
      case 0x100: between(lower, upper, 0.75)
      case 0x140: upper ?? 0
      case 0x240: 1
      case 0x280: 100
      case 0x2C0: 440
      default: 0
      }
    return clamped(value, rate: rate)
  }

  /// The closest possible value at a sample rate in Hz.
  public func clamped(_ value: Double, rate: Int) -> Double {
    let (lower, upper) = bounds(rate: rate)
    let bounded = max(min(value, upper ?? value), lower ?? -.infinity)
    return isInteger ? bounded.rounded() : bounded
  }

  /// - Throws: `PlugInError.value` if the port cannot take `value` at a sample rate in Hz.
  public func check(_ value: Double, rate: Int) throws(PlugInError) {
    let (lower, upper) = bounds(rate: rate)
    // Plug-ins calculate in single precision.
    let slack = { (bound: Double) in abs(bound) * 1e-6 }
    let isPossible =
      value.isFinite && abs(value) <= Double(Float.greatestFiniteMagnitude) && value >= lower.map { $0 - slack($0) } ?? value
      && value <= upper.map { $0 + slack($0) } ?? value && (!isInteger || value == value.rounded())
    if !isPossible { throw .value(port: name, value: value, possible: possible(rate: rate)) }
  }

  /// Describes the possible values at a sample rate in Hz.
  public func possible(rate: Int) -> String {
    if isToggled { return "0 (off) or 1 (on)" }
    let (lower, upper) = bounds(rate: rate)
    let kind = isInteger ? "a whole number" : "a number"
    return switch (lower, upper) {
    case (let lower?, let upper?): "\(kind) from \(Self.text(lower)) to \(Self.text(upper))"
    case (let lower?, nil): "\(kind) from \(Self.text(lower)) on"
    case (nil, let upper?): "\(kind) up to \(Self.text(upper))"
    case (nil, nil): kind
    }
  }

  /// Formats a number for people: 50, 0.25. Seven digits, the precision of a plug-in.
  public static func text(_ value: Double) -> String {
    let rounded = Double("\(Float(value))") ?? value
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int(rounded))" : "\(rounded)"
  }

  private func between(_ lower: Double?, _ upper: Double?, _ share: Double) -> Double {
    guard let lower, let upper else { return lower ?? upper ?? 0 }
    if isLogarithmic, lower > 0, upper > 0 { return exp(log(lower) * (1 - share) + log(upper) * share) }
    return lower + (upper - lower) * share
  }
}

/// A LADSPA plug-in's description of itself. [any]
public struct PlugInDescription: Codable, Sendable, Equatable {
  /// Path of its library.
  public var file: String
  /// Its name within the library, as in an address: "amp_mono".
  public var label: String
  /// Its name for people.
  public var name: String
  /// Its author, for people; may be empty.
  public var maker: String
  /// A Boolean value indicating whether it neither locks nor allocates, so that it may run on the audio thread.
  public var isHardRealtime: Bool
  /// A Boolean value indicating whether its input and output must not share memory. They never do.
  public var isInPlaceBroken: Bool
  /// The number of audio inputs; `check(for:)` tests whether they fit a chain.
  public var audioInputs: Int
  /// The number of audio outputs.
  public var audioOutputs: Int
  /// Control inputs.
  public var ports: [PlugInPort]
  /// Control outputs: meters, and perhaps the latency.
  public var meters: [String]
  /// Index of the control output that reports its delay in frames.
  public var latencyPort: Int?

  /// Returns the port of that name; prefers an exact match to one that differs in case.
  public func port(_ name: String) -> PlugInPort? {
    ports.first { $0.name == name } ?? ports.first { $0.name.lowercased() == name.lowercased() }
  }

  /// Returns the values of `ports`, in their order: the setting, given by port name, or the port's default.
  /// - Throws: `PlugInError.noPort` and `.value`.
  func values(_ settings: [String: Double], rate: Int) throws(PlugInError) -> [Double] {
    let checked = try checked(settings, rate: rate)
    return ports.map { checked[$0.index] ?? $0.standard(rate: rate) }
  }

  /// Converts settings by port name to settings by port index.
  /// - Parameter rate: in Hz; the ports' ranges depend on it.
  /// - Throws: `PlugInError.noPort` and `.value`.
  func checked(_ settings: [String: Double], rate: Int) throws(PlugInError) -> [Int: Double] {
    var checked: [Int: Double] = [:]
    for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
      guard let port = port(name) else { throw .noPort(label: label, port: name, ports: ports.map { "'\($0.name)'" }) }
      try port.check(value, rate: rate)
      checked[port.index] = value
    }
    return checked
  }

  /// - Throws: `PlugInError.channels` if it fits a chain neither once nor twice.
  public func check(for chain: PlugInChain) throws(PlugInError) {
    let counts = (audioInputs, audioOutputs)
    guard counts == (1, 1) || (counts == (2, 2) && chain == .render) else {
      throw .channels(label: label, inputs: audioInputs, outputs: audioOutputs, chain: chain)
    }
  }
}

/// The chain that a plug-in belongs to: of the voice, which is mono unless stereo is asked for, or of what the speaker plays, which is
/// stereo. [any]
public enum PlugInChain: String, Codable, Sendable, CaseIterable {
  case capture, render
}
