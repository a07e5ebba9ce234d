/// How much of what a stage knows no longer holds. Every stage that learns has a `lose`, and says there what it keeps. [any]
enum Loss {
  /// What was heard for some time is unknown: a pause without a consumer, or a gap. What was learnt of the echo path holds.
  case history
  /// The path may have changed: what was learnt is kept, and trusted less.
  case trust
  /// The path is another one: nothing that was learnt of it holds.
  case path
}
