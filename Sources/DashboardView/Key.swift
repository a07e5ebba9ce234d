import SessionModel

/// A key, free of any terminal's codes. [any]
public enum Key: Hashable, Sendable {
  case character(Unicode.Scalar)
  case up, down, left, right
  case pageUp, pageDown, home, end
  case tab, backTab, enter, escape
  /// F1 is 1.
  case function(Int)
}

/// What a pressed key asks of the caller. [any]
public struct KeyResponse: Equatable, Sendable {
  /// For nearend, in order.
  public var commands: [Command] = []
  public var quits = false
  /// False where the key means nothing.
  public var isUnderstood = true
}
