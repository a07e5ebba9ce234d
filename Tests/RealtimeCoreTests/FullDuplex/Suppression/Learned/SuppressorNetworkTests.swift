import Testing

@testable import RealtimeCore

@Suite("Full duplex: the suppressor's network")
struct SuppressorNetworkTests {
  private func outputs(_ network: borrowing SuppressorNetwork) -> [Float] {
    Array(UnsafeBufferPointer(start: network.outputs, count: SuppressorNetwork.count))
  }

  private func input(_ value: Float) -> [Float] { [Float](repeating: value, count: NetworkFeatures.count) }

  @Test(
    "V14: whatever the network is told, it says finite values from 0 to 1", arguments: [-2, 0, 1.9, 50, -50, .nan, .infinity] as [Float])
  func range(value: Float) {
    var network = SuppressorNetwork()
    for _ in 0..<200 { network.run(input(value)) }
    #expect(outputs(network).allSatisfy { (0...1).contains($0) })
  }

  @Test("V14: the network remembers what it was told before, until it is reset")
  func memory() {
    var network = SuppressorNetwork(), other = SuppressorNetwork()
    for _ in 0..<50 { network.run(input(1)) }
    network.run(input(0))
    other.run(input(0))
    #expect(outputs(network) != outputs(other))
    network.reset()
    network.run(input(0))
    #expect(outputs(network) == outputs(other))
  }
}
