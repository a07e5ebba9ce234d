import Platform

extension WakeSignal {
  /// Returns one that wakes a thread which serves a client.
  static func forClient() throws(RequestFailure) -> WakeSignal {
    do throws(SystemError) { return try WakeSignal() } catch {
      throw RequestFailure(503, "nearend has run out of descriptors: \(error); end other clients first")
    }
  }
}
