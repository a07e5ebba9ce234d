internal import CRealtime
import PipeWireClient
import Synchronization

/// The room's sound, cycle by cycle: the process callbacks of its three nodes. They neither allocate nor lock.
///
/// `@unchecked Sendable`: each callback has its own state; everything shared with others, or read by the control side, is atomic.
final class RoomAudio: @unchecked Sendable {
  let rate: Int
  /// Levels of the microphone's input, and of the processed output.
  let microphone: LevelTrace
  let output: LevelTrace

  /// The microphones of one device, instead of a single one; empty for that.
  let array: [ArrayedMicrophone]
  /// The number, from 1, of the one that hears nothing; 0 for none.
  let deadMicrophone = Atomic(0)
  /// How far the talker talks, by frame of a cycle.
  private let fades: UnsafeMutablePointer<Float>

  private let path: AcousticPath
  /// The path from the other end of the room.
  private let distantPath: AcousticPath
  /// Frames for which the distant path may still sound; 0 once nothing has been played there for long and it idles.
  private var distantFrames = 0
  private let distant: UnsafeMutablePointer<Float>
  private let conversation: Conversation
  private let epoch: Double
  private let nearEnd: UnsafeMutablePointer<Float>
  private let nearEndCount: Int
  private let noiseLevel: Float
  private var noise: SeededGenerator
  /// The time of the clock's position 0, as the microphone's node sees it: bits of seconds on CLOCK_MONOTONIC.
  private let origin: UnsafeMutablePointer<UInt64>
  private let lastPosition: UnsafeMutablePointer<UInt64>
  /// Where the next cycle of each end begins if none is lost, and the number of those that begin elsewhere.
  private var nextHeard: UInt64 = 0
  private var nextSpoken: UInt64 = 0
  private let breakCount: UnsafeMutablePointer<UInt64>

  /// Ports, set before the filters join the graph and constant afterwards.
  struct Ports {
    var left: UnsafeMutableRawPointer?
    var right: UnsafeMutableRawPointer?
    var distantLeft: UnsafeMutableRawPointer?
    var distantRight: UnsafeMutableRawPointer?
    var microphone: UnsafeMutableRawPointer?
    /// Of an array, in its order; `microphone` is none of them.
    var array: [UnsafeMutableRawPointer?] = []
    var observer: UnsafeMutableRawPointer?
  }
  var ports = Ports()

  /// The longest quantum, in frames.
  private static let longest = 8_192

  /// - Parameter seed: of the noise. Two rooms of one call need two: otherwise each hears the other's noise in its own, as an echo.
  init(
    response: RoomResponse, distant distantResponse: RoomResponse, nearEnd speech: Speech, conversation: Conversation, epoch: Double,
    noise level: Double, seed: UInt64, array: [ArrayedMicrophone] = []
  ) {
    self.array = array
    fades = .allocate(capacity: Self.longest)
    fades.initialize(repeating: 0, count: Self.longest)
    noise = SeededGenerator(seed: seed)
    rate = response.rate
    microphone = LevelTrace(rate: rate)
    output = LevelTrace(rate: rate)
    path = AcousticPath(response: response)
    distantPath = AcousticPath(response: distantResponse)
    distant = .allocate(capacity: Self.longest)
    distant.initialize(repeating: 0, count: Self.longest)
    self.conversation = conversation
    self.epoch = epoch
    nearEndCount = max(1, speech.samples.count)
    nearEnd = .allocate(capacity: nearEndCount)
    nearEnd.initialize(repeating: 0, count: nearEndCount)
    nearEnd.update(from: speech.samples, count: speech.samples.count)
    // A uniform distribution between ±a has the power a²/3.
    noiseLevel = Float(decibels: level) * Float(3).squareRoot()
    origin = .allocate(capacity: 1)
    origin.initialize(to: Double.nan.bitPattern)
    lastPosition = .allocate(capacity: 1)
    lastPosition.initialize(to: 0)
    breakCount = .allocate(capacity: 1)
    breakCount.initialize(to: 0)
  }

  deinit {
    nearEnd.deallocate()
    fades.deallocate()
    distant.deallocate()
    origin.deallocate()
    lastPosition.deallocate()
    breakCount.deallocate()
  }

  /// Frames from the loudspeaker's monitor to the microphone, without the room's response.
  func delay(quantum: Int) -> Int { path.delay(quantum: quantum) }

  /// The position of the graph's clock, and the conversation time of its position 0; nil before the first cycle. [any]
  var time: (position: UInt64, origin: Double)? {
    let origin = Double(bitPattern: rt_load_acquire_u64(origin))
    return origin.isNaN ? nil : (rt_load_acquire_u64(lastPosition), origin)
  }

