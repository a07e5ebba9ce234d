/// The format that nearend sends and understands: 16-bit linear PCM at 48,000 Hz (RFC 3551, 4.5.11), mono or stereo. [any]
package enum RTPFormat {
  /// Hz.
  package static let rate = 48_000
  /// The payload type of sent packets, as in PipeWire's own module; any dynamic one is received.
  package static let payloadType: UInt8 = 127
  static let payloadTypes: ClosedRange<UInt8> = 96...127
  /// Milliseconds of audio in a sent packet.
  package static let packetTimes = 1...20
  /// Bytes of the largest datagram accepted: 40 ms of two channels.
  package static let largest = 8_192

  /// Returns interleaved samples of two channels; mono is copied to both.
  static func samples(_ payload: UnsafeRawBufferPointer, channels: Int) -> [Int16] {
    func sample(_ index: Int) -> Int16 { Int16(bitPattern: UInt16(payload[2 * index]) << 8 | UInt16(payload[2 * index + 1])) }
    let frames = payload.count / (2 * channels)
    return [Int16](unsafeUninitializedCapacity: 2 * frames) { samples, count in
      for frame in 0..<frames {
        samples[2 * frame] = sample(channels * frame)
        samples[2 * frame + 1] = sample(channels * frame + channels - 1)
      }
      count = 2 * frames
    }
  }
}
