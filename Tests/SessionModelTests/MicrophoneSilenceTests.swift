import SessionModel
import Testing

@Suite("A silent microphone")
struct MicrophoneSilenceTests {
  /// Seconds of silence, five times a second, of a microphone with these peaks.
  private func silence(_ peaks: [Float], microphone: String? = "hw.mic", after silence: MicrophoneSilence = .init()) -> MicrophoneSilence {
    var silence = silence
    for (index, peak) in peaks.enumerated() { silence.update(microphone, isRecording: true, peak: peak, pauses: 0, at: Double(index) / 5) }
    return silence
  }

  @Test("D1: after half a minute of sound without a pause it is no gate: silence is its switch's, again and again")
  func switched() {
    var silence = MicrophoneSilence()
    func hear(_ peak: Float, pauses: UInt32, seconds: ClosedRange<Int>) {
      for second in seconds { silence.update("hw.mic", isRecording: true, peak: peak, pauses: pauses, at: Double(second)) }
    }
    hear(0.01, pauses: 0, seconds: 0...31)
    hear(0, pauses: 0, seconds: 32...60)
    #expect(silence.seconds(at: 62) == 30)
    hear(0.01, pauses: 1, seconds: 61...80)
    hear(0, pauses: 1, seconds: 81...90)
    #expect(silence.seconds(at: 90) == nil, "it may be a gate")
    hear(0.01, pauses: 2, seconds: 91...125)
    hear(0, pauses: 2, seconds: 126...130)
    #expect(silence.seconds(at: 130) == 4)
    silence.update(nil, isRecording: true, peak: 0, pauses: 2, at: 131)
    hear(0, pauses: 2, seconds: 132...200)
    #expect(silence.seconds(at: 200) == nil, "muted in between: it is not known whether it would sound")
  }

  @Test("D1: a gate that closes now and then, however short, is never taken for a switch")
  func gates() {
    var silence = MicrophoneSilence()
    for second in 0..<200 {
      silence.update("hw.mic", isRecording: true, peak: 0.01, pauses: UInt32(second / 20), at: Double(second))
    }
    for second in 200..<300 { silence.update("hw.mic", isRecording: true, peak: 0, pauses: 9, at: Double(second)) }
    #expect(silence.seconds(at: 300) == nil)
  }

  @Test("D1: it is silent since it was opened; once it has sounded it may be a gate, and is not")
  func gate() {
    #expect(silence(Array(repeating: 0, count: 101)).seconds(at: 20) == 20)
    #expect(silence([0, 0.1] + Array(repeating: 0, count: 99)).seconds(at: 20) == nil)
    // −120 dBFS is the noise of a converter without a microphone.
    #expect(silence(Array(repeating: 1e-6, count: 11)).seconds(at: 2) == 2)
  }

  @Test("D1: muted or closed it is not listened to; another microphone, and the next one who records, hear anew")
  func anew() {
    var heard = silence([0.1, 0])
    heard.update(nil, isRecording: true, peak: 0, pauses: 0, at: 1)
    heard.update("hw.mic", isRecording: true, peak: 0, pauses: 0, at: 2)
    #expect(heard.seconds(at: 30) == nil, "unmuted, it is as before")
    heard.update("hw.other", isRecording: true, peak: 0, pauses: 0, at: 40)
    #expect(heard.seconds(at: 50) == 10)
    heard.update(nil, isRecording: false, peak: 0, pauses: 0, at: 60)
    #expect(heard.seconds(at: 61) == nil)
    heard.update("hw.mic", isRecording: true, peak: 0, pauses: 0, at: 62)
    #expect(heard.seconds(at: 64) == 2)
  }
}
