import ArgumentParser
import Foundation
import OfflineProcessing
import Platform
import SessionModel

/// `nearend process --batch`: shows the progress of a batch, and ends the process with its outcome.
struct BatchRun {
  var manifest: String
  var folder: String
  var jobs: Int?
  var only: [String]
  /// The options of every case.
  var prototype: OfflineOptions

  func run() throws {
    let stop = StopRequest.onSignals()
    do throws(BatchManifestError) {
      let manifest = try BatchManifest(path: manifest, settings: prototype.settings)
      try run(manifest, stop)
    } catch {
      for problem in error.problems.dropLast() { remark(problem) }
      fail(error.problems.last ?? "", .badConfiguration)
    }
  }

  private func run(_ manifest: BatchManifest, _ stop: StopRequest) throws(BatchManifestError) {
    do throws(OfflineError) {
      let batch = try Batch(
        manifest, folder: folder, prototype: prototype, only: only.isEmpty ? nil : only,
        jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount)
      let meter = ProgressMeter()
      let result = try batch.run { progress in
        show(progress, meter)
        return !stop.isRequested
      }
      meter.clear()
      end(result)
    } catch {
      fail(error, ExitStatus(error))
    }
  }

  private func show(_ progress: Batch.Progress, _ meter: ProgressMeter) {
    guard !meter.isShown else {
      let count = "\(progress.finished) of \(progress.total)"
      return meter.show(count, progress.share, progress.remaining.map { ", \(Self.clock($0)) left" } ?? "")
    }
    for (place, row) in progress.news.enumerated() {
      // Several may have ended since the last report.
      let count = "\(progress.finished - progress.news.count + place + 1) of \(progress.total)"
      switch row.outcome {
      case .done(let metrics, _, _):
        let left = progress.remaining.map { ", \(Self.clock($0)) left" } ?? ""
        remark("\(count): \(row.batchCase.name): \(fixed(metrics.description.microphone.seconds, 1)) s\(metrics.echoWords)\(left)")
      case .failed(let error): remark("\(count): \(row.batchCase.name) failed: \(error)")
      case .missing: break
      }
    }
  }

  /// As many as a screen shows.
  private static let mostNotes = 20

  private func end(_ result: Batch.Result) {
    var (done, before) = (0, 0)
    var failures: [(BatchCase, OfflineError)] = []
    var notes: [String] = []
    for row in result.rows {
      switch row.outcome {
      case .done(_, let remarks, let wasBefore):
        (done, before) = (done + 1, before + (wasBefore ? 1 : 0))
        notes += remarks.map { "\(manifest):\(row.batchCase.line): \(row.batchCase.name): \($0)" }
      case .failed(let error): failures.append((row.batchCase, error))
      case .missing: break
      }
    }
    let speed =
      result.processed > 0
      ? ": \(fixed(result.processed, 1)) s of audio in \(fixed(result.elapsed, 2)) s, "
        + "\(fixed(result.processed / max(result.elapsed, 1e-6), 0)) × real time" : ""
    let former = before > 0 ? ", \(before) of them before" : ""
    remark("\(result.table ?? folder): \(done) of \(result.rows.count) cases are done\(former)\(speed)")
    for note in notes.prefix(Self.mostNotes) { remark(note) }
    if notes.count > Self.mostNotes { remark("\(notes.count - Self.mostNotes) more notes are in the column 'notes' of the table") }
    for (batchCase, error) in failures { remark("\(manifest):\(batchCase.line): \(batchCase.name) failed: \(error)") }
    if result.wasInterrupted { fail("interrupted; run the same command to resume", .failure) }
    guard let first = failures.first else { return }
    let isInput = failures.contains { ExitStatus($0.1) == .noInput }
    fail(
      "\(failures.count) of \(result.rows.count) cases failed; the same command tries them again",
      isInput ? .noInput : ExitStatus(first.1))
  }

  /// "1:05", "2:00:00".
  private static func clock(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1e7).rounded(.up))
    func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
    return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(twoDigits(whole % 60))" : "\(minutes):\(twoDigits(whole % 60))"
  }
}
