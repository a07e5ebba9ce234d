import ArgumentParser
import Foundation
import PipeWireClient

/// The baseline of all measurements: a filter that only copies, `copy:mic` to `copy:voice` and `copy:far` to `copy:speaker`. Optionally it
/// also computes, which shows what the machine does to any filter that takes as long.
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "copy", abstract: "A filter that only copies.", shouldDisplay: false)

  @Option(help: "The node's name.")
  var name = "copy"
  @Option(help: "Microseconds of arithmetic in each cycle, measured on an idle core.")
  var work = 0.0

  func run() throws {
    let ports = CopyPorts(rounds: Arithmetic.rounds(microseconds: work))
    let loop = ThreadLoop(name: "copy-control")
    try loop.start()
    let connection = try loop.locked { () throws(PipeWireError) in
      let connection = try Connection(loop: loop, properties: ["application.name": "copy"]) { event in
        if case .lost = event { _exit(1) }
      }
      let filter = try Filter(connection, name: name, data: UnsafeMutableRawPointer(ports.table), process: copyCycle) { _ in }
      for (index, name) in ["mic", "far"].enumerated() { ports.table[2 * index] = try filter.addPort(.input, name: name).pointer }
      for (index, name) in ["voice", "speaker"].enumerated() {
        ports.table[2 * index + 1] = try filter.addPort(.output, name: name).pointer
      }
      try filter.connect()
      return (connection, filter)
    }
    withExtendedLifetime((connection, ports)) { while true { pause() } }
  }
}

/// Two pairs of an input and an output, set before the filter joins the graph, followed by the amount of work.
private final class CopyPorts {
  let table: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  init(rounds: Int) {
    table = .allocate(capacity: 5)
    table.initialize(repeating: nil, count: 5)
    table[4] = UnsafeMutableRawPointer(bitPattern: rounds)
  }
}

/// Work that takes time and does nothing else.
private enum Arithmetic {
  /// Returns the number of rounds that currently take `microseconds`.
  static func rounds(microseconds: Double) -> Int {
    guard microseconds > 0 else { return 0 }
    let rounds = 1_000_000
    let best = (0..<5).map { seed in
      let start = DispatchTime.now().uptimeNanoseconds
      let result = run(rounds, seed: Float(seed))
      let time = DispatchTime.now().uptimeNanoseconds - start
      // Never true, but the compiler cannot know that and omit the work.
      return result < 0 ? 0 : time
    }.min()!
    return Int(microseconds * 1000 * Double(rounds) / Double(best))
  }

  /// Computes. [realtime]
  @_noLocks @_noAllocation @inline(never)
  static func run(_ rounds: Int, seed: Float) -> Float {
    var value = seed
    for _ in 0..<rounds { value = value * 0.999_9 + 0.000_1 }
    return value
  }
}

/// Copies a cycle. [realtime]
@_noLocks @_noAllocation
private func copyCycle(_ data: UnsafeMutableRawPointer?, _ cycle: UnsafeRawPointer?) {
  guard let data, let cycle else { return }
  let ports = data.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  let frames = Cycle(cycle).frames
  copyPort(ports[0], to: ports[1], frames: frames)
  copyPort(ports[2], to: ports[3], frames: frames)
  // The result is stored where it is never read, so that the work cannot be optimized away.
  if Arithmetic.run(Int(bitPattern: ports[4]), seed: Float(frames)) < 0 { ports[4] = nil }
}

/// Copies one pair of ports. [realtime]
@_noLocks @_noAllocation
private func copyPort(_ input: UnsafeMutableRawPointer?, to output: UnsafeMutableRawPointer?, frames: Int) {
  guard let input, let output else { return }
  let source = dspBuffer(input, frames: frames)
  guard let target = dspBuffer(output, frames: frames) else { return }
  if let source {
    UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: frames * MemoryLayout<Float>.size)
  } else {
    for i in 0..<frames { target[i] = 0 }
  }
}
