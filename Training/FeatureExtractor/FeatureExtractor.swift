import Foundation
import RealtimeCore

/// What the suppressor's network learns from, and what it says; both from standard input to standard output.
///
///     FeatureExtractor records RATE FRAMES
///     FeatureExtractor run WEIGHTS
///
/// `records` turns mixtures into `TrainingRecorder`'s records. A mixture is four tracks of FRAMES 16-bit samples: microphone, far end, near
/// end, near end and noise. Records are 32-bit floats, after two 32-bit integers: the values of the network's input, and the bins of each
/// spectrum. `run` turns such inputs into outputs, with weights from a file.
@main enum FeatureExtractor {
  static let tracks = 4

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst()), numbers = arguments.dropFirst().compactMap { Int($0) }
    if arguments.count == 3, arguments[0] == "records", numbers.count == 2, (16_000...192_000).contains(numbers[0]), numbers[1] > 0 {
      record(rate: numbers[0], frames: numbers[1])
    } else if arguments.count == 2, arguments[0] == "run", let weights = FileManager.default.contents(atPath: arguments[1]) {
      run([UInt8](weights))
    } else {
      FileHandle.standardError.write(
        Data("usage: FeatureExtractor records RATE FRAMES, with a rate of 16000 to 192000 Hz; or run WEIGHTS, a file that exists\n".utf8))
      exit(64)
    }
  }

  private static func record(rate: Int, frames: Int) {
    write([Int32(TrainingRecorder.inputs), Int32(TrainingRecorder(rate: rate).bins)])
    var samples = [Int16](repeating: 0, count: tracks * frames)
    while fill(&samples) { write(records(of: samples, frames: frames, rate: rate)) }
  }

  private static func run(_ weights: [UInt8]) {
    var network = NetworkTrial(weights: weights), features = [Float](repeating: 0, count: NetworkTrial.inputs)
    while fill(&features) { write(network.run(features)) }
  }

  private static func records(of samples: [Int16], frames: Int, rate: Int) -> [Float] {
    var recorder = TrainingRecorder(rate: rate)
    let hop = recorder.hop, steps = frames / hop / TrainingRecorder.period
    var records = [Float](repeating: 0, count: steps * recorder.count), block = [Float](repeating: 0, count: tracks * hop), step = 0
    for start in stride(from: 0, through: steps * TrainingRecorder.period * hop - hop, by: hop) {
      for track in 0..<tracks {
        for i in 0..<hop { block[track * hop + i] = Float(samples[track * frames + start + i]) / 32_768 }
      }
      let isWritten = block.withUnsafeBufferPointer { tracks in
        records.withUnsafeMutableBufferPointer { records in
          let first = tracks.baseAddress!
          return recorder.process(
            first, far: first + hop, near: first + 2 * hop, noisy: first + 3 * hop, into: records.baseAddress! + step * recorder.count)
        }
      }
      if isWritten { step += 1 }
    }
    return records
  }

  /// Returns false at the end of the input.
  private static func fill<Value: BitwiseCopyable>(_ values: inout [Value]) -> Bool {
    values.withUnsafeMutableBytes { bytes in
      var filled = 0
      while filled < bytes.count {
        let count = read(STDIN_FILENO, bytes.baseAddress! + filled, bytes.count - filled)
        if count <= 0 { return false }
        filled += count
      }
      return true
    }
  }

  private static func write<Value: BitwiseCopyable>(_ values: [Value]) {
    values.withUnsafeBytes { FileHandle.standardOutput.write(Data($0)) }
  }
}
