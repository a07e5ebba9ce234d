/// Something that the doctor has found: what it saw, and what to do about it. [any]
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
  /// A word that stays: "realtime", "echo", …
  package var id: String
  package var severity: Severity
  /// One line: what it is.
  package var summary: String
  /// What was seen.
  package var evidence: [String]
  /// What to do; nil where there is nothing to.
  package var remedy: String?

  init(_ id: String, _ severity: Severity, _ summary: String, evidence: [String] = [], remedy: String? = nil) {
    self.id = id
    self.severity = severity
    self.summary = summary
    self.evidence = evidence
    self.remedy = remedy
  }
}

/// What is found in facts: a function of them, and of nothing else. [any]
package func findings(in facts: DoctorFacts) -> [Finding] {
  [
    daemonFindings, sessionManagerFindings, configurationFindings, nearendFindings, leftoverFindings, realtimeFindings, quantumFindings,
    deviceFindings,
    cancellerFindings, pastFindings, microphoneFindings, echoFindings, engineFindings,
  ].flatMap { $0(facts) }
}
