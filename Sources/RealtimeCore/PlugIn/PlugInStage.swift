internal import Platform
import Synchronization

/// A LADSPA plug-in as a stage of a chain: the control side (S6). Makes an instance for each rate that the graph adopts, on a thread of its
/// own, so that one that hangs blocks no other.
// `@unchecked Sendable`: the state is guarded by a lock that the audio thread never takes; the player belongs to the audio thread, and its
// content moves through a mailbox.
final class PlugInStage: @unchecked Sendable {
  let id: String
  let chain: PlugInChain
  let plugIn: PlugIn
  private let player: Owned<PlugInPlayer>
  private let mailbox: Mailbox
  private let memory: CellBlock
  private let settings: PlugInSettings
  private let isSynchronous: Bool
  /// Makes and frees instances, which takes longer than the control thread may wait.
  private let maker = SerialThread(name: "nearend.plugin", callsOthers: true)

  /// What an instance is made for.
  struct Form: Equatable {
    /// Hz.
    var rate: Int
    /// Of the chain: 2 in the render chain, and for a voice that may have two.
    var channels: Int
  }

  private struct State {
    var current: PlugInMade?
    /// Instances that the audio thread has yet to return.
    var leaving: [PlugInMade] = []
    /// For which an instance exists, is being made, or is impossible.
    var wanted = Form(rate: 0, channels: 1)
    /// The requested values, by port. A rate with narrower ranges bounds them for as long as the graph has that rate.
    var wishes: [Double] = []
    var isMaking = false
    var failure: PlugInError?
    var lateBefore: UInt64 = 0
    /// Instances made again at one rate because the previous one reported a different delay once it ran.
    var remakes = 0
    var hasEnded = false
  }
  private static let mostRemakes = 3
  private let lock = Mutex(())
  private var state = State()

  /// Makes the first instance at once.
  /// - Throws: `PlugInError`.
  init(
    id: String, chain: PlugInChain, plugIn: PlugIn, settings: [String: Double], form: Form, quantum: Int, isSynchronous: Bool
  ) throws(PlugInError) {
    try plugIn.description.check(for: chain)
    let wishes = try plugIn.description.values(settings, rate: form.rate)
    (self.id, self.chain, self.plugIn, self.settings) = (id, chain, plugIn, PlugInSettings(wishes))
    self.isSynchronous = isSynchronous
    var memory = CellBlock()
    mailbox = Mailbox(&memory)
    self.memory = memory
    player = Owned(PlugInPlayer(mailbox: mailbox))
    // From here on `deinit` frees.
    (state.wanted, state.wishes) = (form, wishes)
    let made = try PlugInMade(
      plugIn, rate: form.rate, channels: form.channels, settings: self.settings, isSynchronous: isSynchronous)
    made.expect(quantum: quantum)
    state.current = made
    mailbox.post(UnsafeMutableRawPointer(made.unit.pointer))
  }

  deinit { end() }

  /// The stage for the chain; keeps this object alive until the chain has released it.
  var stage: AudioStage {
    var stage = AudioStage(
      latency: latency, context: UnsafeMutableRawPointer(player.pointer),
      released: { [self] _ in maker.async { [self] in end() } }
    ) { context, left, right, frames, rate in
      context?.assumingMemoryBound(to: PlugInPlayer.self).pointee.process(left, right, frames: frames, rate: rate)
    }
    stage.onIdle = { $0?.assumingMemoryBound(to: PlugInPlayer.self).pointee.markIdle() }
    return stage
  }

  // MARK: Settings

  /// - Throws: `PlugInError.noPort` and `.value`; nothing changes then.
  func set(_ settings: [String: Double]) throws(PlugInError) {
    let result: Result<Void, PlugInError> = lock.withLock { _ in
      let checked: [Int: Double]
      do throws(PlugInError) { checked = try plugIn.description.checked(settings, rate: state.wanted.rate) } catch {
        return .failure(error)
      }
      for (i, port) in plugIn.description.ports.enumerated() {
        guard let value = checked[port.index] else { continue }
        state.wishes[i] = value
        self.settings[i] = value
      }
      return .success(())
    }
    try result.get()
  }

  // MARK: Instances

  /// Frees what the audio thread has released. Call this periodically.
  func collect() {
    let old: PlugInMade? = lock.withLock { _ in
      state.current?.wake()
      return mailbox.collect().flatMap { removeLeaving($0) }
    }
    // On that thread, because a plug-in's clean-up may take long.
    if let old { maker.async { withExtendedLifetime(old) {} } }
  }

