/// What becomes of the echo's path: that it is another one, also by another lead of an array, or that the speaker's volume has changed.
/// Hands each on once.
/// [realtime] except `init`.
struct EchoPathNews {
  /// What is new since the last cycle.
  struct Item {
    let isAnother: Bool
    /// The place of the one of an array's microphones that has changed places with the first; 0 for none.
    let placeOfFormerLead: Int
    /// By which the speaker's volume has changed; nil if it has not.
    let factor: Float?

    @_noLocks @_noAllocation
    init(isAnother: Bool, placeOfFormerLead: Int, factor: Float?) {
      (self.isAnother, self.placeOfFormerLead, self.factor) = (isAnother, placeOfFormerLead, factor)
    }
  }

  /// The number of changes seen so far, and the speaker's gain that the chain knows of.
  private var changes, leads: UInt64
  private var gain: Double

  init(_ controls: CaptureControlCells) {
    changes = controls.pathChanges.load()
    leads = controls.leadChanges.load()
    gain = controls.speakerGain.load()
  }

  @_noLocks @_noAllocation
  mutating func next(_ controls: CaptureControlCells) -> Item {
    let (newest, wanted) = (controls.pathChanges.load(), controls.speakerGain.load())
    let newestLead = controls.leadChanges.load()
    let item = Item(
      isAnother: newest != changes, placeOfFormerLead: newestLead != leads ? Int(newestLead & 7) : 0,
      factor: wanted != gain ? Float(wanted / gain) : nil)
    (changes, leads, gain) = (newest, newestLead, wanted)
    return item
  }
}
