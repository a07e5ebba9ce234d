import Foundation
import SessionModel
import TestSupport

extension Sample {
  /// A person hears themselves, or did.
  static func auditioned(_ phase: AuditionStatus.Phase) -> Snapshot {
    var snapshot = active()
    var audition = AuditionStatus(number: 1, seconds: 5)
    (audition.phase, audition.elapsed) = (phase, 2)
    if phase == .ended { audition.reason = "it was stopped" }
    if phase == .recording { (audition.microphoneLevel, audition.voiceLevel) = (-21, -17) }
    if phase != .preparing, phase != .recording {
      var findings = AuditionFindings()
      (findings.microphoneLevel, findings.voiceLevel) = (-31, -23)
      (findings.microphoneBackground, findings.voiceBackground) = (-58, -76)
      (findings.echoReduction, findings.hadFarEnd) = (41, true)
      audition.findings = findings
    }
    snapshot.audition = audition
    return snapshot
  }

  /// A person who heard themselves with a microphone that gave nothing.
  static var auditionedSilence: Snapshot {
    var snapshot = auditioned(.done)
    snapshot.audition?.findings = AuditionFindings()
    return snapshot
  }

  /// Five seconds of a recording: the first of `history`.
  static let heardPicture = CallHistory(
    history.points.prefix(25).enumerated().map { number, point in
      var moved = point
      moved.time = Double(number) * CallHistory.interval
      return moved
    })

  /// A minute of a call: an echo that is found after 10 s, words every 4 s, a pause from 40 to 45 s, underruns of Zoë at 20 s, a lost
  /// cycle at 30 s, and a tone that rises through the spectrogram.
  static let history = CallHistory(
    (0..<300).compactMap { index in
      let time = Double(index) * CallHistory.interval
      guard time < 40 || time >= 45 else { return nil }
      var point = HistoryPoint(number: UInt64(index + 1), time: 1_700_000_000 + time)
      let isTalking = Int(time / 2) % 2 == 0
      point.microphoneLevel = isTalking ? -12 : -48
      point.voiceLevel = isTalking ? -9 : -70
      point.speakerLevel = isTalking ? -55 : -6
      point.erle = time < 10 ? nil : min(45, (time - 10) * 3)
      point.echoDelay = time < 10 ? nil : 41.7
      point.busyRatio = 0.1 + 0.8 * (time / 60) * (time / 60)
      point.xruns = index == 150 ? 1 : 0
      point.sinks = ["alice", "Zoë 🦊", "李雷"].enumerated().map { number, id in
        HistoryPoint.Sink(
          id: id, fill: 0.5 + 0.3 * sin(time / 5 + Double(number)), underruns: number == 1 && (100..<103).contains(index) ? 1 : 0)
      }
      let tone = index * SpectrogramScale.bands / 300
      point.microphone = (0..<SpectrogramScale.bands).map { SpectrogramScale.byte($0 == tone ? -10 : isTalking ? -50 - Double($0) : -110) }
      point.voice = (0..<SpectrogramScale.bands).map { SpectrogramScale.byte(isTalking ? -50 - Double($0) : -110) }
      return point
    })
}
