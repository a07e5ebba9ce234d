import Foundation
internal import SoundFileLibrary

/// Writes a WAV file of one channel or two.
final class WaveOutput {
  private let pending: PendingFile
  private let type: SampleType
  private let channels: Int
  private var file: OpaquePointer?

  /// - Parameters:
  ///   - rate: Hz.
  ///   - channels: 1 or 2.
  ///   - frames: the final number of frames; beyond 4 GiB the file becomes RF64.
  /// - Throws: `OfflineError.output`.
  init(path: String, rate: Int, channels: Int, type: SampleType, frames: Int) throws(OfflineError) {
    pending = try PendingFile(path: path)
    (self.type, self.channels) = (type, channels)
    var info = SF_INFO()
    info.samplerate = Int32(rate)
    info.channels = Int32(channels)
    info.format = (frames * channels * type.bytes > 4_000_000_000 ? Int32(SF_FORMAT_RF64) : Int32(SF_FORMAT_WAV)) | type.format
    file = sf_open_fd(pending.descriptor, Int32(SFM_WRITE), &info, 0)
    guard file != nil else { throw .output(file: path, reason: String(cString: sf_strerror(nil))) }
    // The chunk would contain the time of day.
    _ = sf_command(file, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, 0)
  }

  deinit { if let file { sf_close(file) } }

  /// Writes samples, of two channels interleaved. Integers are clipped to full scale. An unchanged sample from a file of 16 or 24 bits or
  /// floats is written exactly as it was.
  /// - Throws: `OfflineError.output`.
  func write(_ samples: UnsafeBufferPointer<Float>) throws(OfflineError) {
    guard let base = samples.baseAddress, !samples.isEmpty else { return }
    let count = sf_count_t(samples.count / channels)
    let written =
      switch type {
      case .float: sf_writef_float(file, base, count)
      case .pcm16: sf_writef_short(file, samples.map { Int16(clamping: Int(($0 * 32_768).rounded())) }, count)
      case .pcm24: sf_writef_int(file, samples.map { Int32(clamping: Int((Double($0) * 8_388_608).rounded()) << 8) }, count)
      case .pcm32: sf_writef_int(file, samples.map { Int32(clamping: Int((Double($0) * 2_147_483_648).rounded())) }, count)
      }
    guard written == count else { throw .output(file: pending.path, reason: String(cString: sf_strerror(file))) }
  }

  /// Completes the file and moves it into place. - Throws: `OfflineError.output`.
  func finish() throws(OfflineError) {
    let status = sf_close(file)
    file = nil
    guard status == 0 else { throw .output(file: pending.path, reason: String(cString: sf_error_number(status))) }
    try pending.finish()
  }
}
