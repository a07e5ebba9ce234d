import Testing

@testable import PipeWireClient

@Suite("Pods from outside")
struct PodTests {
  /// Reads bytes in an allocation of their own, so that the address sanitizer finds reads beyond them.
  private func with<T>(_ bytes: [UInt8], _ body: (Pod) -> T?) -> T? {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    return Pod(UnsafeRawBufferPointer(memory)).flatMap(body)
  }

  private func setting(_ volumes: [UInt8]) -> NodeVolumes.Setting? {
    with(PodBytes.object(PodBytes.props, [(PodBytes.channelVolumes, volumes)])) { NodeVolumes.Setting($0) }
  }

  @Test(
    "X1: an array whose child size does not match its type is rejected",
    arguments: [0, 1, 3, 8, 4_096, .max] as [UInt32])
  func childSize(_ size: UInt32) {
    #expect(setting(PodBytes.array(PodBytes.float, childSize: size, [UInt8](repeating: 0x3F, count: 8_192))) == nil)
    let route = PodBytes.object(
      PodBytes.route,
      [
        (1, PodBytes.int(0)), (2, PodBytes.id(1)), (4, PodBytes.text("out")),
        (9, PodBytes.array(PodBytes.int, childSize: size, [UInt8](repeating: 1, count: 64))),
      ])
    #expect(with(route) { DeviceInfo.Route($0) }?.profiles == [])
  }

  @Test("X1: volumes are finite, not negative, not above 100, and at most 64")
  func volumes() {
    #expect(setting(PodBytes.floats([1, .infinity, -.infinity, .nan, -1, 0.25]))?.channels == [1, 100, 0, 0, 0, 0.25])
    #expect(setting(PodBytes.floats([Float](repeating: 1, count: 10_000)))?.channels.count == 64)
    #expect(setting(PodBytes.floats([])) == nil)
    #expect(setting(PodBytes.float(1)) == nil)
  }

  @Test("X1: a choice shorter than its claimed value is rejected")
  func shortChoice() {
    for body in [[], [UInt8](repeating: 65, count: 4)] {
      let name = PodBytes.choice(PodBytes.string, childSize: 0x7FFF_FFFF, body)
      let profile = PodBytes.object(PodBytes.profile, [(1, PodBytes.int(3)), (2, name)])
      #expect(with(profile) { DeviceInfo.Profile($0) } == nil)
      #expect(with(PodBytes.choice(PodBytes.int, childSize: 8, body)) { $0.int } == nil)
    }
    #expect(with(PodBytes.choice(PodBytes.int, childSize: 4, PodBytes.raw(Int32(7)))) { $0.int } == 7)
  }

  @Test("X1: headers that claim more than was received, and unterminated text, are rejected")
  func truncated() {
    for size in [9, 10, 18, 0x7FFF_FFFF, .max] as [UInt32] {
      #expect(with(PodBytes.pod(PodBytes.int, PodBytes.raw(Int32(1)), size: size)) { $0.int } == nil)
    }
    #expect(with(PodBytes.pod(PodBytes.string, Array("abc".utf8))) { $0.text } == nil)
    #expect(with(PodBytes.pod(PodBytes.string, [])) { $0.text } == nil)
    #expect(with(PodBytes.pod(PodBytes.int, [1])) { $0.int } == nil)
    let cut = PodBytes.object(PodBytes.props, [(PodBytes.mute, PodBytes.pod(PodBytes.bool, [1, 0, 0, 0], size: 4_000))])
    #expect(with(cut) { $0.properties(of: PodBytes.props)?.count } == 0)
    #expect(with(PodBytes.structure([PodBytes.int(1), PodBytes.pod(PodBytes.int, [1, 0, 0, 0], size: .max)])) { $0.elements?.count } == 1)
  }

