import SessionModel

/// A row of the table that a batch writes at its end. [any]
package struct BatchRow: Sendable {
  package enum Outcome: Sendable {
    /// Measures, remarks on the files, and whether it was already done before this run.
    case done(ProcessingMetrics, notes: [String], before: Bool)
    case failed(OfflineError)
    /// The run was interrupted.
    case missing
  }
  package var batchCase: BatchCase
  package var outcome: Outcome
}

/// The table of a batch, as CSV in the order of the manifest. The same cases make the same table. [any]
package enum BatchTable {
  package static let columns =
    [
      "name", "microphone", "reference", "state", "error", "seconds", "rate", "microphoneLevel", "farEndLevel", "voiceLevel",
      "echoReduction",
      "erle", "echoDelay", "meanGain", "voiceSeconds", "farEndSeconds", "refusedBlocks",
    ] + BatchManifest.options.map(\.column) + ["notes"]

  static func text(_ rows: [BatchRow]) -> String {
    CSVText.row(columns) + rows.map { CSVText.row(cells($0)) }.joined()
  }

  private static func cells(_ row: BatchRow) -> [String] {
    let (batchCase, settings) = (row.batchCase, row.batchCase.settings)
    let about: [String]
    var remarks: [String] = []
    switch row.outcome {
    case .done(let metrics, let notes, _):
      // As the manifest names them, so that the same cases make the same table everywhere.
      remarks = notes.map { note in
        let named = note.replacing(row.batchCase.microphone, with: row.batchCase.written.microphone)
        return row.batchCase.reference.map { named.replacing($0, with: row.batchCase.written.reference) } ?? named
      }
      let (microphone, totals) = (metrics.description.microphone, metrics.totals)
      let numbers: [Double?] = [
        totals.microphoneLevel, totals.farEndLevel, totals.voiceLevel, totals.echoReduction, totals.erle, totals.echoDelay, totals.gain,
        totals.voiceSeconds, totals.farEndSeconds,
      ]
      about =
        ["done", "", "\(microphone.seconds)", "\(microphone.rate)"] + numbers.map { $0.map { "\($0)" } ?? "" } + ["\(totals.refusedBlocks)"]
    case .failed(let error): about = ["failed", "\(error)"] + Array(repeating: "", count: 12)
    case .missing: about = ["missing"] + Array(repeating: "", count: 13)
    }
    return [batchCase.name, batchCase.written.microphone, batchCase.written.reference] + about
      + BatchManifest.options.map { settings[$0.setting].map { "\($0)" } ?? "" } + [remarks.joined(separator: "; ")]
  }
}
