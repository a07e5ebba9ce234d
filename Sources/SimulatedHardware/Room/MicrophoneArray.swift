/// Several microphones of one device in the room, as laptops, televisions and conference phones have them. They differ by up to 6 dB, and
/// each has noise of its own.
package enum MicrophoneArray: Int, Sendable, CaseIterable {
  /// Two, 6 cm apart.
  case pair = 2
  /// Four in a line of 12 cm.
  case line = 4
  /// Six in a circle of 9 cm.
  case ring = 6

  /// Number of microphones.
  package var count: Int { rawValue }

  /// The device that has them: what is fed into its port `input_AUX0` is what the first hears, and so on.
  package var device: SimulatedDevice {
    SimulatedDevice(
      .array(channels: count), name: "hw.array", description: "Simulated Array of \(count)", priority: SimulatedDevice.microphone.priority)
  }

  /// Where each stands relative to the first, in metres, on a table.
  var places: [RoomResponse.Place] {
    switch self {
    case .pair: return [(0, 0), (0.06, 0)]
    case .line: return (0..<4).map { (0.04 * Double($0), 0) }
    case .ring:
      // The chord between neighbours of a hexagon is its radius.
      let radius = 0.045, height = radius * 0.75.squareRoot()
      return [(0, 0), (radius, 0), (1.5 * radius, height), (radius, 2 * height), (0, 2 * height), (-0.5 * radius, height)]
    }
  }

  /// By how much louder each is than the first, in dB.
  var gains: [Double] { Array([0, -4, 2, -2, 1, -3].prefix(count)) }
}
