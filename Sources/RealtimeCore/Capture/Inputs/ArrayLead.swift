/// The order of an array's channels, of which the first leads: the voice is as loud as that one hears it, and its echo is found out about
/// first. [realtime] except `init`.
///
/// The lead works, and hears the talker about as well as the best channel. Where it does not, it changes places with another; the others
/// stay where they are. The echo's path and the beam change with it, so it stays otherwise. Own method.
struct ArrayLead: ~Copyable {
  /// The channel that leads; −1 for none so far.
  private(set) var channel = -1
  /// The one that did before the last change.
  private(set) var former = 0
  /// The place to which the lead has gone in the last update; 0 if none has.
  private(set) var placeOfFormer = 0

  /// The channels in their order, and as a set.
  private let order: Buffer<Int>
  private var channels: UInt32 = 0
  private var count = 0
  /// Windows of a voice in a row in which the best channel had much more of it.
  private var softWindows = 0
  private var wasVoiceKnown = false

  init() { order = Buffer(repeating: 0, count: InputCells.mostOfArray) }

  /// The channel at a place, 0 up to the number of channels; after `begin()`, until the next update, still the former one.
  @_noLocks @_noAllocation
  subscript(_ place: Int) -> Int { order.start[place] }

  /// Begins with another microphone.
  @_noLocks @_noAllocation
  mutating func begin() { (channel, channels, placeOfFormer, softWindows, wasVoiceKnown) = (-1, 0, 0, 0, false) }

  /// Compares, after a window of a voice, the lead with the best channel: 9 dB less of the voice are too few, at once when it becomes
  /// known, later after half a second. When it becomes known, 3 dB more noise beside it are too many, too: until then the loudest channel
  /// leads, which may be the noisiest.
  @_noLocks @_noAllocation
  mutating func compare(_ own: InputWatch, with best: InputWatch) {
    let isNew = !wasVoiceKnown
    wasVoiceKnown = true
    if isSoft { return }
    let hasLess = 8 * own.latestVoice < best.latestVoice, isNoisier = isNew && 2 * own.standsOut < best.standsOut
    softWindows = !hasLess && !isNoisier ? 0 : isNew ? Self.manyWindows : softWindows + 1
  }

  private static var manyWindows: Int {
    @_noLocks @_noAllocation get { 50 }
  }
  private var isSoft: Bool {
    @_noLocks @_noAllocation get { softWindows >= Self.manyWindows }
  }

  /// Orders the channels of an array, of which some are heard, and `best` is the best.
  @_noLocks @_noAllocation
  mutating func update(_ channels: UInt32, heard: UInt32, best: Int) {
    placeOfFormer = 0
    if channels != self.channels { arrange(channels) }
    let possible = channels & heard
    if channel >= 0, possible == 0 || InputMix.has(possible, channel) && !isSoft { return }
    softWindows = 0
    var next = best
    if !InputMix.has(possible, best) {
      next = order.start[0]
      for place in (0..<count).reversed() where InputMix.has(possible, order.start[place]) { next = order.start[place] }
    }
    if next == channel { return }
    let place = moveToFront(next)
    if channel >= 0 { (placeOfFormer, former) = (place, channel) }
    channel = next
  }

  /// Takes another choice of channels; the one that leads stays the first.
  @_noLocks @_noAllocation
  private mutating func arrange(_ channels: UInt32) {
    (self.channels, count) = (channels, 0)
    for channel in 0..<32 where InputMix.has(channels, channel) && count < InputCells.mostOfArray {
      order.start[count] = channel
      count += 1
    }
    if channel >= 0, InputMix.has(channels, channel) { _ = moveToFront(channel) } else { channel = -1 }
  }

  /// Lets a channel change places with the first, and returns where it was.
  @_noLocks @_noAllocation
  private func moveToFront(_ channel: Int) -> Int {
    var place = 0
    while place < count - 1, order.start[place] != channel { place += 1 }
    (order.start[place], order.start[0]) = (order.start[0], channel)
    return place
  }
}
