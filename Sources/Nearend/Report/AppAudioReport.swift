import RealtimeCore
import SessionModel

extension AppAudioStatus {
  init(_ appAudio: AppAudio, isHeard: Bool) {
    let mixer = appAudio.mixer
    self.init(
      sources: mixer.ringStatuses(isHeard: isHeard), isSounding: appAudio.isSounding,
      level: decibels(isHeard ? mixer.speakerPeak : 0), micVolume: appAudio.micVolume.inFewestDigits,
      appVolume: appAudio.appVolume.inFewestDigits, isDucking: appAudio.isDucked, duckGain: decibels(appAudio.duckGain),
      isMonitored: appAudio.isMonitored)
  }
}
