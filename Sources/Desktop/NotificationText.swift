import Border
import SessionModel

/// What a notification daemon can show. What it cannot is left out, or said in another way.
struct NotificationCapabilities: Equatable {
  /// Buttons.
  var hasActions = false
  /// A body besides the title.
  var hasBody = false
  /// `<`, `>` and `&` in a body are markup.
  var readsMarkup = false

  init() {}

  /// Reads the daemon's own list, of which only three words matter.
  init(_ words: [String]) {
    hasActions = words.contains("actions")
    hasBody = words.contains("body")
    readsMarkup = words.contains("body-markup")
  }
}

/// A notice as a daemon is told it.
struct NotificationText: Equatable {
  var summary: String
  var body: String
  /// Key and label of each button, in turn.
  var actions: [String]

  init(_ notice: Notice, _ daemon: NotificationCapabilities) {
    var sentences = notice.body
    if !daemon.hasActions, let action = notice.action { sentences += " \(action.instead)" }
    // Names of devices and plug-ins are in it, which others have chosen.
    sentences = sentences.printable(atMost: String.longestRemark)
    summary = daemon.hasBody ? notice.title : "\(notice.title): \(sentences)"
    body = daemon.readsMarkup ? sentences.asMarkup : sentences
    actions = daemon.hasActions ? notice.action.map { [$0.rawValue, $0.label] } ?? [] : []
  }
}
