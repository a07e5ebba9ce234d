import Foundation
import TestPlugIns
import Testing

@testable import RealtimeCore

/// LADSPA plug-ins whose worker runs on its own thread.
@Suite("Plug-ins' instances")
final class PlugInRackTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "nearend-rack-\(UUID().uuidString)")
  private let chain = StageChain()
  private let rack: PlugInRack

  init() throws {
    rack = PlugInRack(capture: chain, render: StageChain())
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func make(_ change: (inout TestPlugIn.Traits) -> Void) throws -> PlugInAddress {
    try PlugInAddress(TestPlugIn.make(in: folder.path, TestPlugIn.Traits(change)))
  }

  /// Runs one cycle of a constant 0.25; returns the output.
  private func cycle(frames: Int = 256) -> [Float] {
    var voice = [Float](repeating: 0.25, count: frames)
    voice.withUnsafeMutableBufferPointer { chain.runner.process($0.baseAddress!, nil, frames: frames, rate: 48_000) }
    chain.collect()
    rack.collect()
    rack.renew(rate: 48_000, isStereo: false)
    return voice
  }

  @Test("S6, V16: of a voice that may have two channels, a plug-in plays each side, and one that is mono for both")
  func stereo() throws {
    try rack.add(make { _ in }, to: .capture, settings: ["Gain": 0.5])
    func last(right hasRight: Bool, frames: Int = 4_096) -> (left: Float, right: Float) {
      var (left, right) = ([Float](repeating: 0.25, count: frames), [Float](repeating: 0.5, count: frames))
      left.withUnsafeMutableBufferPointer { left in
        right.withUnsafeMutableBufferPointer { right in
          chain.runner.process(left.baseAddress!, hasRight ? right.baseAddress! : nil, frames: frames, rate: 48_000)
        }
      }
      return (left[frames - 1], right[frames - 1])
    }
    _ = last(right: false)
    #expect(last(right: false).left == 0.125)
    // Until there is an instance for the other side, both pass.
    #expect(last(right: true) == (0.25, 0.5))
    rack.prepare(rate: 48_000, isStereo: true)
    _ = last(right: true)
    #expect(last(right: true) == (0.125, 0.25))
    #expect(last(right: false).left == 0.125)
  }

  /// Runs cycles at about real time until a fact holds.
  private func run(until fact: () -> Bool) -> Bool {
    for _ in 0..<10_000 {
      if fact() { return true }
      _ = cycle()
      usleep(5_000)
    }
    return false
  }

  @Test("O9: a plug-in that changes its delay and cannot be recreated is bypassed and reported")
  func failedRemake() throws {
    try rack.add(make { ($0.isHardRealtime, $0.laterDelay, $0.mostInstances) = (false, 100, 1) }, to: .capture, settings: ["Gain": 0.5])
    var latest: Float = 0
    #expect(
      run {
        latest = cycle().last!; return latest == 0.125
      })
    #expect(run { rack.status[0].failure != nil })
    #expect(run { cycle().allSatisfy { $0 == 0.25 } })
    #expect(rack.status[0].latency == 0 && chain.latency == 0)
  }

  @Test("O9: a plug-in that hangs on the worker delays no other, and is abandoned on removal")
  func hanging() throws {
    try rack.add(make { ($0.isHardRealtime, $0.hangsFrom) = (false, 20_000) }, to: .capture, id: "hangs")
    #expect(run { rack.status[0].lateBlocks > 10 })
    try rack.add(make { ($0.isHardRealtime, $0.laterDelay) = (false, 100) }, to: .capture, id: "remade", settings: ["Gain": 0.5])
    #expect(rack.remove("hangs"))
    // The instance is made anew because its delay has changed, and is heard with the new delay.
    #expect(run { rack.status[0].latency > 0 && cycle().last == 0.125 })
    #expect(rack.status.map(\.id) == ["remade"])
  }
}
