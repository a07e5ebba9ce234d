/// What the control side says of the echo's path: that it is another one, or that the speaker's volume has changed. Hands each on once.
/// [realtime] except `init`.
struct EchoPathNews {
  /// What is new since the last cycle.
  struct Item {
    let isAnother: Bool
    /// By which the speaker's volume has changed; nil if it has not.
    let factor: Float?

    @_noLocks @_noAllocation
    init(isAnother: Bool, factor: Float?) { (self.isAnother, self.factor) = (isAnother, factor) }
  }

  /// The number of changes seen so far, and the speaker's gain that the chain knows of.
  private var changes: UInt64
  private var gain: Double

  init(_ controls: CaptureControlCells) {
    changes = controls.pathChanges.load()
    gain = controls.speakerGain.load()
  }

  @_noLocks @_noAllocation
  mutating func next(_ controls: CaptureControlCells) -> Item {
    let (newest, wanted) = (controls.pathChanges.load(), controls.speakerGain.load())
    let item = Item(isAnother: newest != changes, factor: wanted != gain ? Float(wanted / gain) : nil)
    (changes, gain) = (newest, wanted)
    return item
  }
}
