import Foundation
import RealtimeCore

/// Checks of the choice among a microphone's channels.
let channelChecks: [Check] = [
  Check("channels: eight of a microphone, watched and chosen, at every quantum, while another thread chooses and replaces it") {
    let driver = try CoreDriver()
    let inputs = driver.core.inputs
    driver.channels = 8
    let isDone = DispatchSemaphore(value: 0)
    let other = Thread {
      for round in 0..<300 {
        inputs.channels = [.auto, .mean, .only([1, 8]), .only([3])][round % 4]
        if round % 7 == 0 { inputs.restart() }
        _ = inputs.inputs
        usleep(200)
      }
      isDone.signal()
    }
    other.start()
    while isDone.wait(timeout: .now()) == .timedOut {
      for quantum in [32, 100, 480, 8_192] { driver.cycles(8, quantum: quantum) }
    }
    inputs.channels = .auto
    driver.cycles(8, quantum: 480)
    guard inputs.inputs.count == 8, inputs.inputs.contains(where: { $0.use == .opposite }) else { return "\(inputs.inputs)" }
    driver.channels = 0
    driver.cycles(2, quantum: 480)
    return require(inputs.inputs.isEmpty, "a microphone of one channel has \(inputs.inputs)")
  }
]