  /// Cycles that either end has begun elsewhere than the one before ended: what is heard around them is not what was played. [any]
  var breaks: Int { Int(rt_load_acquire_u64(breakCount)) }

  private func follow(_ cycle: Cycle, _ next: inout UInt64) {
    if cycle.position != next { _ = rt_add_relaxed_u64(breakCount, 1) }
    next = cycle.position &+ UInt64(cycle.frames)
  }

  /// Reads the loudspeaker's sound. [realtime]
  func processLoudspeaker(_ cycle: Cycle) {
    follow(cycle, &nextHeard)
    let left = ports.left.flatMap { dspBuffer($0, frames: cycle.frames) }
    let right = ports.right.flatMap { dspBuffer($0, frames: cycle.frames) }
    if array.isEmpty { path.play(left, right, at: cycle.position, frames: cycle.frames) }
    for microphone in array { microphone.path.play(left, right, at: cycle.position, frames: cycle.frames) }
    let far = (
      ports.distantLeft.flatMap { dspBuffer($0, frames: cycle.frames) }, ports.distantRight.flatMap { dspBuffer($0, frames: cycle.frames) }
    )
    distantFrames = far.0 == nil && far.1 == nil ? max(0, distantFrames - cycle.frames) : 2 * rate
    if distantFrames > 0 { distantPath.play(far.0, far.1, at: cycle.position, frames: cycle.frames) }
  }

  /// Writes what each microphone of the array hears. [realtime]
  private func fillArray(_ cycle: Cycle) {
    follow(cycle, &nextSpoken)
    guard cycle.frames <= Self.longest else { return }
    let begin = follow(cycle) + Double(cycle.position) / Double(rate)
    let talk = conversation.nearEndTalk(at: begin)
    if let talk { for k in 0..<cycle.frames { fades[k] = fade(at: begin + Double(k) / Double(rate), in: talk) } }
    let dead = deadMicrophone.load(ordering: .relaxed)
    for (index, port) in ports.array.enumerated() {
      guard let port, let buffer = dspBuffer(port, frames: cycle.frames) else { continue }
      array[index].hear(
        buffer, at: cycle.position, frames: cycle.frames, noise: noiseLevel, talkerFrom: Int(max(0, begin) * Double(rate)),
        fades: talk == nil ? nil : UnsafePointer(fades))
      if index + 1 == dead { buffer.update(repeating: 0, count: cycle.frames) }
      if index == 0 { microphone.add(buffer, at: cycle.position, frames: cycle.frames) }
    }
    rt_store_release_u64(lastPosition, cycle.position)
  }

  /// Writes the microphone's input: echo, the talker in the room, noise. [realtime]
  func fillMicrophone(_ cycle: Cycle) {
    if !array.isEmpty { return fillArray(cycle) }
    guard let port = ports.microphone, let buffer = dspBuffer(port, frames: cycle.frames) else { return }
    follow(cycle, &nextSpoken)
    path.read(buffer, at: cycle.position, frames: cycle.frames)
    if cycle.frames <= Self.longest {
      distantPath.read(distant, at: cycle.position, frames: cycle.frames)
      for k in 0..<cycle.frames { buffer[k] += distant[k] }
    }
    let origin = follow(cycle)
    let begin = origin + Double(cycle.position) / Double(rate)
    let first = Int(max(0, begin) * Double(rate))
    let talk = conversation.nearEndTalk(at: begin)
    for k in 0..<cycle.frames {
      buffer[k] += noiseLevel * noise.sample()
      guard let talk else { continue }
      buffer[k] += nearEnd[(first + k) % nearEndCount] * fade(at: begin + Double(k) / Double(rate), in: talk)
    }
    microphone.add(buffer, at: cycle.position, frames: cycle.frames)
    rt_store_release_u64(lastPosition, cycle.position)
  }

  /// Measures the processed output. [realtime]
  func observe(_ cycle: Cycle) {
    guard let port = ports.observer, let buffer = dspBuffer(port, frames: cycle.frames) else { return }
    output.add(buffer, at: cycle.position, frames: cycle.frames)
  }

  /// Returns the conversation time of the clock's position 0. Constant while the clock runs smoothly, so that speech has no steps; set anew
  /// when the clock and CLOCK_MONOTONIC differ by more than 20 ms.
  private func follow(_ cycle: Cycle) -> Double {
    let measured = Double(cycle.nsec) * 1e-9 - epoch - Double(cycle.position) / Double(rate)
    let known = Double(bitPattern: origin.pointee)
    if abs(known - measured) < 0.02 { return known }
    rt_store_release_u64(origin, measured.bitPattern)
    return measured
  }
}

extension Float {
  /// Converts a level to an amplitude.
  init(decibels: Double) { self = rt_powf(10, Float(decibels / 20)) }
}
