/// Moves the streams of the programs in use to nearend's devices, and back. Pure. [any]
///
/// A stream is moved once to each device of nearend's: somebody who moves it elsewhere meanwhile is followed.
package struct ProgramMoves: Sendable {
  package enum Effect: Sendable, Equatable {
    /// Sends a stream to the device of this serial number.
    case move(stream: UInt32, to: UInt64)
    /// Sends a stream where it was before; nil lets it follow the default, or what it asked for.
    case moveBack(stream: UInt32, to: String?)
    case remark(String)
  }

  private struct Move: Sendable {
    /// The serial number of nearend's device.
    var device: UInt64
    /// The stream's target before.
    var former: String?
  }

  /// By the stream's serial number.
  private var moves: [UInt64: Move] = [:]

  package init() {}

  /// - Parameters:
  ///   - streams: those there are, with their targets.
  ///   - devices: the serial numbers of *Nearend Microphone* and *Nearend Speaker*; one that is missing is waited for.
  package mutating func update(_ streams: [ProgramStream], used: UsedPrograms, devices: [Device.Direction: UInt64]) -> [Effect] {
    let alive = Set(streams.map(\.serial))
    moves = moves.filter { alive.contains($0.key) }
    return streams.flatMap { stream in
      used.include(stream) ? take(stream, to: devices[stream.direction]) : giveBack(stream)
    }
  }

  /// Returns what gives back every stream that is where it was moved.
  package mutating func leave(_ streams: [ProgramStream]) -> [Effect] { streams.flatMap { giveBack($0) } }

  private mutating func take(_ stream: ProgramStream, to device: UInt64?) -> [Effect] {
    guard let device, moves[stream.serial]?.device != device else { return [] }
    let former: String?
    if let last = moves[stream.serial] {
      // nearend's device was made anew. Who moved the stream elsewhere since is followed.
      guard stream.target == "\(last.device)" else {
        moves[stream.serial]?.device = device
        return []
      }
      former = last.former
    } else {
      former = stream.target
    }
    moves[stream.serial] = Move(device: device, former: former)
    let words = stream.direction == .output ? "plays through Nearend Speaker" : "records from Nearend Microphone"
    return [.move(stream: stream.id, to: device), .remark("\(stream.names.first ?? "a program") \(words) now")]
  }

  private mutating func giveBack(_ stream: ProgramStream) -> [Effect] {
    guard let move = moves.removeValue(forKey: stream.serial), stream.target == "\(move.device)" else { return [] }
    return [.moveBack(stream: stream.id, to: move.former)]
  }
}
