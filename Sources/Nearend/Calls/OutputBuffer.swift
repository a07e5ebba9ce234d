import RealtimeCore

/// The buffer of an output, as asked for, and checked.
struct OutputBuffer: Sendable {
  let format: SinkFormat
  private let frames: Int

  init(sampleRate: Int, channels: Int, duration: Duration) throws(OutputError) {
    do throws(SinkError) { format = try SinkFormat(sampleRate: sampleRate, channelCount: channels) } catch {
      throw OutputError(error, id: "")
    }
    let frames = (duration / .seconds(1) * Double(sampleRate)).rounded()
    guard frames >= 1, frames * Double(format.bytesPerFrame) <= Double(RingSink.maximumCapacityBytes) else {
      throw .impossibleBufferDuration(duration)
    }
    self.frames = Int(frames)
  }

  var bytes: Int { frames * format.bytesPerFrame }
  var duration: Duration { duration(ofBytes: bytes) }

  /// The time that whole frames take.
  func duration(ofBytes bytes: Int) -> Duration { .frames(bytes / format.bytesPerFrame, rate: format.sampleRate) }

  /// Throws if `bytes` is not a whole number of frames.
  func check(_ bytes: Int) throws(WriteError) {
    guard bytes % format.bytesPerFrame == 0 else { throw .partialFrame(bytes: bytes, bytesPerFrame: format.bytesPerFrame) }
  }
}

extension Duration {
  /// The time that frames take at a rate in Hz.
  static func frames(_ count: Int, rate: Int) -> Duration { rate > 0 ? .seconds(count) / rate : .zero }
}

extension WriteError {
  /// Throws unless everything was written; nil stands for an output that is gone.
  static func check(_ outcome: RingSink.Outcome?, id: String) throws(WriteError) {
    switch outcome {
    case .written: return
    case .dropped: throw .full
    case .refused, nil: throw .ended(id: id)
    }
  }
}
