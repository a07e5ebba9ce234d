internal import CRealtime

/// Mixes a microphone's channels to one: the mean of those that are to be heard, over 20 ms where they change; in stereo to a left and a
/// right one, the first two of them (V16). Passes them on apart where they are to be heard as an array. [realtime] except `init`.
///
/// A microphone's echo path changes with them, so a change is rare: a channel is left out once a few hundredths of a second show that it
/// harms, and comes back when it has been good for half a second of speech, or at once if it is the best.
struct InputMix: ~Copyable {
  /// Whether the channels that are heard changed in the last cycle: the echo path is another one.
  private(set) var hasChanged = false
  /// The place in `array` of the channel that has changed places with the first since the last cycle; 0 for none.
  var placeOfFormerLead: Int {
    @_noLocks @_noAllocation get { lead.placeOfFormer }
  }
  /// The channels of an array, `arrayCount` of them, nil where one is not to be heard now; valid in this cycle. The first one leads, and
  /// works; the others stay where they are.
  let array: UnsafePointer<UnsafePointer<Float>?>
  /// Channels that are to be heard as an array; 1 for their mean.
  private(set) var arrayCount = 1
  /// Whether what the last cycle returned is the first of them, if only in part, and the others are to be heard with it.
  var isArray: Bool {
    @_noLocks @_noAllocation get { arrayShare > 0 }
  }
  /// How far the first of the array is heard in place of the mean, 0…1.
  private var arrayShare: Float = 0
  private var lead = ArrayLead()
  /// How far the former lead is still heard in place of the lead, 1…0.
  private var formerShare: Float = 0
  /// Whether the array's lead is heard without the others.
  private var hearsLeadAlone = false

  private let cells: InputCells
  private let readings: UnsafeMutablePointer<InputReadings>
  private let publishing: SequenceCell
  private let watches: Buffer<InputWatch>
  private let verdicts: Buffer<InputVerdict>
  /// Each channel's gain now, and the one that it moves to; in stereo those on the left.
  private let gains, targets: Samples
  private let arrayMemory: Buffer<UnsafePointer<Float>?>
  /// The same of the right.
  private let rightGains, rightTargets: Samples
  /// Whether left and right are wanted apart, and whether the right was mixed in the last cycle.
  private var isStereo = false
  private var mixesRight = false
  private let clean, mixed, best: Samples
  private let pristine = InputWatch()
  private let nothing = InputReadings()
  private var isBegun = false
  private var restarts: UInt64 = 0
  private var rate = 0
  /// Frames of a window, and of it so far.
  private var window = 0
  private var gathered = 0
  /// The best channel.
  private var first = 0
  /// Windows in which somebody talked, until they are enough.
  private var voicedWindows = 0
  /// Windows since the far end was last heard to play.
  private var quietWindows = 0
  private var heard: UInt32 = 0
  /// Whether these are two, left and right.
  private var isApart = false

  @_noLocks @_noAllocation
  static func has(_ channels: UInt32, _ channel: Int) -> Bool { channels & 1 << UInt32(channel) != 0 }

  private static var enough: Int {
    @_noLocks @_noAllocation get { 8 }
  }
  private static var most: Int {
    @_noLocks @_noAllocation get { 32 }
  }

  init(_ inputs: MicrophoneInputs) {
    cells = inputs.cells
    readings = inputs.readings.draft
    publishing = inputs.readings.cell
    watches = Buffer(repeating: pristine, count: Self.most)
    verdicts = Buffer(repeating: InputVerdict(), count: Self.most)
    gains = Samples(Self.most)
    targets = Samples(Self.most)
    let arrayMemory = Buffer<UnsafePointer<Float>?>(repeating: nil, count: InputCells.mostOfArray)
    array = UnsafePointer(arrayMemory.start)
    self.arrayMemory = arrayMemory
    rightGains = Samples(Self.most)
    rightTargets = Samples(Self.most)
    clean = Samples(CycleProcessor.maximumQuantum)
    mixed = Samples(CycleProcessor.maximumQuantum)
    best = Samples(CycleProcessor.maximumQuantum)
  }

