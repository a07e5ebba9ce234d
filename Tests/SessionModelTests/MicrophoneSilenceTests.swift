import SessionModel
import Testing

@Suite("A silent microphone")
struct MicrophoneSilenceTests {
  /// Seconds of silence, five times a second, of a microphone with these peaks.
  private func silence(_ peaks: [Float], microphone: String? = "hw.mic", after silence: MicrophoneSilence = .init()) -> MicrophoneSilence {
    var silence = silence
    for (index, peak) in peaks.enumerated() { silence.update(microphone, isRecording: true, peak: peak, at: Double(index) / 5) }
    return silence
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
    heard.update(nil, isRecording: true, peak: 0, at: 1)
    heard.update("hw.mic", isRecording: true, peak: 0, at: 2)
    #expect(heard.seconds(at: 30) == nil, "unmuted, it is as before")
    heard.update("hw.other", isRecording: true, peak: 0, at: 40)
    #expect(heard.seconds(at: 50) == 10)
    heard.update(nil, isRecording: false, peak: 0, at: 60)
    #expect(heard.seconds(at: 61) == nil)
    heard.update("hw.mic", isRecording: true, peak: 0, at: 62)
    #expect(heard.seconds(at: 64) == 2)
  }
}
