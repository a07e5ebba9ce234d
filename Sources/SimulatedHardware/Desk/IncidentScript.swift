import Foundation
import Platform

/// Incidents with times: each line has seconds from the start and an incident, `2.0 unplug headphones`; `#` begins a comment.
package struct IncidentScript: Sendable, Equatable {
  /// One line of a script.
  package struct Entry: Sendable, Equatable {
    /// Seconds from the start of the script.
    package var time: Double
    /// The incident to carry out then, by `PrivateSession.perform`.
    package var incident: Incident
  }
  /// Sorted by time; equal times in the order of their lines.
  package private(set) var entries: [Entry] = []

  /// - Throws: `SessionError` that names the line and its number.
  package init(_ text: String) throws {
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.prefix { $0 != "#" }.split(separator: " ", maxSplits: 1)
      guard let first = words.first else { continue }
      guard let time = Double(first), time >= 0, time.isFinite, words.count == 2 else {
        throw SessionError(
          .invalidRequest, "line \(number + 1), '\(line)', is no incident at a time", remedy: "write it like this: 2.0 unplug headphones")
      }
      do { entries.append(Entry(time: time, incident: try Incident(String(words[1])))) } catch let error as SessionError {
        throw SessionError(error.code, "line \(number + 1): \(error.message)", remedy: error.remedy)
      }
    }
    // Sorts stably, which `sort` does not guarantee.
    entries = entries.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }

  /// Carries out the script in `session` on a thread of its own, each incident at `epoch` (seconds of CLOCK_MONOTONIC) plus its time, until
  /// `isCancelled` returns true or the script ends. `told` is called after each incident, with its error if it failed.
  package func run(
    in session: PrivateSession, epoch: Double, isCancelled: @escaping @Sendable () -> Bool,
    told: @escaping @Sendable (Incident, SessionError?) -> Void
  ) {
    startThread(name: "incidents") {
      for entry in entries {
        while case let rest = epoch + entry.time - monotonicSeconds(), rest > 0 {
          if isCancelled() { return }
          pause(seconds: min(rest, 0.05))
        }
        if isCancelled() { return }
        do {
          try session.perform(entry.incident)
          told(entry.incident, nil)
        } catch let error as SessionError {
          told(entry.incident, error)
        } catch {
          told(entry.incident, SessionError(.system, "\(error)"))
        }
      }
    }
  }
}