  /// Returns the mean of the channels that are heard, or the left one; nil if none is linked. Samples that are NaN, infinite or beyond ±8
  /// count as silence.
  ///
  /// - Parameters:
  ///   - channels: one for each channel, nil where nothing is linked.
  ///   - count: of them, at most 32.
  ///   - right: receives the right one, where the voice has two channels; nil where it is mono.
  ///   - wantsArray: whether an array's first channel is to be returned, over 20 ms, in place of the mean.
  ///   - beamforms: whether the others of the array are heard with it.
  ///   - isFarEndActive: whether the speaker plays: what is heard may be echo.
  @_noLocks @_noAllocation
  mutating func process(
    _ channels: UnsafePointer<UnsafePointer<Float>?>, count: Int, right: UnsafeMutablePointer<Float>? = nil, wantsArray: Bool = false,
    beamforms: Bool = true, isFarEndActive: Bool, frames: Int, rate: Int
  ) -> UnsafePointer<Float>? {
    let mode = rt_flush_denormals()
    defer { rt_restore_denormals(mode) }
    let linked = linkedChannels(channels, count)
    // What the pointers of the cycle before lead to may be freed: it is another filter's, where the daemon has come back.
    forgetArray()
    hasChanged = false
    if linked == 0 {
      formerShare = 0
      return nil
    }
    (isStereo, hearsLeadAlone) = (right != nil, wantsArray && !beamforms)
    let isNew = !isBegun || rate != self.rate || restarts != cells.restarts.load()
    if isNew {
      begin(rate: rate)
      choose(linked, count: count)
      tell(linked, count: count)
    }
    if isStereo != mixesRight {
      mixesRight = isStereo
      choose(linked, count: count)
      // What is heard on the right so far is not from here.
      for channel in 0..<Self.most { rightGains[channel] = rightTargets[channel] }
    }
    if !Self.has(linked, first) {
      first = 0
      while !Self.has(linked, first) { first += 1 }
    }
    clear(mixed.start, frames: frames)
    if let right { clear(right, frames: frames) }
    var done = 0
    while done < frames {
      let part = min(frames - done, window - gathered)
      // The best first: the others are compared with it.
      mix(channels, first, into: right, from: done, frames: part)
      for channel in 0..<count where channel != first && Self.has(linked, channel) {
        mix(channels, channel, into: right, from: done, frames: part)
      }
      done += part
      gathered += part
      if gathered < window { continue }
      gathered = 0
      endWindow(linked, count: count, isFarEndActive: isFarEndActive)
    }
    passOn(channels, linked, count: count)
    fade(channels, count: count, toArray: wantsArray && arrayCount > 1, isAtOnce: isNew, frames: frames)
    return UnsafePointer(mixed.start)
  }

  /// A Boolean value indicating whether the setting wants two channels apart. [realtime]
  var wantsTwo: Bool { @_noLocks @_noAllocation get { InputCells.wantsTwo(cells.choice.load()) } }

  /// Reports that the microphone has no several channels now. [realtime]
  @_noLocks @_noAllocation
  mutating func markIdle() {
    guard isBegun else { return }
    (isBegun, heard, arrayCount, arrayShare, mixesRight) = (false, 0, 1, 0, false)
    forgetArray()
    lead.begin()
    readings.pointee = nothing
    publishing.publish()
  }

  @_noLocks @_noAllocation
  private mutating func forgetArray() { for place in 0..<InputCells.mostOfArray { arrayMemory.start[place] = nil } }

  @_noLocks @_noAllocation
  private mutating func begin(rate: Int) {
    (self.rate, window, gathered) = (rate, max(1, rate / 100), 0)
    (isBegun, restarts, heard) = (true, cells.restarts.load(), 0)
    (first, voicedWindows, quietWindows) = (0, 0, 1_000)
    formerShare = 0
    lead.begin()
    for channel in 0..<Self.most {
      watches.start[channel] = pristine
      verdicts.start[channel] = InputVerdict()
      (gains[channel], targets[channel]) = (0, 0)
      (rightGains[channel], rightTargets[channel]) = (0, 0)
    }
  }

  @_noLocks @_noAllocation
  private func linkedChannels(_ channels: UnsafePointer<UnsafePointer<Float>?>, _ count: Int) -> UInt32 {
    var linked: UInt32 = 0
    for channel in 0..<min(count, Self.most) where channels[channel] != nil { linked |= 1 << UInt32(channel) }
    return linked
  }

