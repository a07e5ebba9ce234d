import Foundation
import RealtimeCore
import SessionModel
import TestPlugIns
import Testing

@testable import Nearend

@Suite("Stages that are broken")
struct StageWatchTests {
  @Test("S6: a stage that puts out NaN is reported in log and diagnostics, once")
  func told() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    let service = try #require(rig.manager.owner.service)
    let core = service.core
    func cycles(_ count: Int) throws {
      for _ in 0..<count {
        var buffers = CycleBuffers(frames: 480, rate: 48_000, position: core.cycleMeters.cycles * 480, driver: 1)
        core.realtime.process(&buffers, graphSinks: nil)
        try rig.graph.poll()
      }
    }
    core.mixer.stages.append(AudioStage { _, left, _, _, _ in left[0] = 0.5 })
    try cycles(3)
    #expect(rig.warnings.isEmpty)
    core.mixer.stages.append(AudioStage { _, left, _, _, _ in left[0] = .nan })
    try cycles(3)
    #expect(rig.warnings.count == 1)
    #expect(rig.warnings.first?.contains("stage in the render chain") == true, "\(rig.warnings)")
    #expect(service.diagnostics().contains("Render Stages: broken: 3 samples"))
    #expect(rig.manager.getDiagnostics().contains("Render Stages: broken: 3 samples"))
    rig.unregisterCall()
  }

  @Test("O9: a plug-in that puts out NaN is named in log, status, diagnostics and metrics, once", arguments: PlugInChain.allCases)
  func plugIn(chain: PlugInChain) throws {
    let rig = ManagerRig()
    try rig.registerCall()
    defer { rig.unregisterCall() }
    let service = try #require(rig.manager.owner.service)
    let core = service.core
    let folder = FileManager.default.temporaryDirectory.appending(path: "nearend-watch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let address = try PlugInAddress(TestPlugIn.make(in: folder.path, .init { $0.nanFrom = 4_800 }))
    try core.plugIns.add(address, to: chain, id: "odd")
    func cycles(_ count: Int) throws {
      for _ in 0..<count {
        var buffers = CycleBuffers(frames: 480, rate: 48_000, position: core.cycleMeters.cycles * 480, driver: 1)
        core.realtime.process(&buffers, graphSinks: nil)
        core.collect()
        try rig.graph.poll()
      }
    }
    try cycles(5)
    #expect(rig.warnings.isEmpty && service.stages.map(\.state) == [.running])
    try cycles(20)
    #expect(rig.warnings.count == 1, "\(rig.warnings)")
    #expect(rig.warnings.first?.hasPrefix("stage odd (test) in the \(chain.rawValue) chain is bypassed: ") == true, "\(rig.warnings)")
    let stage = try #require(service.snapshot().stages.first)
    #expect(stage.state == .muted && stage.reason?.contains("NaN") == true, "\(stage)")
    #expect(service.diagnostics().contains("odd: Test (test), \(chain.rawValue), audio thread, 0 frames, muted: "))
    #expect(ServiceMetrics(service.report()).text.contains("nearend_stage_running{stage=\"odd\"} 0\n"))
  }
}
