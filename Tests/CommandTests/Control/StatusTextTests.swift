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
}
