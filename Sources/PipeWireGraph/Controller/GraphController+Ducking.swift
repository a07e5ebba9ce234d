import PipeWireClient
import SessionModel

/// Ducking of other applications (D3): the graph's side.
extension GraphController {
  /// Updates ducking with whether a call is up and who speaks. Returns true if a call begins or ends. [control]
  @discardableResult
  func updateDucking() -> Bool {
    let (controls, meters) = (core.controls, core.meters.snapshot())
    let isTalking = isInCall && core.isSending && meters.hasVoice && !controls.isMicrophoneMuted
    return ducking.update(
      isCallUp: isInCall && controls.usesVoiceProcessing, near: isTalking, far: isInCall ? core.mixer.speakerRMS : 0)
  }

  /// Restores the volume of other applications, and waits until that is done, less than half a second. [control], not on the loop's own
  /// thread.
  func restoreDuckedStreams() {
    guard attachment != nil else { return }
    ducking.restoreAll()
    while !ducking.isRestored { guard loop.wait(seconds: 0.6) else { return } }
    ducking.wait()
  }
}
