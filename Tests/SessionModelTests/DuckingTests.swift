import SessionModel
import Testing

/// The rules of ducking, in simulated time.
@Suite("Ducking")
struct DuckingTests {
  private let music = StreamVolumes(channels: [0.5, 0.4])

  /// The volumes on the way to a gain, in steps of 10 ms, and the seconds that it takes.
  private func ramp(_ ducking: inout StreamDucking, to target: Double, cycle: Double = 0, isLeaving: Bool = false) -> [StreamDucking.Heard]
  {
    var heard: [StreamDucking.Heard] = []
    while let step = ducking.step(to: target, seconds: 0.01, cycle: cycle, isLeaving: isLeaving) {
      heard.append(step)
      if heard.count > 10_000 { break }
    }
    return heard
  }

  @Test(
    "D3: each level has its decibels; where ducking is advanced, silence takes a third of them",
    arguments: [(DuckingLevel.min, 3.0), (.default, 9), (.mid, 15), (.max, 24)])
  func levels(level: DuckingLevel, decibels: Double) {
    for hasVoice in [false, true] { #expect(DuckingSettings(level: level).gain(hasVoice: hasVoice) == -decibels) }
    #expect(DuckingSettings(level: level, isAdvanced: true).gain(hasVoice: true) == -decibels)
    #expect(DuckingSettings(level: level, isAdvanced: true).gain(hasVoice: false) == -decibels / 3)
  }

  @Test("D3: a stream goes down by 12 dB and up by 8 dB a second, in steps of 0.12 dB at most, and ends exactly as it was set")
  func ramps() throws {
    var ducking = StreamDucking(music, at: 0)
    let down = ramp(&ducking, to: -9)
    #expect(abs(down.count - 75) <= 1)
    guard case .lowered(let lowest)? = down.last else { throw Wrong.end }
    #expect(abs(lowest[0] - 0.5 * 0.354_813_4) < 1e-6 && abs(lowest[1] - 0.4 * 0.354_813_4) < 1e-6)
    var last: Float = 0.5
    for case .lowered(let volumes) in down {
      #expect(volumes[0] < last && volumes[0] / last > 0.986)
      last = volumes[0]
    }
    #expect(!ducking.isMoving(to: -9))
    let up = ramp(&ducking, to: 0)
    #expect(abs(up.count - 113) <= 1)
    #expect(up.last == .asSet)
    #expect(ducking.set == music)
  }

  @Test("D3: with long cycles a stream moves more slowly, by half a dB per cycle at most; when nearend leaves, nobody waits long")
  func longCycles() {
    for (frames, steps) in [(1_024.0, 75), (4_096, 154), (8_192, 307)] {
      var ducking = StreamDucking(music, at: 0)
      #expect(abs(ramp(&ducking, to: -9, cycle: frames / 48_000).count - steps) <= 1)
    }
    var ducking = StreamDucking(music, at: 0)
    _ = ramp(&ducking, to: -24)
    #expect(ramp(&ducking, to: 0, cycle: 0.1, isLeaving: true).count <= 41)
  }

  @Test("D3: a moved volume has the last word: the stream is left alone, and not restored")
  func moved() {
    var ducking = StreamDucking(music, at: 0)
    _ = ramp(&ducking, to: -9)
    ducking.volumesChanged(music, at: 5)
    #expect(!ducking.isLeftAlone, "the same again is no choice")
    ducking.volumesChanged(StreamVolumes(channels: [0.3, 0.3]), at: 6)
    #expect(ducking.isLeftAlone)
    #expect(ramp(&ducking, to: -9).isEmpty && ramp(&ducking, to: 0).isEmpty)
  }

  @Test("D3: volumes set in a stream's first second, or in another order or number of channels, are not a choice")
  func settling() {
    var ducking = StreamDucking(StreamVolumes(channels: [1]), at: 10)
    _ = ducking.step(to: -9, seconds: 0.01)
    ducking.volumesChanged(StreamVolumes(channels: [0.6, 0.6]), at: 10.9)
    #expect(!ducking.isLeftAlone && ducking.decibels == 0)
    ducking.volumesChanged(StreamVolumes(channels: [0.6]), at: 20)
    ducking.volumesChanged(StreamVolumes(channels: [0.6, 0.6, 0.6]), at: 21)
    #expect(!ducking.isLeftAlone)
    var other = StreamDucking(music, at: 0)
    other.volumesChanged(StreamVolumes(channels: [0.4, 0.5]), at: 9)
    #expect(!other.isLeftAlone)
  }

  @Test("D3: a muted stream is left alone, and ducked from its volume when it is heard again")
  func muted() {
    var ducking = StreamDucking(music, at: 0)
    _ = ramp(&ducking, to: -9)
    var silent = music
    silent.isMuted = true
    ducking.volumesChanged(silent, at: 5)
    #expect(ducking.step(to: -9, seconds: 0.01) == nil)
    ducking.volumesChanged(music, at: 6)
    #expect(!ducking.isLeftAlone)
    #expect(abs(ramp(&ducking, to: -9).count - 75) <= 1)
  }

  @Test("D3: a pause of a second between words is still speech; either side counts")
  func voice() {
    var voice = VoiceActivity()
    #expect(!voice.hasVoice(at: 0))
    voice.update(near: true, far: 0, at: 1)
    #expect(voice.hasVoice(at: 1.9) && !voice.hasVoice(at: 2.1))
    #expect(voice.end(after: 1.5) == 2 && voice.end(after: 3) == nil)
    voice.update(near: false, far: 0.1, at: 4)
    voice.update(near: false, far: 0.001, at: 4.9)
    #expect(voice.hasVoice(at: 4.95) && !voice.hasVoice(at: 5.1))
  }

  private enum Wrong: Error { case end }
}
