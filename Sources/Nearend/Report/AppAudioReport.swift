import RealtimeCore
import SessionModel

extension AppAudioStatus {
  init(_ appAudio: AppAudio, takesPeaks: Bool) {
    let mixer = appAudio.mixer
    self.init(
      sources: mixer.ringSinks.map { SinkStatus($0, takesPeak: takesPeaks) }, isSounding: appAudio.isSounding,
      level: decibels(takesPeaks ? mixer.takeSpeakerPeak() : mixer.levels.speakerPeak), micVolume: Double(appAudio.micVolume),
      appVolume: Double(appAudio.appVolume), isDucking: appAudio.isDucked, duckGain: decibels(appAudio.duckGain),
      isMonitored: appAudio.isMonitored)
  }
}