  /// Makes an instance, if there is none of that form. Call this periodically.
  func renew(_ form: Form) {
    let isDue = lock.withLock { _ in
      // A plug-in whose delay follows the signal would be remade endlessly.
      let isMoved = state.current?.isLateOtherwise == true && state.remakes < Self.mostRemakes
      guard form.rate > 0, state.wanted != form || (isMoved && !state.isMaking), !state.hasEnded else { return false }
      // Once per form: a refusal would only be repeated.
      state.remakes = state.wanted == form ? state.remakes + 1 : 0
      (state.wanted, state.isMaking) = (form, true)
      return true
    }
    guard isDue else { return }
    maker.async { [self] in make(form) }
  }

  /// As `renew`, but waits for the instance.
  func prepare(_ form: Form) {
    let isDue = lock.withLock { _ in
      guard form.rate > 0, state.wanted != form, !state.hasEnded else { return false }
      state.wanted = form
      return true
    }
    if isDue { make(form) }
  }

  private func make(_ form: Form) {
    lock.withLock { _ in
      for (i, port) in plugIn.description.ports.enumerated() { settings[i] = port.clamped(state.wishes[i], rate: form.rate) }
    }
    var made: PlugInMade?, failure: PlugInError?
    do throws(PlugInError) {
      made = try PlugInMade(
        plugIn, rate: form.rate, channels: form.channels, settings: settings, isSynchronous: isSynchronous)
    } catch { failure = error }
    // Freed on this thread, without the lock, which the graph's thread may wait for.
    let untaken: PlugInMade? = lock.withLock { _ in
      guard state.wanted == form, !state.hasEnded else { return nil }
      state.isMaking = false
      state.failure = failure
      if let current = state.current {
        state.lateBefore += current.late?.lateBlocks.load() ?? 0
        state.leaving.append(current)
        if made == nil { current.retire() }
      }
      state.current = made
      return mailbox.post(made.map { UnsafeMutableRawPointer($0.unit.pointer) }).flatMap { removeLeaving($0) }
    }
    withExtendedLifetime(untaken) {}
  }

  /// Requires the lock.
  private func removeLeaving(_ unit: UnsafeMutableRawPointer) -> PlugInMade? {
    guard let index = state.leaving.firstIndex(where: { UnsafeMutableRawPointer($0.unit.pointer) == unit }) else { return nil }
    return state.leaving.remove(at: index)
  }

  /// Processes the last cycle's audio if workers have no threads.
  func drain() { lock.withLock { _ in state.current }?.drain() }

  /// Frees everything, once the audio thread cannot call it any more. Idempotent.
  private func end() {
    let gone: [PlugInMade] = lock.withLock { _ in
      state.hasEnded = true
      mailbox.post(nil)
      _ = mailbox.collect()
      _ = player.pointer.pointee.releaseUnit()
      defer { (state.current, state.leaving) = (nil, []) }
      return state.leaving + [state.current].compactMap { $0 }
    }
    withExtendedLifetime(gone) {}
  }

  // MARK: Reports

  /// The current delay of the stage in frames.
  var latency: Int { lock.withLock { _ in state.current?.latency ?? 0 } }

  var status: PlugInStatus {
    lock.withLock { _ in
      let current = state.current
      let late = state.lateBefore + (current?.late?.lateBlocks.load() ?? 0)
      return PlugInStatus(
        id: id, chain: chain, plugIn: plugIn.description, latency: current?.latency ?? 0,
        settings: plugIn.description.ports.indices.map { settings[$0] },
        rate: state.wanted.rate, isBroken: current?.isBroken == true, failure: state.failure, lateBlocks: late)
    }
  }
}

/// A plug-in's stage at one instant. [any]
public struct PlugInStatus: Sendable, Equatable {
  /// Its name in the rack, for `PlugInRack.set` and `remove`.
  public var id: String
  /// The chain that it is a stage of.
  public var chain: PlugInChain
  /// The plug-in's description of itself, with its ports.
  public var plugIn: PlugInDescription
  /// Its delay in frames, part of the latency reported to the graph.
  public var latency: Int
  /// The values of `plugIn.ports`, in their order.
  public var settings: [Double]
  /// The rate in Hz that the ports' ranges refer to.
  public var rate: Int
  /// A Boolean value indicating whether it has output NaN or infinite samples and is bypassed.
  public var isBroken: Bool
  /// Why there is no instance for the rate; the input passes then.
  public var failure: PlugInError?
  /// Blocks of 10 ms that the worker delivered too late, so that the unprocessed sound was heard in their place.
  public var lateBlocks: UInt64
}
