internal import CSampleRate

/// Converts a whole mono signal by `ratio`, output rate by input rate, with libsamplerate.
func resample(_ input: [Float], ratio: Double) throws -> [Float] {
  guard let resampler = rt_resampler_create(1) else { throw SessionError(.system, "making a resampler: out of memory") }
  defer { rt_resampler_destroy(resampler) }
  rt_resampler_jump(resampler, ratio)
  let wanted = Int(Double(input.count) * ratio)
  // The filter outputs its last samples only when more input follows.
  let padded = input + [Float](repeating: 0, count: 4_096)
  var output = [Float](repeating: 0, count: wanted)
  var (read, written) = (0, 0)
  while written < wanted {
    var used = 0
    let made = padded[read...].withUnsafeBufferPointer { source in
      output[written...].withUnsafeMutableBufferPointer { destination in
        rt_resampler_process(resampler, source.baseAddress, source.count, destination.baseAddress, destination.count, ratio, &used)
      }
    }
    guard made >= 0, made > 0 || used > 0 else { throw SessionError(.system, "resampling by \(ratio): libsamplerate refuses") }
    read += used
    written += made
  }
  return output
}
