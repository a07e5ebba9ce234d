/// One cycle of the graph: its clock, and for each linked port a buffer of `frames` samples, at most 8192. Passed by pointer: Swift 6.0's
/// compiler crashes if it is passed by value. [realtime]
package struct CycleBuffers {
  /// The quantum, 32–8192; the outputs of a longer cycle are silent.
  package var frames: Int
  /// Frames per second.
  package var rate: Int
  /// The driver's clock at the start of the cycle, in frames.
  package var position: UInt64
  /// Id of the driver's node.
  package var driver: UInt32
  /// When the cycle began, on CLOCK_MONOTONIC; 0 if that tells nothing, as in files.
  package var nanoseconds: UInt64 = 0
  /// The microphone, if it has one channel; nil if none is linked.
  package var microphone: UnsafePointer<Float>?
  /// The channels of one that has several, `microphoneCount` of them, at most `MicrophoneChannels.most`; nil where none is linked (V15).
  package var microphones: UnsafePointer<UnsafePointer<Float>?>?
  package var microphoneCount = 0
  /// What the real speaker plays.
  package var reference: StereoInput
  /// What applications play into *Nearend Speaker*.
  package var call: StereoInput
  /// Receives the voice, in stereo its left side; nil if nothing is linked.
  package var voice: UnsafeMutablePointer<Float>?
  /// Receives its right side, which is the same while the voice is mono; nil if that is not wanted (V16).
  package var voiceRight: UnsafeMutablePointer<Float>?
  /// Receives the mix; nil if nothing is linked.
  package var speaker: (left: UnsafeMutablePointer<Float>?, right: UnsafeMutablePointer<Float>?)

  /// A cycle without linked ports. [realtime]
  @_noLocks @_noAllocation
  package init(frames: Int, rate: Int, position: UInt64, driver: UInt32) {
    self.frames = frames
    self.rate = rate
    self.position = position
    self.driver = driver
    microphone = nil
    microphones = nil
    reference = StereoInput(left: nil, right: nil)
    call = StereoInput(left: nil, right: nil)
    voice = nil
    voiceRight = nil
    speaker = (nil, nil)
  }
}
