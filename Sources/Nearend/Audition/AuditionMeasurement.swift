import Foundation
import RealtimeCore
import SessionModel

/// Measures a recording of microphone and voice: levels, and what is drawn. [one thread]
struct AuditionMeasurement {
  /// The echo's reduction as the engine has measured it last while something played.
  private var echoReduction: Double?
  private var hadFarEnd = false

  /// Frames of levels, in seconds.
  private static let frame = 0.02
  /// dB below the loudest twentieth of the voice down to which a frame counts as talk.
  private static let talkRange = 20.0
  /// What is softer than this, in dBFS, is nobody's voice.
  private static let softestTalk = -60.0
  /// Linear peak from which the speaker counts as playing: −50 dBFS.
  private static let farEnd: Float = 0.003_16

  /// Notes what the processing measures while it records.
  mutating func note(_ core: AudioCore) {
    let meters = core.meters.snapshot()
    guard meters.referencePeak > Self.farEnd else { return }
    hadFarEnd = true
    if core.controls.isEchoCancelled, let erle = meters.erle.known { echoReduction = Double(erle) }
  }

  /// Returns what two tracks of one length show.
  func measure(
    microphone: UnsafeBufferPointer<Float>, voice: UnsafeBufferPointer<Float>, rate: Int
  ) -> (findings: AuditionFindings, picture: CallHistory) {
    var findings = AuditionFindings()
    (findings.hadFarEnd, findings.echoReduction) = (hadFarEnd, echoReduction)
    let length = max(1, Int(Self.frame * Double(rate)))
    let (raw, heard) = (Self.powers(microphone, length), Self.powers(voice, length))
    if let loudest = Self.quantile(heard, 0.95), Self.level(loudest) > Self.softestTalk {
      let least = loudest * pow(10, -Self.talkRange / 10)
      let talk = heard.indices.filter { heard[$0] >= least }
      findings.microphoneLevel = Self.level(talk.reduce(0) { $0 + raw[$1] } / Double(talk.count))
      findings.voiceLevel = Self.level(talk.reduce(0) { $0 + heard[$1] } / Double(talk.count))
    }
    findings.microphoneBackground = Self.level(Self.quantile(raw, 0.1) ?? 0)
    findings.voiceBackground = Self.level(Self.quantile(heard, 0.1) ?? 0)
    return (findings, picture(microphone, voice, rate))
  }

  private func picture(_ microphone: UnsafeBufferPointer<Float>, _ voice: UnsafeBufferPointer<Float>, _ rate: Int) -> CallHistory {
    let bands = SpectrogramBands(rate: rate, count: SpectrogramScale.bands)
    let length = Int(CallHistory.interval * Double(rate))
    let points = stride(from: 0, through: microphone.count - length, by: max(1, length)).enumerated().map { number, start in
      var point = HistoryPoint(number: UInt64(number + 1), time: Double(number) * CallHistory.interval)
      let (raw, heard) = (Array(microphone[start..<start + length]), Array(voice[start..<start + length]))
      point.microphoneLevel = decibels(raw.reduce(0) { max($0, abs($1)) })
      point.voiceLevel = decibels(heard.reduce(0) { max($0, abs($1)) })
      point.microphone = bands.levels(of: raw).map(SpectrogramScale.byte)
      point.voice = bands.levels(of: heard).map(SpectrogramScale.byte)
      return point
    }
    return CallHistory(points)
  }

  /// The mean square of each frame.
  private static func powers(_ signal: UnsafeBufferPointer<Float>, _ length: Int) -> [Double] {
    stride(from: 0, through: signal.count - length, by: length).map { start in
      signal[start..<start + length].reduce(0.0) { $0 + Double($1) * Double($1) } / Double(length)
    }
  }

  private static func quantile(_ values: [Double], _ share: Double) -> Double? {
    values.isEmpty ? nil : values.sorted()[min(values.count - 1, Int(share * Double(values.count)))]
  }

  private static func level(_ power: Double) -> Double { max(-120, 10 * log10(power + 1e-13)) }
}
