import RealtimeCore
import SessionModel
import Testing

@testable import Nearend

@Suite("Stages that are broken")
struct StageWatchTests {
  @Test("S6: a stage that puts out NaN is reported in log and diagnostics, once")
  func told() throws {
    let rig = ManagerRig()
    try rig.registerCall()
    let service = try #require(rig.manager.service)
    let core = service.core
    func cycles(_ count: Int) throws {
      for _ in 0..<count {
        var buffers = CycleBuffers(frames: 480, rate: 48_000, position: core.cycleMeters.cycles * 480, driver: 1)
        core.realtime.process(&buffers, graphSinks: nil)
        try rig.graph.look()
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
}
