/// A finding of the doctor: the fact, the evidence for it, and the remedy. [any]
package struct Finding: Codable, Sendable, Equatable {
  package enum Severity: String, Codable, Sendable, Comparable {
    /// As it should be.
    case fine
    /// Worth knowing.
    case hint
    /// It keeps calls from working, or from sounding as they should.
    case harm

    private var rank: Int { self == .harm ? 2 : self == .hint ? 1 : 0 }
    package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }
  }
  /// A stable word: "realtime", "echo", …
  package var id: String
  package var severity: Severity
  /// The fact in one line.
  package var summary: String
  /// The evidence.
  package var evidence: [String]
  /// What to do; nil if there is nothing to do.
  package var remedy: String?

  init(_ id: String, _ severity: Severity, _ summary: String, evidence: [String] = [], remedy: String? = nil) {
    self.id = id
    self.severity = severity
    self.summary = summary
    self.evidence = evidence
    self.remedy = remedy
  }
}

/// Returns the findings for some facts; a pure function. [any]
package func findings(in facts: DoctorFacts) -> [Finding] {
  [
    daemonFindings, sessionManagerFindings, configurationFindings, nearendFindings, leftoverFindings, realtimeFindings, quantumFindings,
    loopFindings, deviceFindings, defaultFindings,
    cancellerFindings, pastFindings, microphoneFindings, modeFindings, echoFindings, engineFindings,
  ].flatMap { $0(facts) }
}
