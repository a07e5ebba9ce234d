import Testing

@testable import PipeWireClient

/// Bounds on what is remembered of other processes, whatever they send.
@Suite("Bounds of memory")
struct BoundTests {
  private func object(_ id: UInt32, text: Int = 10) -> GlobalObject {
    GlobalObject(id: id, kind: .node, properties: ["node.name": String(repeating: "x", count: text - 9)])
  }

  // A class, because a macro cannot call a mutating method.
  private final class Mirror {
    private(set) var kept = ObjectMirror()
    func add(_ object: GlobalObject) -> Bool { kept.add(object) }
    func remove(_ id: UInt32) -> GlobalObject? { kept.remove(id) }
  }
  private final class Values {
    private(set) var kept: MetadataValues
    init(keys: Set<String>) { kept = MetadataValues(keys: keys) }
    func set(_ subject: UInt32, _ key: String?, _ value: String?) -> Bool { kept.set(subject, key, value) }
    func forget(_ stream: UInt32) { kept.forget(stream) }
    var values: [String: String] { kept.values }
    var followers: [UInt32] { kept.followers }
    var isFull: Bool { kept.isFull }
  }

  @Test("X1: the number of registry objects and the size of their properties are bounded; departed ones free their place")
  func registry() {
    let mirror = Mirror()
    for id in 0..<UInt32(ObjectMirror.mostObjects) { #expect(mirror.add(object(id))) }
    #expect(!mirror.add(object(100_000)))
    #expect(mirror.kept.objects.count == ObjectMirror.mostObjects && mirror.kept.text == 10 * ObjectMirror.mostObjects)
    #expect(mirror.add(object(7, text: 20)), "the same again takes no second place")
    #expect(mirror.remove(100_000) == nil)
    #expect(mirror.remove(7) == object(7, text: 20))
    #expect(mirror.add(object(100_000)))
    for id in mirror.kept.objects.keys { _ = mirror.remove(id) }
    #expect(mirror.kept.text == 0)
    let many = ObjectMirror.mostText / 1_024
    for id in 0..<UInt32(many) { #expect(mirror.add(object(id, text: 1_024))) }
    #expect(!mirror.add(object(UInt32(many), text: 1_024)) && mirror.kept.objects.count == many)
  }

  @Test("X1: only the requested keys of a metadata object are kept, with values of bounded length")
  func metadata() {
    let values = Values(keys: ["default.audio.sink"])
    for number in 0..<100_000 { #expect(!values.set(0, "key \(number)", "value")) }
    #expect(values.values.isEmpty)
    #expect(values.set(0, "default.audio.sink", "{}") && values.values == ["default.audio.sink": "{}"])
    #expect(values.set(0, "default.audio.sink", String(repeating: "x", count: MetadataValues.longestValue + 1)))
    #expect(values.values.isEmpty, "what is too long is no value")
    #expect(values.set(0, "default.audio.sink", "{}") && values.set(0, nil, nil) && values.values.isEmpty)
  }

  @Test("X1: the number of remembered moved streams is bounded; departed ones free their place")
  func streams() {
    let values = Values(keys: [])
    #expect(!values.set(5, "key", "value") && !values.set(5, "target.node", nil))
    for stream in 1...UInt32(MetadataValues.mostStreams) { #expect(values.set(stream, "target.node", "-1")) }
    #expect(!values.isFull && values.followers.count == MetadataValues.mostStreams)
    #expect(!values.set(1_000_000, "target.node", "-1") && values.isFull)
    #expect(values.followers.count == MetadataValues.mostStreams)
    #expect(values.set(1, nil, nil) && values.set(1_000_000, "target.node", "-1"))
  }

  @Test("R2: a stream follows the default where its node is −1 and it has no object; what is taken away is as if it had never been")
  func followers() {
    let values = Values(keys: [])
    _ = values.set(8, "target.node", "-1")
    #expect(values.followers == [8])
    _ = values.set(8, "target.object", "1234")
    #expect(values.followers == [])
    _ = values.set(8, "target.object", nil)
    #expect(values.followers == [8])
    _ = values.set(8, "target.node", "77")
    #expect(values.followers == [])
    _ = values.set(8, "target.node", "-1")
    values.forget(8)
    #expect(values.followers == [])
  }
}
