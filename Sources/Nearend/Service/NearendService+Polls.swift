extension NearendService {
  /// Sets a function that is called five times a second while cycles run, on the control thread: it must not block. nil for none. [any]
  package func onPoll(_ polled: (@Sendable () -> Void)?) { watch.polled.set(polled) }
}
