import SessionModel

/// A key, independent of terminal codes. [any]
package enum Key: Hashable, Sendable {
  case character(Unicode.Scalar)
  case up, down, left, right
  case pageUp, pageDown, home, end
  case tab, backTab, enter, escape
  /// F1 is 1.
  case function(Int)
}

/// The result of a key. [any]
package struct KeyResponse: Equatable, Sendable {
  /// Commands for nearend, in order.
  package var commands: [Command] = []
  package var quits = false
  /// Whether the key has a meaning.
  package var isUnderstood = true
}
