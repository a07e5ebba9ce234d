import SessionModel

/// The icon of a state, drawn by ourselves for panels that find no installed one: a light microphone with a dark edge, which stands out
/// from a dark panel and from a light one. The installed symbolic icons have the same shapes, and take the panel's own colour.
struct TrayPicture: Equatable {
  /// Width and height.
  let size: Int
  /// Rows from the top, each pixel as alpha, red, green and blue, not premultiplied.
  let pixels: [UInt8]

  /// The sizes that are told, from which a panel takes the next one.
  static let sizes = [22, 32, 48]

  /// - Parameter size: in pixels.
  init(_ state: TrayItem.State, size: Int) {
    self.size = size
    let shape = TrayShape(state)
    let samples = 4
    let scale = TrayShape.side / Double(size * samples)
    // A pixel of a small icon, however large the icon is.
    let edge = TrayShape.side / 22
    var pixels: [UInt8] = []
    for y in 0..<size {
      for x in 0..<size {
        var (inside, mark, around) = (0, 0, 0)
        for sample in 0..<samples * samples {
          let point = TrayShape.Point(
            x: (Double(x * samples + sample % samples) + 0.5) * scale, y: (Double(y * samples + sample / samples) + 0.5) * scale)
          let distances = shape.distances(point)
          if distances.mark <= 0 {
            mark += 1
          } else if distances.microphone <= 0 {
            inside += 1
          } else if min(distances.mark, distances.microphone) <= edge {
            around += 1
          }
        }
        pixels += Self.mix([(inside, [250, 250, 250]), (mark, shape.markColour), (around, [36, 36, 36])], of: samples * samples)
      }
    }
    self.pixels = pixels
  }

  /// Returns alpha, red, green and blue of a pixel that is made of samples of these colours, of `all`.
  private static func mix(_ parts: [(count: Int, colour: [Int])], of all: Int) -> [UInt8] {
    let covered = parts.reduce(0) { $0 + $1.count }
    guard covered > 0 else { return [0, 0, 0, 0] }
    let colour = (0..<3).map { channel in UInt8(parts.reduce(0) { $0 + $1.count * $1.colour[channel] } / covered) }
    return [UInt8(255 * covered / all)] + colour
  }
}

/// The shapes on a square of 16 by 16, as the distance of a point from them, which is 0 or less within.
private struct TrayShape {
  struct Point {
    var x: Double
    var y: Double
  }
  static let side = 16.0

  private let state: TrayItem.State
  init(_ state: TrayItem.State) { self.state = state }

  /// Red, green and blue of what tells an alarm and a mute from a microphone.
  var markColour: [Int] {
    switch state {
    case .alarm: [255, 140, 0]
    case .muted: [237, 51, 59]
    case .idle, .active: [250, 250, 250]
    }
  }

  func distances(_ point: Point) -> (microphone: Double, mark: Double) {
    let body = line(point, Point(x: 8, y: 3.75), Point(x: 8, y: 6.75)) - 2.25
    // Hollow where nobody is heard.
    let capsule = state == .idle ? abs(body + 0.5) - 0.5 : body
    let below = max(abs(length(point, Point(x: 8, y: 6.75)) - 4) - 0.5, 6.75 - point.y)
    let foot = line(point, Point(x: 8, y: 11), Point(x: 8, y: 14)) - 0.5
    let base = line(point, Point(x: 5.5, y: 14), Point(x: 10.5, y: 14)) - 0.5
    let microphone = min(capsule, below, foot, base)
    switch state {
    case .idle: return (microphone, .infinity)
    case .active:
      // Sound, on both sides.
      let waves = [-1.0, 1.0].map { side in
        line(point, Point(x: 8 + side * 6.5, y: 3.5), Point(x: 8 + side * 6.5, y: 8)) - 0.6
      }
      return (microphone, min(waves[0], waves[1]))
    case .muted:
      let slash = line(point, Point(x: 2, y: 2), Point(x: 14, y: 14)) - 0.9
      // A gap beside the slash.
      return (max(microphone, 0.9 - slash), slash)
    case .alarm:
      let sign = min(line(point, Point(x: 13.5, y: 2), Point(x: 13.5, y: 7)) - 1.2, length(point, Point(x: 13.5, y: 10.6)) - 1.3)
      return (max(microphone, 0.7 - sign), sign)
    }
  }

  private func length(_ a: Point, _ b: Point) -> Double { ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot() }

  /// The distance from a line between two points.
  private func line(_ point: Point, _ a: Point, _ b: Point) -> Double {
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    let along = ((point.x - a.x) * dx + (point.y - a.y) * dy) / (dx * dx + dy * dy)
    let t = min(max(along, 0), 1)
    return length(point, Point(x: a.x + t * dx, y: a.y + t * dy))
  }
}
