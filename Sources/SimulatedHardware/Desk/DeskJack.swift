/// A jack of a card, with the routes whose availability reports its state.
package enum DeskJack: String, Sendable, CaseIterable {
  /// Headphones without a microphone, in the laptop's jack.
  case headphones
  /// Headphones with a microphone, in the laptop's jack.
  case headset
  /// A television.
  case television = "tv"

  /// The card that has the jack.
  package var card: DeskCard.Kind { self == .television ? .hdmi : .laptop }

  /// The routes with their availability while something is plugged in and while nothing is, as in ALSA's mixer paths: a route without its
  /// own jack is never `yes`.
  var routes: [(name: String, plugged: DeskRoute.Availability, unplugged: DeskRoute.Availability)] {
    switch self {
    case .headphones: [("analog-output-headphones", .yes, .no), ("analog-output-speaker", .no, .unknown)]
    case .headset: DeskJack.headphones.routes + [("analog-input-headset-mic", .yes, .no)]
    case .television: [("hdmi-output-0", .yes, .no)]
    }
  }
}