  /// Watches a part of one channel, and adds it to the mix.
  @_noLocks @_noAllocation
  private mutating func mix(
    _ channels: UnsafePointer<UnsafePointer<Float>?>, _ channel: Int, into right: UnsafeMutablePointer<Float>?, from start: Int, frames: Int
  ) {
    guard let samples = channels[channel] else { return }
    for i in 0..<frames {
      let x = samples[start + i]
      clean[i] = abs(x) <= 8 ? x : 0
    }
    let watch = watches.start + channel
    watch.pointee.measure(
      clean.start, frames: frames, InputWatch.Filters(rate: rate), isBest: channel == first, best: best.start)
    gains[channel] = add(to: mixed + start, gain: gains[channel], target: targets[channel], frames: frames)
    guard let right else { return }
    rightGains[channel] = add(to: right + start, gain: rightGains[channel], target: rightTargets[channel], frames: frames)
  }

  /// Adds the clean samples to one side, and returns the gain then.
  @_noLocks @_noAllocation
  private func add(to side: UnsafeMutablePointer<Float>, gain: Float, target: Float, frames: Int) -> Float {
    if gain == target {
      if gain == 0 { return gain }
      for i in 0..<frames { side[i] += gain * clean[i] }
      return gain
    }
    let step = 50 / Float(rate)
    var gain = gain
    for i in 0..<frames {
      gain = target > gain ? min(target, gain + step) : max(target, gain - step)
      side[i] += gain * clean[i]
    }
    return gain
  }

  @_noLocks @_noAllocation
  private mutating func endWindow(_ linked: UInt32, count: Int, isFarEndActive: Bool) {
    let watches = watches.start, verdicts = verdicts.start
    var isActive = false, isTalking = false, loudest: Float = 0
    for channel in 0..<count where Self.has(linked, channel) {
      watches[channel].endWindow(frames: window)
      isActive = isActive || watches[channel].isActive
      loudest = max(loudest, watches[channel].power)
    }
    for channel in 0..<count where Self.has(linked, channel) && watches[channel].hasVoice(like: watches[first]) {
      isTalking = isTalking || watches[channel].isTalking
    }
    quietWindows = isFarEndActive ? 0 : min(quietWindows + 1, 1_000)
    let isPlayed = quietWindows <= 30, isVoiced = isActive && !isPlayed
    if isVoiced { voicedWindows = min(voicedWindows + 1, Self.enough) }
    for channel in 0..<count where Self.has(linked, channel) {
      if isVoiced { watches[channel].noteVoice() }
      watches[channel].compare(with: watches[first], loudest: loudest, isActive: isActive, isVoiced: isTalking)
    }
    let isKnown = voicedWindows == Self.enough
    chooseBest(linked, count: count, isKnown: isKnown)
    for channel in 0..<count where Self.has(linked, channel) {
      verdicts[channel].update(
        watches[channel], best: watches[first], isBest: channel == first,
        .init(isActive: isActive, isPlayed: isPlayed, isKnown: isKnown))
    }
    if isVoiced, isKnown, lead.channel >= 0 { lead.compare(watches[lead.channel], with: watches[first]) }
    choose(linked, count: count)
    tell(linked, count: count)
  }

  /// The channel that the others are compared with: another one only if it is 3 dB better. One that is its inverse takes its place only
  /// where it fails: until the former is left out, the two would cancel each other.
  @_noLocks @_noAllocation
  private mutating func chooseBest(_ linked: UInt32, count: Int, isKnown: Bool) {
    var next = first, most = 2 * score(first, isKnown: isKnown)
    for channel in 0..<count where channel != first && Self.has(linked, channel) {
      let score = score(channel, isKnown: isKnown)
      if score > (verdicts.start[channel].use.isSame(as: .opposite) ? 1_000 * most : most) { (next, most) = (channel, score) }
    }
    first = next
  }

  @_noLocks @_noAllocation
  private func score(_ channel: Int, isKnown: Bool) -> Float {
    let watch = watches.start[channel]
    if watch.clippedShare > 1e-3 { return 1e-6 * watch.level }
    // One that has died falls back at once, though its loudest voice is not forgotten.
    if watch.isEmpty { return 0 }
    return isKnown ? watch.worth : watch.level
  }

