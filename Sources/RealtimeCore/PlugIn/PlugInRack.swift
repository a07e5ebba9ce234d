import Foundation
internal import Platform
import Synchronization

/// LADSPA plug-ins as stages of the capture and the render chain (S6). [any]
///
/// A plug-in's code can do anything when it is loaded and run: try an unknown one in another process first.
// `@unchecked Sendable`: the state is guarded by a lock that the audio thread never takes.
public final class PlugInRack: @unchecked Sendable {
  private let capture, render: StageChain
  private struct Entry {
    let stage: PlugInStage
    let place: StageChain.ID
  }
  private struct State {
    var entries: [Entry] = []
    /// Ids of plug-ins that are being loaded.
    var reserved: Set<String> = []
    var rate = 48_000
    var isSynchronous = false
    /// Whether the voice may have two channels (V16).
    var isStereo = false
  }
  private let lock = Mutex(())
  private var state = State()

  /// The largest number of plug-ins at a time.
  public static let most = 32

  package init(capture: StageChain, render: StageChain) { (self.capture, self.render) = (capture, render) }

  /// Gives workers no threads, for cycles that run faster than real time: `drain` runs them. Set it before adding anything. [control]
  package var isSynchronous: Bool {
    get { lock.withLock { _ in state.isSynchronous } }
    set { lock.withLock { _ in state.isSynchronous = newValue } }
  }

  /// The sample rate in Hz that the ports' ranges refer to now.
  public var rate: Int { lock.withLock { _ in state.rate } }

  // MARK: Stages

  /// Loads a plug-in, and appends it to the stages of a chain; it fades in. Waits until it is loaded.
  ///
  /// - Parameters:
  ///   - address: the library's path, or its name on LADSPA's path, and the plug-in's label.
  ///   - chain: the chain to append to.
  ///   - wish: the stage's id, a name of letters, digits, '-', '_' or '.'; nil derives it from the label.
  ///   - settings: values by port name; others are the plug-in's own defaults.
  ///   - environment: the environment that defines LADSPA's path.
  /// - Throws: `PlugInError`; nothing changes then.
  @discardableResult
  public func add(
    _ address: PlugInAddress, to chain: PlugInChain, id wish: String? = nil, settings: [String: Double] = [:],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(PlugInError) -> PlugInStatus {
    let path = try PlugInLibrary.find(address.file, environment)
    let id = try reserve(wish, or: address.label.isEmpty ? "plug-in" : address.label)
    defer { lock.withLock { _ in _ = state.reserved.remove(id) } }
    let (form, isSynchronous) = lock.withLock { _ in (Self.form(of: chain, state), state.isSynchronous) }
    let stage = try PlugInStage(
      id: id, chain: chain, plugIn: try PlugInLibrary(path: path).plugIn(address.label), settings: settings, form: form,
      quantum: 1024, isSynchronous: isSynchronous)
    let status = stage.status
    lock.withLock { _ in
      let place = self.chain(chain).append(stage.stage)
      state.entries.append(Entry(stage: stage, place: place))
    }
    return status
  }

  /// Fades a plug-in out, and frees it. Returns false for an unknown name.
  @discardableResult
  public func remove(_ id: String) -> Bool {
    lock.withLock { _ in
      guard let index = state.entries.firstIndex(where: { $0.stage.id == id }) else { return false }
      let entry = state.entries.remove(at: index)
      chain(entry.stage.chain).remove(entry.place)
      return true
    }
  }

  /// Sets control ports from the next cycle on.
  /// - Throws: `PlugInError.unknownStage`, `.noPort` or `.value`; nothing changes then.
  @discardableResult
  public func set(_ id: String, _ settings: [String: Double]) throws(PlugInError) -> PlugInStatus {
    let (found, ids) = lock.withLock { _ in (state.entries.first { $0.stage.id == id }?.stage, state.entries.map(\.stage.id)) }
    guard let found else { throw .unknownStage(id: id, ids: ids) }
    try found.set(settings)
    return found.status
  }

  /// All plug-ins, in the order in which sound passes them within a chain.
  public var status: [PlugInStatus] { stages.map(\.status) }

  private var stages: [PlugInStage] { lock.withLock { _ in state.entries.map(\.stage) } }

  private static func form(of chain: PlugInChain, _ state: State) -> PlugInStage.Form {
    PlugInStage.Form(rate: state.rate, channels: chain == .render || state.isStereo ? 2 : 1)
  }

  private func chain(_ chain: PlugInChain) -> StageChain { chain == .capture ? capture : render }

  private func reserve(_ wish: String?, or label: String) throws(PlugInError) -> String {
    if let wish, let problem = IdRule.problem(wish) { throw .impossibleId(wish, reason: problem) }
    let result: Result<String, PlugInError> = lock.withLock { _ in
      let taken = state.reserved.union(state.entries.map(\.stage.id))
      guard taken.count < Self.most else { return .failure(.tooMany(most: Self.most)) }
      let base = wish ?? String(label.map { IdRule.allows($0) ? $0 : "-" }.prefix(60))
      var id = base
      var number = 2
      while taken.contains(id) {
        guard wish == nil else { return .failure(.taken(id: base)) }
        id = "\(base)-\(number)"
        number += 1
      }
      state.reserved.insert(id)
      return .success(id)
    }
    return try result.get()
  }

  // MARK: Cycles

  /// Frees released instances, and declares the latencies that plug-ins report. Call this periodically while cycles run. [control]
  func collect() {
    for entry in lock.withLock({ _ in state.entries }) {
      entry.stage.collect()
      chain(entry.stage.chain).setLatency(entry.stage.latency, of: entry.place)
    }
  }

  /// Makes instances for the graph's rate in Hz, in the capture chain for both sides of a voice that may have two. Call this periodically
  /// while cycles run. [control]
  func renew(rate: Int, isStereo: Bool) {
    if isSynchronous { return prepare(rate: rate, isStereo: isStereo) }
    for (stage, form) in stages(at: rate, isStereo: isStereo) { stage.renew(form) }
  }

  /// As `renew`, but completes before the next cycle. [control]
  func prepare(rate: Int, isStereo: Bool) {
    for (stage, form) in stages(at: rate, isStereo: isStereo) { stage.prepare(form) }
  }

  /// Records the graph's rate, and returns the stages; none for a rate of 0.
  private func stages(at rate: Int, isStereo: Bool) -> [(PlugInStage, PlugInStage.Form)] {
    guard rate > 0 else { return [] }
    return lock.withLock { _ in
      (state.rate, state.isStereo) = (rate, isStereo)
      return state.entries.map { ($0.stage, Self.form(of: $0.stage.chain, state)) }
    }
  }

  /// Lets workers without threads process the last cycle's audio. [the thread that runs the cycles]
  package func drain() { for stage in stages { stage.drain() } }
}
