import ArgumentParser
import Foundation
import PipeWireClient

/// The floor that everything is measured against: a filter that only copies, `copy:mic` to `copy:voice` and `copy:far` to `copy:speaker`.
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "copy", abstract: "A filter that only copies.", shouldDisplay: false)

  func run() throws {
    let ports = CopyPorts()
    let loop = ThreadLoop(name: "copy-control")
    loop.start()
    let connection = try loop.locked { () throws(PipeWireError) in
      let connection = try Connection(loop: loop, properties: ["application.name": "copy"]) { event in
        if case .lost = event { _exit(1) }
      }
      let filter = try Filter(connection, name: "copy", data: UnsafeMutableRawPointer(ports.table), process: copyCycle) { _ in }
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

/// Two pairs of an input and an output, set before the filter joins the graph.
private final class CopyPorts {
  let table: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  init() {
    table = .allocate(capacity: 4)
    table.initialize(repeating: nil, count: 4)
  }
}

/// [realtime]
@_noLocks @_noAllocation
private func copyCycle(_ data: UnsafeMutableRawPointer?, _ cycle: UnsafeRawPointer?) {
  guard let data, let cycle else { return }
  let ports = data.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  let frames = Cycle(cycle).frames
  copyPort(ports[0], to: ports[1], frames: frames)
  copyPort(ports[2], to: ports[3], frames: frames)
}

/// [realtime]
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