  /// Sets the gains' targets by the setting and the verdicts.
  @_noLocks @_noAllocation
  private mutating func choose(_ linked: UInt32, count: Int) {
    let choice = cells.choice.load()
    var next = choice >> 32 == 1 ? linked : InputCells.named(choice, among: linked)
    // Those that work, also where none of those that were chosen is there.
    if next == 0 {
      for channel in 0..<count where Self.has(linked, channel) && verdicts.start[channel].use.isSame(as: .heard) {
        next |= 1 << UInt32(channel)
      }
    }
    if next == 0 { next = linked }
    let pair = isStereo && choice >> 32 != 1 ? firstTwo(next) : 0
    if pair != 0 { next = pair }
    let isFirst = heard == 0
    if next == heard, (pair != 0) == isApart { return }
    hasChanged = hasChanged || !isFirst
    (heard, isApart) = (next, pair != 0)
    var number: Float = 0
    for channel in 0..<Self.most where Self.has(next, channel) { number += 1 }
    let left = isApart ? next & (~next &+ 1) : next, right = isApart ? next & ~left : next
    for channel in 0..<Self.most {
      targets[channel] = Self.has(left, channel) ? (isApart ? 1 : 1 / number) : 0
      rightTargets[channel] = Self.has(right, channel) ? (isApart ? 1 : 1 / number) : 0
      if isFirst { (gains[channel], rightGains[channel]) = (targets[channel], rightTargets[channel]) }
    }
  }

  /// Passes the channels on that are to be heard as an array.
  @_noLocks @_noAllocation
  private mutating func passOn(_ channels: UnsafePointer<UnsafePointer<Float>?>, _ linked: UInt32, count: Int) {
    let choice = cells.choice.load(), candidates = InputCells.candidates(choice, among: linked)
    arrayCount = InputCells.arrayCount(choice, of: candidates.nonzeroBitCount)
    if arrayCount == 1 {
      // The former lead fades out.
      if lead[0] < count { arrayMemory.start[0] = channels[lead[0]] }
      return lead.begin()
    }
    lead.update(candidates, heard: heard, best: first)
    if lead.placeOfFormer > 0 { formerShare = 1 }
    for place in 0..<arrayCount {
      let channel = lead[place]
      arrayMemory.start[place] = Self.has(heard, channel) ? channels[channel] : nil
    }
  }

  /// Puts the first of the array in place of the mean, or back, and another one in place of the first, over 20 ms.
  @_noLocks @_noAllocation
  private mutating func fade(
    _ channels: UnsafePointer<UnsafePointer<Float>?>, count: Int, toArray isWanted: Bool, isAtOnce: Bool, frames: Int
  ) {
    let target: Float = isWanted ? 1 : 0, step = 50 / Float(rate)
    if isAtOnce { (arrayShare, formerShare) = (target, 0) }
    if arrayShare == 0, !isWanted { return formerShare = 0 }
    let main = array[0], former = formerShare > 0 && lead.former < count ? channels[lead.former] : nil, mixed = mixed.start
    for i in 0..<frames {
      arrayShare = target > arrayShare ? min(target, arrayShare + step) : max(target, arrayShare - step)
      formerShare = max(0, formerShare - step)
      let x = Self.clean(main, i), y = formerShare > 0 ? x + formerShare * (Self.clean(former, i) - x) : x
      mixed[i] += arrayShare * (y - mixed[i])
    }
  }

  @_noLocks @_noAllocation
  private static func clean(_ samples: UnsafePointer<Float>?, _ index: Int) -> Float {
    guard let x = samples?[index] else { return 0 }
    return abs(x) <= 8 ? x : 0
  }

  /// The first two channels of a set; none if it has fewer.
  @_noLocks @_noAllocation
  private func firstTwo(_ channels: UInt32) -> UInt32 {
    let rest = channels & (channels &- 1)
    return rest == 0 ? 0 : channels ^ (rest & (rest &- 1))
  }

  /// Publishes what is known of each channel.
  @_noLocks @_noAllocation
  private mutating func tell(_ linked: UInt32, count: Int) {
    var told = nothing
    told.count = UInt8(count)
    let isChosen = InputCells.named(cells.choice.load(), among: linked) != 0
    for channel in 0..<count where Self.has(linked, channel) {
      let isHeard = Self.has(heard, channel) && !(hearsLeadAlone && arrayCount > 1 && channel != lead.channel)
      let use = verdicts.start[channel].use
      told.levels[channel] = watches.start[channel].peak
      // In stereo, the third one works as well; without a beam, all but the lead.
      told.uses[channel] = (isHeard ? InputUse.heard : isChosen || use.isSame(as: .heard) ? .unchosen : use).code
    }
    readings.pointee = told
    publishing.publish()
  }
}
