internal import CAudioProcessing
import Foundation
import Platform
import RealtimeCore

/// Measures the core alone, without PipeWire: the capture path against the library's own share, and the render path by the number of sinks.
func measureCore() throws -> Table {
  var table = Table(
    title: "The core alone",
    note:
      "Microseconds of processor time per 10 ms of audio at 48 kHz, quantum 256 where there is one, double talk; the least of several passes.",
    columns: ["what", "µs per 10 ms", "of the library alone", "share of one processor"])
  let talk = try Talk().double(seconds: 10)
  func add(_ name: String, _ cost: Double, library: Double?) {
    let ratio = library.map { number(cost / $0, 2) } ?? "–"
    table.rows.append([name, number(cost, cost < 10 ? 2 : 1), ratio, "\(number(cost / 100, 2)) %"])
  }
  progress("core: capture path")
  let echo = try libraryCost(NEAREND_ECHO_CANCELLER, talk)
  let noise = try libraryCost(NEAREND_NOISE_SUPPRESSOR, talk)
  add("\(CapturePath.library): echo canceller", echo, library: nil)
  add("\(CapturePath.library): noise suppressor", noise, library: nil)
  for engine in EchoCanceller.engines {
    add("capture path, \(engine)", try captureCost(talk, engine) { _ in }, library: echo + noise)
    add("capture path, \(engine), bypassed", try captureCost(talk, engine) { $0.isBypassed = true }, library: echo + noise)
  }
  add("capture path, voice processing off", try captureCost(talk, .nearend) { $0.usesVoiceProcessing = false }, library: nil)
  progress("core: render path")
  for count in [0, 1, 2, 8, 32, 128, 512, 1_024] {
    add("render path, \(count) ring sinks of 48 kHz mono", try renderCost(sinks: count, rate: 48_000), library: nil)
  }
  for rate in [16_000, 44_100] { add("render path, 8 ring sinks of \(rate) Hz mono", try renderCost(sinks: 8, rate: rate), library: nil) }
  return table
}

/// Processor time of this thread, in µs.
func processorMicroseconds() -> Double { threadProcessorSeconds() * 1e6 }

/// The minimum of several passes, because other load only adds. The first pass warms up.
func least(of passes: Int = 6, _ pass: () throws -> Double) rethrows -> Double {
  _ = try pass()
  return try (1..<passes).map { _ in try pass() }.min()!
}

func libraryCost(_ kind: nearend_processor_kind, _ talk: (microphone: [Float], far: [Float])) throws -> Double {
  guard let library = WebRTCLibrary.installed else { throw BenchError("\(CapturePathError.libraryMissing)") }
  guard let processor = nearend_processor_create(library.handle, Int32(Talk.rate), kind) else {
    throw BenchError("the library refuses \(Talk.rate) Hz")
  }
  defer { nearend_processor_destroy(processor) }
  let block = Talk.rate / 100
  let blocks = talk.far.count / block
  var output = [Float](repeating: 0, count: block)
  return try least {
    let begin = processorMicroseconds()
    for index in 0..<blocks {
      let isTaken = talk.microphone.withUnsafeBufferPointer { microphone in
        talk.far.withUnsafeBufferPointer { far in
          nearend_processor_analyze_reference(processor, far.baseAddress! + index * block) == 0
            && nearend_processor_process(processor, microphone.baseAddress! + index * block, &output) == 0
        }
      }
      guard isTaken else { throw BenchError("the library refused a block") }
    }
    return (processorMicroseconds() - begin) / Double(blocks)
  }
}

private func captureCost(_ talk: (microphone: [Float], far: [Float]), _ engine: EchoCanceller, set: (CaptureControls) -> Void) throws
  -> Double
{
  let controls = CaptureControls()
  set(controls)
  let meters = SequenceLocked(CaptureMeters())
  var path = try CapturePath(engine: engine, rate: Talk.rate, maximumQuantum: 8_192, controls: controls, meters: meters)
  let quantum = 256
  var voice = [Float](repeating: 0, count: quantum)
  let cycles = talk.far.count / quantum
  let cost = least {
    let begin = processorMicroseconds()
    for cycle in 0..<cycles {
      talk.microphone.withUnsafeBufferPointer { microphone in
        talk.far.withUnsafeBufferPointer { far in
          let reference = far.baseAddress! + cycle * quantum
          path.process(
            microphone: microphone.baseAddress! + cycle * quantum, reference: reference, right: reference, voice: &voice, frames: quantum)
        }
      }
    }
    return (processorMicroseconds() - begin) / (Double(cycles * quantum) / Double(Talk.rate / 100))
  }
  guard meters.snapshot().errors == 0 else { throw BenchError("the library refused a block") }
  return cost
}

/// Microseconds of the render path per 10 ms with `count` ring sinks that play at `rate`.
func renderCost(sinks count: Int, rate: Int) throws -> Double {
  let mixer = Mixer()
  let quantum = 256
  let format = try SinkFormat(sampleRate: rate, channelCount: 1)
  let sinks = try (0..<count).map { try RingSink(id: "\($0)", format: format, capacityBytes: rate / 2 * format.bytesPerFrame) }
  for sink in sinks {
    sink.gain = 1 / Float(max(1, count))
    try mixer.add(sink)
  }
  let packet = (0..<(rate / 50)).map { Int16(8_000 * sin(Double($0) / Double(rate / 50) * 16 * .pi)) }
  let call = [Float](repeating: 0.1, count: quantum)
  var left = [Float](repeating: 0, count: quantum)
  var right = left
  let cycles = count > 100 ? 40 : 500
  let cost = least {
    var spent = 0.0
    for _ in 0..<cycles {
      for sink in sinks where sink.status().fillBytes < rate / 5 * format.bytesPerFrame {
        packet.withUnsafeBytes { bytes in
          while sink.status().fillBytes < rate * 2 / 5 * format.bytesPerFrame, sink.write(bytes) {}
        }
      }
      let begin = processorMicroseconds()
      call.withUnsafeBufferPointer { call in
        mixer.renderPath.pointee.process(
          call: StereoInput(left: call.baseAddress!, right: call.baseAddress!), graphSinks: nil, speakerLeft: &left, speakerRight: &right,
          frames: quantum, rate: Talk.rate)
      }
      spent += processorMicroseconds() - begin
    }
    return spent / (Double(cycles * quantum) / Double(Talk.rate / 100))
  }
  guard sinks.allSatisfy({ $0.status().framesRead > 0 }) else { throw BenchError("a sink did not play") }
  return cost
}
