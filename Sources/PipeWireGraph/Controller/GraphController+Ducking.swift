import PipeWireClient
import SessionModel

/// Ducking of other applications (D3): the graph's side.
extension GraphController {
  /// The settings of ducking. [any]
  public var duckingSettings: DuckingSettings {
    get { loop.locked { ducking.settings } }
    set { loop.locked { ducking.settings = newValue } }
  }

  func makeDuckingKeeper() -> DuckingKeeper {
    DuckingKeeper(
      loop: loop, left: routes.kept.ducked ?? [],
      hooks: DuckingKeeper.Hooks(
        save: { [unowned self] streams in routes.keep { $0.ducked = streams.isEmpty ? nil : streams } },
        remark: { [unowned self] in tell($0, $1) },
        cycle: { [unowned self] in
          let meters = core.cycleMeters
          return meters.rate > 0 ? Double(meters.quantum) / Double(meters.rate) : 0
        }, restored: { [unowned self] in loop.signal() },
        connect: { [unowned self] handler throws(PipeWireError) in
          try Connection(loop: loop, remote: remote, properties: Self.client, handler: handler)
        }, again: { [unowned self] in dirty.raise() }))
  }

  /// Reports whether a call is up, and who speaks. Returns true if a call begins or ends. [control]
  func hearCall() -> Bool {
    let (controls, meters) = (core.controls, core.meters.snapshot())
    let isTalking = isInCall && core.isSending && meters.hasVoice && !controls.isMicrophoneMuted
    return ducking.hear(
      isCallUp: isInCall && controls.usesVoiceProcessing, near: isTalking, far: isInCall ? core.mixer.speakerRMS : 0)
  }

  /// Waits until others are as loud as before, less than half a second. [control], not on the loop's own thread.
  func bringBackOthers() {
    guard connection != nil else { return }
    ducking.leave()
    while !ducking.isRestored { guard loop.wait(seconds: 0.6) else { return } }
    ducking.wait()
  }
}
