import Dispatch
import Foundation
import Platform
import SessionModel
import Synchronization

/// Processes the cases of a manifest, several at a time, into a folder (`nearend process --batch`).
///
///     cases.csv ─▶ what is missing ─┬▶ worker ─▶ <name>.wav, then <name>.json
///                                   ├▶ worker          each appears whole or not at all
///                                   └▶ …       ─▶ results.csv
///
/// A case is done if its record exists, with the same inputs and settings, so that an interrupted run can be continued. Two runs into one
/// folder do some of the work twice, and harm nothing.
package final class Batch: Sendable {
  /// The progress of a run.
  package struct Progress: Sendable {
    /// Cases done or failed, including those of earlier runs.
    package var finished: Int
    package var total: Int
    /// The share done of all cases' bytes, 0–1.
    package var share: Double
    /// Estimated remaining time in seconds, at this run's speed; nil until that is known.
    package var remaining: Double?
    /// Cases that this run has finished since the last report of progress.
    package var news: [BatchRow]
  }

  package struct Result: Sendable {
    /// In the order of the manifest.
    package var rows: [BatchRow]
    package var wasInterrupted: Bool
    /// In seconds.
    package var elapsed: Double
    /// Seconds of sound that this run has processed.
    package var processed: Double
    /// Path of the table; nil if none was written.
    package var table: String?
  }

  private struct State {
    var rows: [BatchRow]
    /// The share of each case that is done, 0–1.
    var shares: [Double]
    /// Indices of cases that have not been started.
    var waiting: [Int]
    var news: [Int] = []
    var workers = 0
    var isStopping = false
  }

  private let cases: [BatchCase]
  private let folder: String
  private let prototype: OfflineOptions
  private let jobs: Int
  private let weights: [Double]
  private let writesTable: Bool
  private let state: Mutex<State>
  /// Raised for everything that `run` must notice.
  private let wake = DispatchSemaphore(value: 0)

  package static let jobs = 1...256

  /// Finds out what is already done. Creates the folder, if only that is missing.
  /// - Parameters:
  ///   - prototype: the options of every case, except files and settings.
  ///   - only: names of the cases to process; nil for all; only then a table is written.
  ///   - jobs: number of cases at a time, in `Batch.jobs`.
  /// - Throws: `OfflineError.output` if the folder is not one, or a voice would overwrite an input; `.options` for an unknown name.
  package init(
    _ manifest: BatchManifest, folder: String, prototype: OfflineOptions, only: [String]? = nil, jobs: Int
  ) throws(OfflineError) {
    for name in only ?? [] where !manifest.cases.contains(where: { $0.name == name }) {
      throw .options(reason: "\(manifest.path) has no case '\(name)'")
    }
    let isThere = mkdir(folder, 0o777) != 0
    var status = stat()
    if isThere, errno != EEXIST { throw .output(file: folder, reason: systemReason()) }
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw .output(file: folder, reason: "it is not a folder") }
    cases = manifest.cases.filter { only?.contains($0.name) ?? true }
    (self.folder, self.prototype, self.jobs, writesTable) = (folder, prototype, jobs, only == nil)
    weights = cases.map { Double(max(1, BatchRecord.Input($0.microphone)?.bytes ?? 1)) }
    state = Mutex(State(rows: cases.map { BatchRow(batchCase: $0, outcome: .missing) }, shares: cases.map { _ in 0 }, waiting: []))
    try checkInputs(manifest)
    removeLeftovers()
    findDone()
  }

  private func voice(_ name: String) -> String { "\(folder)/\(name).wav" }
  private func record(_ name: String) -> String { "\(folder)/\(name).json" }
  private var table: String { "\(folder)/results.csv" }

  private func options(_ batchCase: BatchCase) -> OfflineOptions {
    var options = prototype
    (options.microphone, options.farEnd, options.output) = (batchCase.microphone, batchCase.reference, voice(batchCase.name))
    options.settings = batchCase.settings
    return options
  }

  /// Checks that no case overwrites an input, and the table not the manifest.
  private func checkInputs(_ manifest: BatchManifest) throws(OfflineError) {
    struct File: Hashable { var device, node: UInt64 }
    func file(_ path: String) -> File? {
      var status = stat()
      return stat(path, &status) == 0 ? File(device: UInt64(status.st_dev), node: UInt64(status.st_ino)) : nil
    }
    let inputs = Set((manifest.cases.flatMap { [$0.microphone, $0.reference] } + [manifest.path]).compactMap { $0.flatMap(file) })
    let outputs = cases.flatMap { [voice($0.name), record($0.name)] } + (writesTable ? [table] : [])
    for path in outputs where file(path).map(inputs.contains) == true {
      throw .output(file: path, reason: "it is an input of the batch; give another folder or another name")
    }
  }

  /// Removes the incomplete files of a run that was killed long enough ago.
  private func removeLeftovers() {
    let names = Set(cases.flatMap { ["\($0.name).wav", "\($0.name).json"] } + ["results.csv"])
    let long = time(nil) - 600
    for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where file.hasPrefix(".") && file.utf8.count > 8 {
      var status = stat()
      guard names.contains(String(file.dropFirst().dropLast(7))), file.dropLast(6).last == ".", lstat("\(folder)/\(file)", &status) == 0,
        status.st_mtim.tv_sec < long
      else { continue }
      unlink("\(folder)/\(file)")
    }
  }

  private func findDone() {
    state.withLock { state in
      for (index, batchCase) in cases.enumerated() {
        let origin = BatchRecord.Origin(options(batchCase))
        if let done = BatchRecord.read(record(batchCase.name), voice: voice(batchCase.name), origin: origin) {
          state.rows[index].outcome = .done(done.metrics, notes: done.notes, before: true)
          state.shares[index] = 1
        } else {
          state.waiting.append(index)
        }
      }
    }
  }

  // MARK: The run

  /// Processes what is missing, once. `progress` is called on this thread, a few times a second, and returns whether to continue.
  /// - Throws: `OfflineError.output` if the table cannot be written.
  package func run(progress: (Progress) -> Bool = { _ in true }) throws(OfflineError) -> Result {
    let begin = ContinuousClock.now
    let before = share
    startWorkers()
    while true {
      _ = wake.wait(timeout: .now() + 0.2)
      let isOver = state.withLock { $0.workers == 0 }
      if !progress(self.progress(since: begin, before)) { state.withLock { $0.isStopping = true } }
      if isOver { break }
    }
    let (rows, isStopping) = state.withLock { ($0.rows, $0.isStopping) }
    let isWhole = !rows.contains { if case .missing = $0.outcome { true } else { false } }
    var table: String?
    if isWhole, writesTable {
      table = self.table
      try writeWhole(BatchTable.text(rows).utf8, to: self.table)
    }
    let processed = rows.reduce(0.0) { sum, row in
      if case .done(let metrics, _, before: false) = row.outcome { sum + metrics.description.microphone.seconds } else { sum }
    }
    return Result(
      rows: rows, wasInterrupted: isStopping && !isWhole, elapsed: Self.seconds(since: begin), processed: processed, table: table)
  }

  private func startWorkers() {
    let count = state.withLock { state in
      state.workers = min(jobs, state.waiting.count)
      return state.workers
    }
    for number in 0..<count {
      startThread(name: "nearend-case-\(number)") { [self] in
        while let index = next() { finish(index, process(index)) }
        state.withLock { $0.workers -= 1 }
        wake.signal()
      }
    }
  }

  private func next() -> Int? {
    state.withLock { $0.isStopping || $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  private func process(_ index: Int) -> BatchRow.Outcome {
    let options = options(cases[index])
    do throws(OfflineError) {
      // The record describes a voice that is about to be replaced.
      unlink(record(cases[index].name))
      // Before the input is read: if it is changed meanwhile, its origin differs.
      let origin = BatchRecord.Origin(options)
      let result = try OfflineProcessor(options).run { share in
        state.withLock { state in
          state.shares[index] = share
          return !state.isStopping
        }
      }
      guard let origin, let written = BatchRecord.Input(options.output) else {
        throw .input(file: options.microphone, reason: "it is gone")
      }
      try BatchRecord(origin: origin, bytes: written.bytes, metrics: result.metrics, notes: result.notes).write(record(cases[index].name))
      return .done(result.metrics, notes: result.notes, before: false)
    } catch {
      return error == .interrupted ? .missing : .failed(error)
    }
  }

  private func finish(_ index: Int, _ outcome: BatchRow.Outcome) {
    state.withLock { state in
      state.rows[index].outcome = outcome
      if case .missing = outcome { return }
      state.shares[index] = 1
      state.news.append(index)
    }
    wake.signal()
  }

  private var share: Double { share(state.withLock { $0.shares }) }
  private func share(_ shares: [Double]) -> Double { zip(shares, weights).reduce(0) { $0 + $1.0 * $1.1 } / max(1, weights.reduce(0, +)) }

  private func progress(since begin: ContinuousClock.Instant, _ before: Double) -> Progress {
    let (rows, shares, news) = state.withLock { state in
      defer { state.news = [] }
      return (state.rows, state.shares, state.news)
    }
    let now = share(shares)
    let finished = rows.count { if case .missing = $0.outcome { false } else { true } }
    let elapsed = Self.seconds(since: begin)
    return Progress(
      finished: finished, total: rows.count, share: now,
      remaining: now - before > 0.001 && elapsed > 0.5 ? elapsed * (1 - now) / (now - before) : nil,
      news: news.map { rows[$0] })
  }

  private static func seconds(since begin: ContinuousClock.Instant) -> Double {
    let spent = (ContinuousClock.now - begin).components
    return Double(spent.seconds) + Double(spent.attoseconds) * 1e-18
  }
}
