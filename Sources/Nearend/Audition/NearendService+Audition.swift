import SessionModel

/// Hearing oneself. [any]
extension NearendService {
  /// The recording of a person who hears themselves, or of the last one, as curves and spectrograms; nil before the first.
  package var audition: AuditionReport? { auditions.report }

  /// Lets a person hear themselves, `seconds` long. Returns the audition's number, or why there is none.
  package func beginAudition(seconds: Double) -> (number: Int?, refusal: String?) {
    do throws(AuditionRefusal) { return (try auditions.begin(seconds: seconds), nil) } catch { return (nil, error.description) }
  }

  /// Ends what `beginAudition` has begun; ignored when it is over.
  package func endAudition() { auditions.cancel() }
}