  @Test("X1: truncated and corrupted data from cards and mixers is read within its bounds")
  func mutated() {
    let route = PodBytes.object(
      PodBytes.route,
      [
        (1, PodBytes.int(4)), (2, PodBytes.id(1)), (3, PodBytes.int(2)), (4, PodBytes.text("analog-output")),
        (5, PodBytes.text("Headphones")),
        (8, PodBytes.structure([PodBytes.int(1), PodBytes.text("port.type"), PodBytes.text("headphones")])), (9, PodBytes.ints([1, 2])),
        (10, PodBytes.object(PodBytes.props, [(PodBytes.mute, PodBytes.bool(true)), (PodBytes.channelVolumes, PodBytes.floats([1]))])),
        (11, PodBytes.ints([3])),
      ])
    let whole = with(route) { DeviceInfo.Route($0) }
    #expect(
      whole
        == DeviceInfo.Route(
          index: 4, name: "analog-output", description: "Headphones", isInput: false, availability: .unknown, portType: "headphones",
          device: 2,
          profiles: [1, 2], devices: [3], isMuted: true))
    for count in 0..<route.count { #expect(with(Array(route.prefix(count))) { DeviceInfo.Route($0) } == nil) }
    for index in route.indices {
      for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
        var bytes = route
        bytes[index] = value
        _ = with(bytes) { DeviceInfo.Route($0) }
        _ = with(bytes) { DeviceInfo.Profile($0) }
        _ = with(bytes) { NodeVolumes.Setting($0) }
        _ = with(bytes) { [ParameterChange]($0) }
        _ = with(bytes) { Filter.Latency($0) }
      }
    }
  }

  @Test("X1: parameters set by others: NaN is rejected, and a malformed entry ends the list")
  func parameters() {
    func changes(_ list: [UInt8]) -> [ParameterChange]? {
      with(PodBytes.object(PodBytes.props, [(PodBytes.params, list)])) { [ParameterChange]($0) }
    }
    let list = PodBytes.structure([
      PodBytes.text("a"), PodBytes.bool(true), PodBytes.text("b"), PodBytes.double(.nan), PodBytes.text("c"), PodBytes.float(-.infinity),
      PodBytes.text("d\u{1B}[2J"), PodBytes.text("x\ny"), PodBytes.int(1), PodBytes.text("e"),
    ])
    #expect(
      changes(list) == [
        ParameterChange(name: "a", value: .bool(true)), ParameterChange(name: "b", value: nil), ParameterChange(name: "c", value: nil),
        ParameterChange(name: "d\u{FFFD}[2J", value: .text("x\u{FFFD}y")), ParameterChange(name: "params", value: nil),
      ])
    #expect(changes(PodBytes.int(1)) == [ParameterChange(name: "params", value: nil)])
    #expect(changes(PodBytes.structure([PodBytes.text("a")])) == [ParameterChange(name: "a", value: nil)])
    #expect(with(PodBytes.object(PodBytes.props, [(PodBytes.mute, PodBytes.bool(true))])) { [ParameterChange]($0) }?.first?.name == "mute")
    let many = PodBytes.structure((0..<5_000).flatMap { [PodBytes.text("n\($0)"), PodBytes.int(1)] })
    #expect(changes(many)?.count == 256)
  }

  @Test("X1: latencies are finite and bounded, whatever a peer says; a person's negative offset counts")
  func latencies() {
    func latency(_ quanta: Float, _ frames: Int32, _ nanoseconds: Int64) -> Filter.Latency? {
      let bytes = PodBytes.object(
        PodBytes.latency,
        [(1, PodBytes.id(0)), (3, PodBytes.float(quanta)), (5, PodBytes.int(frames)), (7, PodBytes.long(nanoseconds))])
      return with(bytes) { Filter.Latency($0) }
    }
    for (quanta, frames, nanoseconds) in [
      (Float.infinity, Int32.max, Int64.max), (-.infinity, .min, .min), (.nan, 0, 0), (1e38, -1, -1), (0, .max, .min),
    ] {
      let hostile = latency(quanta, frames, nanoseconds)
      for (quantum, rate) in [(1_024, 48_000), (8_192, 192_000), (0, 0), (32, .max)] {
        let total = hostile?.total(quantum: quantum, rate: rate)
        #expect(total.map { abs(Double($0)) <= max(10 * Double(rate), 0) } == true, "\(quanta), \(frames), \(nanoseconds)")
      }
      for later in [Int.max, Int.min, 718] { #expect(hostile?.later(by: later).quanta.isFinite == true) }
    }
    // An offset of −500 ms, as pavucontrol sets it, on a device with a latency of 20 ms.
    #expect(latency(0, 960, -500_000_000)?.total(quantum: 1_024, rate: 48_000) == 960 - 24_000)
    #expect(latency(1, 480, 10_000_000)?.total(quantum: 1_024, rate: 48_000) == 1_024 + 480 + 480)
  }
}
