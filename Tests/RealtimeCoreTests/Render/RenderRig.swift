import Foundation
import Testing

@testable import RealtimeCore

/// A mixer driven by hand, cycle by cycle, like the graph.
final class RenderRig {
  let mixer = Mixer()
  var rate: Int
  var quantum: Int
  /// The whole output of the left channel.
  private(set) var left: [Float] = []
  private(set) var right: [Float] = []
  var records = true
  /// One cycle of a graph sink's audio, by slot.
  var graph: [Int: (left: [Float], right: [Float])] = [:]
  private let inputs: UnsafeMutablePointer<StereoInput>
  private let memory: UnsafeMutablePointer<Float>

  init(rate: Int = 48_000, quantum: Int = 256) {
    self.rate = rate
    self.quantum = quantum
    inputs = .allocate(capacity: Mixer.capacity)
    inputs.initialize(repeating: StereoInput(left: nil, right: nil), count: Mixer.capacity)
    memory = .allocate(capacity: 2 * 16_384)
  }

  deinit {
    inputs.deallocate()
    memory.deallocate()
  }

  /// Runs one cycle and returns its output.
  @discardableResult
  func cycle(callLeft: [Float]? = nil, callRight: [Float]? = nil) -> (left: [Float], right: [Float]) {
    for (slot, audio) in graph {
      audio.left.withUnsafeBufferPointer { l in
        audio.right.withUnsafeBufferPointer { r in inputs[slot] = StereoInput(left: l.baseAddress, right: r.baseAddress) }
      }
    }
    let (l, r) = (memory, memory + 16_384)
    withOptionalPointer(callLeft) { cl in
      withOptionalPointer(callRight) { cr in
        // The graph's arrays live in `graph` until after this call.
        withExtendedLifetime(graph) {
          mixer.renderPath.pointee.process(
            call: StereoInput(left: cl, right: cr), graphSinks: inputs, speakerLeft: l, speakerRight: r, frames: quantum, rate: rate)
        }
      }
    }
    let out = (Array(UnsafeBufferPointer(start: l, count: quantum)), Array(UnsafeBufferPointer(start: r, count: quantum)))
    if records {
      left += out.0
      right += out.1
    }
    return out
  }

  /// Stops the input of a slot.
  func disconnect(_ slot: Int) {
    graph[slot] = nil
    inputs[slot] = StereoInput(left: nil, right: nil)
  }

  func cycles(_ count: Int) { for _ in 0..<count { cycle() } }

  private func withOptionalPointer(_ array: [Float]?, _ body: (UnsafePointer<Float>?) -> Void) {
    if let array { array.withUnsafeBufferPointer { body($0.baseAddress) } } else { body(nil) }
  }

  func ring(_ id: String = "alice", rate: Int = 48_000, channels: Int = 1, milliseconds: Int = 200) throws -> RingSink {
    let format = try SinkFormat(sampleRate: rate, channelCount: channels)
    let sink = try RingSink(id: id, format: format, capacityBytes: rate * milliseconds / 1_000 * format.bytesPerFrame)
    try mixer.add(sink)
    return sink
  }
}

extension RingSink {
  @discardableResult
  func write(_ samples: [Int16]) -> Bool { samples.withUnsafeBytes { write($0) } }
}

/// A tone in Int16 that is continuous over several calls.
struct Tone {
  var frequency: Double
  var rate: Double
  var amplitude: Double
  var channels = 1
  var position = 0

  mutating func next(_ frames: Int) -> [Int16] {
    var samples: [Int16] = []
    samples.reserveCapacity(frames * channels)
    for _ in 0..<frames {
      let value = Int16((amplitude * 32_767 * sin(2 * .pi * frequency * Double(position) / rate)).rounded())
      for _ in 0..<channels { samples.append(value) }
      position += 1
    }
    return samples
  }
}

/// Largest step from one sample to the next.
func largestStep(_ signal: [Float]) -> Float {
  zip(signal, signal.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) }
}
