import CRealtimeFence
nonisolated func bad(_ c: UnsafeMutableRawPointer?) { let p = UnsafeMutablePointer<Int>.allocate(capacity: Int(CommandLine.argc) * 1000); p.initialize(to: 3); print(p.pointee); p.deallocate() }
rt_fence_run(bad, nil)
