/// Guards what is heard while filters that know nothing yet learn: everything counts as echo while the far end speaks, until they are
/// trusted, or have had their time. Own method. [realtime]
struct InitialGuard {
  /// Whether everything that is heard counts as echo.
  private(set) var isOn = false
  /// Whether filters that were reset have yet to be trusted, whether or not the far end speaks.
  var isArmed: Bool {
    @_noLocks @_noAllocation get { hopsLeft > 0 }
  }

  /// Hops of an active far end for which filters that have not converged stay guarded: at first, and after a reset.
  private var hopsLeft: Int
  private let afterReset: Int
  /// Hops for which the far end still counts as active.
  private var activeHops = 0
  private let hold: Int

  init(layout: FilterLayout, tuning: Tuning.InitialGuard = .standard) {
    hopsLeft = layout.hops(tuning.first)
    afterReset = layout.hops(tuning.afterReset)
    hold = layout.hops(tuning.hold)
  }

  /// Processes a hop.
  ///
  /// - Parameters:
  ///   - isHeard: whether the far end speaks louder than comfort noise, which needs no guard, and would use it up.
  ///   - isTrusted: whether the filters know the echo.
  ///   - isHistoryComplete: whether the far end is known for the filters' whole reach; if not, everything counts as echo.
  @_noLocks @_noAllocation
  mutating func update(isHeard: Bool, isTrusted: Bool, isHistoryComplete: Bool) {
    activeHops = isHeard ? hold : activeHops - 1
    if isHistoryComplete, activeHops > 0, hopsLeft > 0 { hopsLeft = isTrusted ? 0 : hopsLeft - 1 }
    isOn = (!isHistoryComplete || hopsLeft > 0) && activeHops > 0
  }

  /// Processes a hop without an echo.
  @_noLocks @_noAllocation
  mutating func pass() { isOn = false }

  @_noLocks @_noAllocation
  mutating func lose(_ loss: Loss) {
    switch loss {
    case .history: activeHops = 0
    case .trust: break
    case .path: hopsLeft = afterReset
    }
  }
}
