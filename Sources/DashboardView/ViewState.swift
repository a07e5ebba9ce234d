import SessionModel

/// The dashboard's pages, in the order of their keys.
package enum Page: Int, Sendable, CaseIterable {
  case call, participants, routes, diagnostics, log, graphs

  /// The text of the tab.
  package var title: String {
    switch self {
    case .call: "Call"
    case .participants: "Participants"
    case .routes: "Routes"
    case .diagnostics: "Diagnostics"
    case .log: "Log"
    case .graphs: "Graphs"
    }
  }

  /// The text of the tab in a terminal of fewer than 100 columns.
  var shortTitle: String { self == .diagnostics ? "Diag" : title }
}

/// A line of the Routes page that can be picked: a device, or (nil) the session manager's default.
package struct DeviceRow: Hashable, Sendable {
  package var direction: Device.Direction
  /// `node.name`; nil follows the default.
  package var name: String?

  package init(_ direction: Device.Direction, name: String?) {
    self.direction = direction
    self.name = name
  }
}

/// The help for the caller's additional keys. [any]
package struct ExtraHelp: Equatable, Sendable {
  package var label: String
  package var meaning: String

  package init(label: String, meaning: String) {
    self.label = label
    self.meaning = meaning
  }
}

/// What the person at the keyboard has chosen to see. Nothing here affects the session. [any]
package struct ViewState: Equatable, Sendable {
  package var page = Page.call
  package var isHelpShown = false
  /// A remark in the footer until the next key.
  package var notice: String?
  /// An additional line of the help.
  package var extraHelp: ExtraHelp?
  /// Lines by which the Diagnostics page is scrolled down.
  package var diagnosticsScroll = 0
  /// Index of the span that the Graphs page shows, in `GraphsPage.spans`.
  var graphSpan = 1
  /// The newest entry shown on the Log page; nil follows the log.
  package var logAnchor: LogEntry?
  package var glyphs: GlyphSet
  /// Offset of local time from UTC in seconds.
  package var utcOffset: Int
  /// The number of the last audition before the one that this view shows in place of its page; nil if it shows none.
  var auditionBefore: Int?
  /// Whether a person who hears themselves is shown instead of the page.
  package var showsAudition: Bool { auditionBefore != nil }
  var sinkSelection: SinkSelection?
  var deviceSelection: DeviceRow?

  package init(glyphs: GlyphSet = .unicode, utcOffset: Int = 0) {
    self.glyphs = glyphs
    self.utcOffset = utcOffset
  }

  /// A participant by id, and by position in case the id disappears.
  struct SinkSelection: Equatable, Sendable {
    var id: String
    var index: Int
  }

  /// Index of the selected participant; nil if there is none.
  func selectedSink(in sinks: [SinkStatus]) -> Int? {
    guard !sinks.isEmpty else { return nil }
    guard let sinkSelection else { return 0 }
    if sinks.indices.contains(sinkSelection.index), sinks[sinkSelection.index].id == sinkSelection.id { return sinkSelection.index }
    return sinks.firstIndex { $0.id == sinkSelection.id } ?? min(max(sinkSelection.index, 0), sinks.count - 1)
  }

  /// Index of the selected line among `choices`.
  func selectedDevice(in choices: [DeviceRow]) -> Int {
    deviceSelection.flatMap(choices.firstIndex) ?? 0
  }
}

extension RouteStatus {
  /// Every line of the Routes page that can be picked, microphones first.
  var choices: [DeviceRow] {
    [Device.Direction.input, .output].flatMap { direction in
      [DeviceRow(direction, name: nil)]
        + devices.lazy.filter { $0.direction == direction }.map { DeviceRow(direction, name: $0.name) }
        + [missingPick(direction)].compactMap { $0 }.map { DeviceRow(direction, name: $0) }
    }
  }
}
