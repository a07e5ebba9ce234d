/// What somebody in a call has to know and does not see, because the call is what they look at (O11). [any]
package struct Notice: Sendable, Equatable {
  /// What it is about, the most important first. There is at most one of each.
  package enum Kind: Int, Sendable, CaseIterable {
    /// The session is interrupted (I1).
    case interruption
    /// Playback is paused, because headphones were unplugged (R5).
    case pause
    case noMicrophone
    /// Somebody talks into the muted microphone (D2).
    case talkingWhileMuted
    /// Others hear themselves (V6).
    case echo
    /// A mixer or a switch has muted the microphone or turned it down, or nothing comes from it.
    case silentMicrophone
    /// Voice isolation is wanted, and not heard (V12).
    case isolation
    /// A plug-in is bypassed (O9).
    case plugIn
  }
  package var kind: Kind
  /// One short line.
  package var title: String
  /// One or two sentences.
  package var body: String
  /// What a person can do about it here; nil if nothing.
  package var action: NoticeAction?
  /// Whether it goes by itself, because it says that something is over.
  package var isPassing = false

  package init(_ kind: Kind, _ title: String, _ body: String, action: NoticeAction? = nil) {
    (self.kind, self.title, self.body, self.action) = (kind, title, body, action)
  }
}

/// What a person can do about a notice with one press. [any]
package enum NoticeAction: String, Sendable {
  case unmute
  case resume

  /// What the button says.
  package var label: String {
    switch self {
    case .unmute: "Unmute"
    case .resume: "Resume"
    }
  }

  package var command: Command {
    switch self {
    case .unmute: .set(.microphoneMuted, .bool(false))
    case .resume: .resumeAfterUnplug
    }
  }

  /// How to do the same where there is no button.
  package var instead: String {
    switch self {
    case .unmute: "'nearend unmute' unmutes it."
    case .resume: "'nearend resume' resumes."
    }
  }
}

/// Whether notices are shown. [any]
package enum NotificationMode: String, Sendable, CaseIterable {
  /// Where nearend shows no dashboard.
  case auto
  case on
  case off

  /// Returns whether notices are shown by a nearend with or without a dashboard.
  package func shows(besideDashboard: Bool) -> Bool {
    switch self {
    case .auto: !besideDashboard
    case .on: true
    case .off: false
    }
  }
}
