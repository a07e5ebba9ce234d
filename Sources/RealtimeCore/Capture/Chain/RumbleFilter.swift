/// The high-pass filter before the processors, switched by a fade. Further microphones get the same, with the same fade, so that all stay
/// in phase. Cost: a section a block and microphone. [realtime] except `init` and `deinit`.
struct RumbleFilter: ~Copyable {
  private let block: Int
  /// The main microphone's, and those of the further ones.
  private var section: Biquad
  private let sections: Buffer<Biquad>
  private let further: Int
  private var fade: Crossfade
  /// A microphone without rumble, while the filter is switched off.
  private let rumbleFree: Samples

  /// - Parameter further: microphones besides the main one.
  init(_ time: BlockTime, further: Int) {
    block = time.frames
    section = .rumble(rate: time.rate)
    self.further = further
    sections = Buffer(repeating: .rumble(rate: time.rate), count: max(1, further))
    fade = Crossfade(frames: time.frames, weight: 1)
    rumbleFree = Samples(time.frames)
  }

  /// Filters a block of the main microphone in place if it `isOn`, and one of each further microphone, one after another. Returns the main
  /// one's after the filter, whether that is on or not. Valid until the samples are changed, or the next call.
  @_noLocks @_noAllocation
  mutating func process(
    _ samples: UnsafeMutablePointer<Float>, others: UnsafeMutablePointer<Float>? = nil, isOn: Bool
  ) -> UnsafePointer<Float> {
    let isSettled = isOn && fade.weight == 1
    if let others {
      let sections = sections.start
      for i in 0..<further {
        let start = others + i * block
        var fade = fade
        if isSettled {
          sections[i].process(start, into: start, frames: block)
        } else {
          sections[i].process(start, into: rumbleFree.start, frames: block)
          fade.blend(wet: rumbleFree.start, dry: start, into: start, frames: block, isOn: isOn)
        }
      }
    }
    if isSettled {
      section.process(samples, into: samples, frames: block)
      return UnsafePointer(samples)
    }
    section.process(samples, into: rumbleFree.start, frames: block)
    fade.blend(wet: rumbleFree.start, dry: samples, into: samples, frames: block, isOn: isOn)
    return UnsafePointer(rumbleFree.start)
  }
}
