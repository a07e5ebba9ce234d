import Foundation
import RealtimeCore
import SessionModel
import Synchronization

extension Call {
  /// Creates the call's buffer for the PCM of the far end, which is mixed with that of other calls. One per call.
  /// - Parameters:
  ///   - sampleRate: Hz of what will be written, 8000–192000.
  ///   - channels: 1, played on both sides, or 2.
  ///   - bufferDuration: the buffer's capacity. Playback starts once half of it, or 0.1 s, is filled.
  /// - Throws: `OutputError`; nothing has changed then.
  public func makeOutput(
    sampleRate: Int = 48_000, channels: Int = 1, bufferDuration: Duration = .milliseconds(200)
  ) throws(OutputError) -> Output {
    let buffer = try OutputBuffer(sampleRate: sampleRate, channels: channels, duration: bufferDuration)
    let output = try whileJoined { () throws(OutputError) in
      let refusal: SessionRefusal?
      do throws(SinkError) { refusal = try owner.makeSink(id: id, format: buffer.format, capacityBytes: buffer.bytes) } catch {
        throw OutputError(error, id: id)
      }
      if let refusal { throw OutputError(refusal, id: id) }
      return Output(self, buffer)
    }
    guard let output else { throw .callEnded(id: id) }
    return output
  }

  /// The output of a call: a handle, which ends with its last reference, with its call, or by `end()`. Accepts interleaved 16-bit PCM.
  /// [any]
  ///
  /// ```swift
  /// let output = try call.makeOutput(sampleRate: 16_000)
  /// // Refused whole where it does not fit: the writer is early, and drops the frame.
  /// do throws(WriteError) { try output.write(frame) } catch {
  ///   guard case .full = error else { throw error }
  ///   early += 1
  /// }
  /// // Waits for room instead.
  /// try await output.play(wholeFile)
  /// ```
  ///
  /// The buffer is bounded, and never overwritten: a write that does not fit is refused whole, and accepted audio is played at the writer's
  /// own speed, however far its clock is off.
  public final class Output: Sendable {
    /// The call that it belongs to.
    public let call: Call
    /// Hz.
    public var sampleRate: Int { buffer.format.sampleRate }
    /// 1, or 2.
    public var channels: Int { buffer.format.channelCount }
    /// The buffer's capacity.
    public var bufferDuration: Duration { buffer.duration }

    private let buffer: OutputBuffer
    private let ended = Atomic(false)
    private var owner: SessionOwner { call.owner }

    fileprivate init(_ call: Call, _ buffer: OutputBuffer) { (self.call, self.buffer) = (call, buffer) }

    deinit { end() }

    /// A Boolean value indicating whether it, or its call, has ended.
    public var hasEnded: Bool { ended.load(ordering: .acquiring) || call.hasEnded }

    /// Ends the output with a fade-out. The call may then create another one. Idempotent.
    public func end() {
      guard !ended.exchange(true, ordering: .acquiringAndReleasing) else { return }
      _ = call.whileJoined { owner.removeSink(id: call.id) }
    }

    // MARK: Writing

    /// Writes interleaved samples, whole or not at all. Never blocks.
    /// - Parameter samples: a whole number of frames.
    /// - Throws: `WriteError`; nothing is written then.
    public func write(_ samples: [Int16]) throws(WriteError) {
      let result = samples.withUnsafeBytes { bytes in Result { () throws(WriteError) in try write(bytes) } }
      try result.get()
    }

    /// Writes interleaved native-endian 16-bit samples, whole or not at all. Never blocks.
    /// - Parameter data: a whole number of frames.
    /// - Throws: `WriteError`; nothing is written then.
    public func write(_ data: Data) throws(WriteError) {
      let result = data.withUnsafeBytes { bytes in Result { () throws(WriteError) in try write(bytes) } }
      try result.get()
    }

    /// Writes interleaved native-endian 16-bit samples, whole or not at all. Never blocks.
    /// - Parameter bytes: a whole number of frames.
    /// - Throws: `WriteError`; nothing is written then.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(WriteError) {
      try buffer.check(bytes.count)
      try WriteError.check(hasEnded ? nil : owner.write(bytes, to: call.id), id: call.id)
    }

    /// Writes any number of interleaved samples, piece by piece as soon as there is room: for a source faster than real time, such as a
    /// file. Waits while the session is interrupted.
    /// - Parameter samples: a whole number of frames.
    /// - Throws: `WriteError`, also `.cancelled`; earlier pieces remain written.
    public func play(_ samples: [Int16]) async throws(WriteError) {
      try buffer.check(samples.count * 2)
      // A quarter of the buffer, in whole frames.
      let piece = max(1, buffer.bytes / buffer.format.bytesPerFrame / 4) * channels
      var written = 0
      while written < samples.count {
        let next = Array(samples[written..<min(written + piece, samples.count)])
        if hasRoom(for: next.count), try isWritten(next) { written += next.count } else { try await waitForRoom() }
      }
    }

    private func isWritten(_ samples: [Int16]) throws(WriteError) -> Bool {
      do throws(WriteError) { try write(samples) } catch {
        if error == .full { return false }
        throw error
      }
      return true
    }

    /// Checked before each write, so that waiting does not count as dropping.
    private func hasRoom(for samples: Int) -> Bool {
      guard let room = owner.room(ofSink: call.id) else { return true }
      return room >= samples * 2
    }

    private func waitForRoom() async throws(WriteError) {
      do { try await Task.sleep(for: max(.milliseconds(1), bufferDuration / 16)) } catch { throw .cancelled }
    }

    // MARK: Levels

    /// The duration of the audio in the buffer.
    public var buffered: Duration {
      guard !hasEnded, let room = owner.room(ofSink: call.id) else { return .zero }
      return max(.zero, bufferDuration - buffer.duration(ofBytes: room))
    }

    /// State, levels and counters; nil once it has ended. Waits for the graph's control thread, never for audio.
    public var status: OutputStatus? { hasEnded ? nil : owner.status(ofSink: call.id).map { OutputStatus($0) } }

    /// Sets the linear gain, 0–4 (clamped), with a ramp. Default 1.
    /// - Parameter gain: NaN is ignored.
    public func setGain(_ gain: Double) { _ = call.whileJoined { owner.setGain(gain, ofSink: call.id) } }

    /// Mutes the output, with a ramp; its buffer continues to be read. Default false.
    /// - Parameter isMuted: whether it is silent.
    public func setMuted(_ isMuted: Bool) { _ = call.whileJoined { owner.setMuted(isMuted, ofSink: call.id) } }

    /// Sets the RTP SSRC of the stream that feeds it, for diagnostics and telemetry.
    /// - Parameter ssrc: as negotiated.
    public func setSSRC(_ ssrc: UInt32) { _ = call.whileJoined { owner.setSSRC(ssrc, ofSink: call.id) } }
  }
}
