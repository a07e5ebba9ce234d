// Drives every entry point of the audio thread's code under RealtimeSanitizer. A breach ends the process with exit code 43 and a call
// stack.
//
//     RealtimeCheck                            runs all checks
//     RealtimeCheck --violate allocation|lock  breaks the rule on purpose, and must die
//     RealtimeCheck --measure                  times the render path, outside the fence (build with -c release)

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments == ["--measure"] {
  try measureRenderPath()
  exit(0)
}

guard fenceIsArmed else {
  print("RealtimeCheck: this build has no RealtimeSanitizer, so it can show nothing; it needs a clang that knows -fsanitize=realtime")
  exit(2)
}

if arguments.first == "--violate" {
  guard arguments.count == 2, let violation = Violation(rawValue: arguments[1]) else {
    print("usage: RealtimeCheck --violate \(Violation.allCases.map(\.rawValue).joined(separator: "|"))")
    exit(2)
  }
  violation.commit()
  print("RealtimeCheck: \(violation.rawValue) went unseen: the fence is down")
  exit(1)
}
guard arguments.isEmpty || arguments == ["--capture"] else {
  print("usage: RealtimeCheck [--violate \(Violation.allCases.map(\.rawValue).joined(separator: "|")) | --measure | --capture]")
  exit(2)
}

// One list per file.
let checks =
  arguments == ["--capture"]
  ? captureChecks
  : sharedChecks + renderChecks + sourceChecks + auditionChecks + channelChecks + stereoChecks + stageChecks + appAudioChecks
    + isolationChecks
    + nearendChecks
    + [captureCheck]

/// Prints at once, so that a breach belongs to the check after the last line.
func report(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

var passed = 0
var failed = 0
for check in checks {
  do {
    if let failure = try check.run() {
      report("FAIL \(check.name): \(failure)")
      failed += 1
    } else {
      report("ok   \(check.name)")
      passed += 1
    }
  } catch {
    report("FAIL \(check.name): \(error)")
    failed += 1
  }
}
report("\(passed) passed, \(failed) failed")
exit(failed == 0 ? 0 : 1)
