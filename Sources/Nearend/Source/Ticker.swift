import Foundation

/// Calls a function periodically until it is freed.
// `@unchecked Sendable`: the timer is set up once, and Dispatch lets any thread cancel it.
final class Ticker: @unchecked Sendable {
  private static let queue = DispatchQueue(label: "nearend.source", qos: .userInteractive)
  private let timer: any DispatchSourceTimer

  init(milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
    timer = DispatchSource.makeTimerSource(queue: Self.queue)
    timer.schedule(deadline: .now(), repeating: .milliseconds(milliseconds), leeway: .milliseconds(1))
    timer.setEventHandler(handler: body)
    timer.resume()
  }

  deinit { timer.cancel() }
}
