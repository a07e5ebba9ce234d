@testable import RealtimeCore

extension LinearHop {
  /// Zeros that nobody changes, so that all tests may share them.
  nonisolated(unsafe) private static let silence = Samples(16_384)

  /// A hop of a far end whose spectra are silent.
  init(
    residual: UnsafePointer<Float>, echo: UnsafePointer<Float>, uncertainty: UnsafePointer<Float>, repairedPower: Float = 0,
    state: CancellerState
  ) {
    let silence = UnsafePointer(Self.silence.start)
    self.init(
      residual: residual, echo: echo, uncertainty: uncertainty, left: silence, right: silence, farEndGain: 1,
      repairedPower: repairedPower, state: state)
  }
}

extension Suppressor {
  /// Processes one hop of a residual, of which `uncertainty` is expected to be echo, by adapted bin and eight more.
  mutating func process(
    _ residual: [Float], echo: [Float], uncertainty: [Float], repairedPower: Float = 0, state: CancellerState, echoShare: Float = 1,
    noiseShare: Float = 1,
    into output: UnsafeMutablePointer<Float>, open: UnsafeMutablePointer<Float>? = nil
  ) {
    residual.withUnsafeBufferPointer { residual in
      echo.withUnsafeBufferPointer { echo in
        uncertainty.withUnsafeBufferPointer { uncertainty in
          let heard = residual.baseAddress!
          let hop = LinearHop(
            residual: heard, echo: echo.baseAddress!, uncertainty: uncertainty.baseAddress!, repairedPower: repairedPower, state: state)
          process(hop, residual: heard, echoShare: echoShare, noiseShare: noiseShare, into: output, open: open)
        }
      }
    }
  }
}
