import Border

/// The last minutes of the audio, in points of a fifth of a second: what the Graphs page and `nearend plot` draw (U5). [any]
///
/// No points are added while no cycle runs.
package struct CallHistory: Codable, Sendable, Equatable {
  /// Seconds between points.
  package static let interval = 0.2
  /// The most points kept: ten minutes.
  package static let capacity = 3_000
  /// The most participants in a point, in the order of registration.
  package static let mostSinks = 16

  /// Oldest first, with ascending numbers and times.
  package private(set) var points: [HistoryPoint] = []

  package init() {}

  /// - Parameter points: oldest first; only the last `capacity` are kept.
  package init(_ points: some Sequence<HistoryPoint>) { append(contentsOf: points) }

  /// Appends the points newer than the last one, and drops those older than ten minutes.
  package mutating func append(contentsOf new: some Sequence<HistoryPoint>) {
    for point in new where point.number > (points.last?.number ?? 0) { points.append(point) }
    // Dropped in batches, because dropping moves every point.
    if points.count > Self.capacity + Self.capacity / 8 { points.removeFirst(points.count - Self.capacity) }
  }

  /// Returns the points after number `number`; all for 0.
  package func after(_ number: UInt64) -> CallHistory {
    CallHistory(points.suffix(while: { $0.number > number }))
  }

  /// Returns the points of the last `seconds` before the newest point, and the newest point.
  package func last(_ seconds: Double) -> CallHistory {
    guard let newest = points.last else { return self }
    return CallHistory(points.suffix(while: { newest.time - $0.time < seconds }))
  }
}

extension Array {
  /// Returns the longest suffix whose elements all satisfy the condition.
  fileprivate func suffix(while condition: (Element) -> Bool) -> ArraySlice<Element> {
    self[(lastIndex { !condition($0) }.map { $0 + 1 } ?? 0)...]
  }
}

/// A fifth of a second of audio. [any]
package struct HistoryPoint: Codable, Sendable, Equatable {
  /// One participant's ring.
  package struct Sink: Codable, Sendable, Equatable {
    package var id: String
    /// The filled share of the ring, 0–1.
    package var fill: Double
    /// Underruns since the last point.
    package var underruns: Int

    package init(id: String, fill: Double, underruns: Int) {
      self.id = id
      self.fill = fill
      self.underruns = underruns
    }
  }

  /// Returns a participant's data; nil if it was absent.
  package func sink(_ id: String) -> Sink? { sinks.first { $0.id == id } }

  /// The point's number, counted from 1 since nearend started.
  package var number: UInt64
  /// Seconds since 1970-01-01 00:00 UTC.
  package var time: Double
  /// Peaks in dBFS; −120 if silent, nil while the voice has no consumer.
  package var microphoneLevel, voiceLevel: Double?
  /// Peak of nearend's output to the speaker, in dBFS; −120 if silent.
  package var speakerLevel = -120.0
  /// `ProcessingStatus.erle` in dB, with the engine `webrtc` the reduction in all; nil before half a second of echo.
  package var erle: Double?
  /// In ms; nil until known.
  package var echoDelay: Double?
  /// The largest share of a cycle that nearend's callback took in the last second, 0–1.
  package var busyRatio = 0.0
  /// Cycles missed since the last point.
  package var xruns = 0
  package var sinks: [Sink] = []
  /// Levels of `SpectrogramScale.bands` bands, as packed by `SpectrogramScale`; empty while the voice has no consumer.
  package var microphone: [UInt8] = []
  package var voice: [UInt8] = []

  package init(number: UInt64, time: Double) {
    self.number = number
    self.time = time
  }
}

/// The packing of a spectrogram's levels into bytes. [any]
package enum SpectrogramScale {
  /// The number of bands, from 0 Hz to 20 kHz, of equal width on the mel scale.
  package static let bands = 48

  /// Packs a level in dBFS: 0 for −120 dBFS and less, in steps of half a dB.
  package static func byte(_ level: Double) -> UInt8 { UInt8(min(max((level + 120) * 2, 0), 255)) }

  /// Unpacks a level, in dBFS.
  package static func level(_ byte: UInt8) -> Double { Double(byte) / 2 - 120 }

  /// The intensity at which a level is drawn, 0–1: 0 at −100 dBFS and below, 1 from −30 dBFS on.
  package static func intensity(_ byte: UInt8) -> Double { min(max((level(byte) + 100) / 70, 0), 1) }
}

/// The axis of a curve of echo delays. [any]
package enum DelayScale {
  /// Returns the end of an axis from 0 that holds all delays: the next multiple of 20 ms, at least 20.
  package static func end(holding delays: [Double?]) -> Double {
    let longest = delays.compactMap { $0 }.filter(\.isFinite).max() ?? 0
    return ((longest / 20).rounded(.up) * 20).bounded(to: 20...10_000, else: 20)
  }
}
