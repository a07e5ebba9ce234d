import ArgumentParser

/// Who uses nearend during a fault.
enum Traffic: String, CaseIterable, ExpressibleByArgument {
  case idle, receive, send, both

  var sends: Bool { self == .send || self == .both }
  var receives: Bool { self == .receive || self == .both }
  var name: String { self == .receive || self == .send ? "\(rawValue)-only" : rawValue }
}

/// Who activates the session again.
enum Mode: String, CaseIterable, ExpressibleByArgument {
  case automatic = "default"
  case manual
  /// As `manual`, but the call manager activates as soon as an interruption ends, and not when the matrix says so.
  case prompt

  var isManual: Bool { self != .automatic }

  /// Returns whether the mode has cells of that kind: a prompt call manager is staged where devices appear after the interruption's end.
  func has(_ fault: Fault, _ traffic: Traffic) -> Bool { self != .prompt || fault.endsDaemon && traffic != .idle }
}
