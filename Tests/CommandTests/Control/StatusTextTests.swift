import SessionModel
import TestSupport
import Testing

@testable import NearendCommand

@Suite("The text of nearend status")
struct StatusTextTests {
  @Test("V6: the echo has a number if one is known: the reduction without an ERLE, and one number of WebRTC's engine")
  func echoNumbers() {
    func echo(_ engine: EchoCanceller, erle: Double?, reduction: Double?) -> String? {
      var snapshot = Sample.active(sinks: 0)
      (snapshot.processing.engine, snapshot.processing.echo) = (engine, .cancelling)
      (snapshot.processing.erle, snapshot.processing.echoReduction) = (erle, reduction)
      return StatusText(snapshot).lines.first { $0.hasPrefix("echo ") }?.split(separator: " ", maxSplits: 1).last.map {
        String($0.drop { $0 == " " })
      }
    }
    #expect(echo(.nearend, erle: 24.34, reduction: 47.22) == "cancelling, 47.2 dB lower, ERLE 24.3 dB")
    #expect(echo(.nearend, erle: nil, reduction: 36.84) == "cancelling, 36.8 dB lower")
    #expect(echo(.webrtc, erle: 39.72, reduction: 39.72) == "cancelling, 39.7 dB lower")
    #expect(echo(.nearend, erle: nil, reduction: nil) == nil)
  }

  @Test("V6: of the echo it speaks in words, and says that it is not cancelled, and why")
  func echoWords() {
    func echo(_ change: (inout ProcessingStatus) -> Void) -> String {
      var snapshot = Sample.active(sinks: 0)
      change(&snapshot.processing)
      return StatusText(snapshot).lines.first { $0.hasPrefix("echo ") } ?? ""
    }
    #expect(echo { $0.echo = .nothingToCancel }.hasPrefix("echo        nothing to cancel, "))
    func off(_ change: (inout ProcessingStatus) -> Void) -> String {
      echo {
        ($0.echo, $0.erle, $0.echoReduction) = (.off, nil, nil)
        change(&$0)
      }
    }
    #expect(off { $0.components[1].isRequested = false } == "echo        not cancelled: echo cancellation is off")
    #expect(off { $0.isBypassed = true } == "echo        not cancelled: voice processing is bypassed")
    #expect(off { $0.isInUse = false } == "echo        not cancelled: voice processing is off")
  }

  @Test("D1: it tells the volumes and mutes of all four devices once, apart from nearend's own volumes")
  func mixers() {
    var snapshot = Sample.active(sinks: 0)
    snapshot.route.volumes.nearendMicrophone.volume = 0.05
    snapshot.route.volumes.speaker.isMuted = true
    let lines = StatusText(snapshot).lines
    #expect(lines.contains("volumes     output 100 %, microphone 100 %, into mic 100 %"), "\(lines)")
    #expect(
      lines.contains(
        "mixers      real microphone 100 %, Nearend Microphone 5 % (hardly heard), Nearend Speaker 100 %, real speaker muted"),
      "\(lines)")
    #expect(lines.count { $0.contains("Nearend Microphone") } == 1 && lines.count { $0.contains("real speaker") } == 1, "\(lines)")
  }
}
