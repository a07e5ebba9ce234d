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
}
