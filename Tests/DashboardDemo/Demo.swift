import DashboardTerminal
import DashboardView
import Foundation
import SessionModel

/// The dashboard on a synthetic call, for tests and to look at:
/// `DashboardDemo [active|idle|interrupted|muted|rehearsal] [--sinks N] [--glyphs unicode|compat|ascii] [--still] [--carries-sound]`
///
/// A key that sends a command changes the synthetic call. `D` ends the process in the way that `NEAREND_DEMO_CRASH` says: trap, abort,
/// fault, overflow, thread, exit. A separate thread waits for INT and TERM, as in a real command.
@main
enum Demo {
  static func main() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &signals, nil)

    let arguments = Array(CommandLine.arguments.dropFirst())
    func option(_ name: String) -> String? {
      arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
    }
    let sceneName = arguments.first.flatMap { $0.hasPrefix("-") ? nil : $0 } ?? "active"
    guard let scene = SyntheticCall.Scene(rawValue: sceneName) else {
      fail("no scene \(sceneName); there are \(SyntheticCall.Scene.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    var call = SyntheticCall(
      scene: scene, sinkCount: option("--sinks").flatMap { Int($0) } ?? 3, isStill: arguments.contains("--still"))
    let dashboard = Dashboard(options: DashboardOptions(glyphs: option("--glyphs").flatMap(GlyphSet.init)))
    stop(dashboard, on: signals)
    do throws(DashboardError) {
      try dashboard.run(
        carriesSound: arguments.contains("--carries-sound"), snapshot: { call.next() },
        perform: {
          perform($0, on: &call)
          return nil
        })
    } catch {
      fail("\(error)")
    }
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("DashboardDemo: \(message)\n".utf8))
    exit(1)
  }

  private static func stop(_ dashboard: Dashboard, on signals: sigset_t) {
    Thread.detachNewThread {
      var set = signals
      var number: Int32 = 0
      sigwait(&set, &number)
      dashboard.stop()
    }
  }

  private static func perform(_ command: Command, on call: inout SyntheticCall) {
    guard command == .saveDiagnostics, let crash = ProcessInfo.processInfo.environment["NEAREND_DEMO_CRASH"] else {
      call.perform(command)
      return
    }
    switch crash {
    case "trap": fatalError("asked for")
    case "abort": abort()
    case "fault": UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
    case "overflow": print(overflow(1))
    case "exit": exit(3)
    case "thread":
      Thread.detachNewThread { fatalError("asked for") }
      while true { sleep(1) }
    default: fail("no crash \(crash)")
    }
  }

  /// Overflows the stack.
  private static func overflow(_ depth: Int) -> Int {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 512) { buffer in
      buffer.initialize(repeating: depth)
      return overflow(depth + 1) &+ buffer[depth % 512]
    }
  }
}
