import RealtimeCore

/// Drives a mixer from inside the fence.
final class RenderDriver {
  let mixer = Mixer()
  var rate = 48_000
  var quantum = 256
  private let inputs: Buffer<StereoInput>
  private let floats: Samples
  private static let longest = 16_384

  init() {
    inputs = Buffer(repeating: StereoInput(left: nil, right: nil), count: Mixer.capacity)
    floats = Samples(4 * Self.longest)
  }

  /// Runs cycles with a square wave of this amplitude from the call and from every connected slot.
  func cycles(_ count: Int, call amplitude: Float? = nil, slots: Range<Int> = 0..<0) {
    cycles(count, call: amplitude, slots: slots, through: onTheAudioThread)
  }

  /// Runs cycles outside the fence.
  func unfencedCycles(_ count: Int, call amplitude: Float? = nil) {
    cycles(count, call: amplitude, slots: 0..<0) { $0() }
  }

  private func cycles(_ count: Int, call amplitude: Float?, slots: Range<Int>, through run: (() -> Void) -> Void) {
    let signal = floats.start
    for i in 0..<Self.longest { signal[i] = (i / 50) % 2 == 0 ? amplitude ?? 0 : -(amplitude ?? 0) }
    let silent = StereoInput(left: nil, right: nil)
    let sounding = StereoInput(left: UnsafePointer(signal), right: UnsafePointer(signal))
    for slot in 0..<Mixer.capacity { inputs.start[slot] = slots.contains(slot) ? sounding : silent }
    let call = amplitude == nil ? silent : sounding
    let path = mixer.renderPath
    let (left, right) = (signal + 2 * Self.longest, signal + 3 * Self.longest)
    let (inputs, frames, rate) = (self.inputs.start, self.quantum, self.rate)
    for _ in 0..<count {
      run {
        path.pointee.process(call: call, graphSinks: inputs, speakerLeft: left, speakerRight: right, frames: frames, rate: rate)
      }
    }
  }

  func ring(_ id: String, rate: Int = 48_000, channels: Int = 1, milliseconds: Int = 200) throws -> RingSink {
    let format = try SinkFormat(sampleRate: rate, channelCount: channels)
    let sink = try RingSink(id: id, format: format, capacityBytes: rate * milliseconds / 1_000 * format.bytesPerFrame)
    try mixer.add(sink)
    return sink
  }
}

extension RingSink {
  /// Writes `milliseconds` of a loud square wave.
  @discardableResult
  func feed(milliseconds: Int) -> Bool {
    let count = format.sampleRate * milliseconds / 1_000 * format.channelCount
    return (0..<count).map { Int16(($0 / 40) % 2 == 0 ? 20_000 : -20_000) }.withUnsafeBytes { write($0) }
  }
}
