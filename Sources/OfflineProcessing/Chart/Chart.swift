import SessionModel

/// A chart of audio over time, for a picture or a terminal.
package struct Chart: Sendable {
  package struct Line: Sendable {
    package var name: String
    /// One value per interval; nil leaves a gap.
    package var values: [Double?]
    /// Whether each value is a mark of its own rather than a point of a curve.
    package var isMarks = false
  }

  package struct Panel: Sendable {
    package var title: String
    package var range: ClosedRange<Double>
    package var lines: [Line]

    /// The panel of the values called `erle`, under the name of what they are.
    static func echo(_ erle: [Double?], isOfWebRTC: Bool) -> Panel {
      let name = isOfWebRTC ? "Echo reduction" : "ERLE"
      return Panel(title: "\(name), dB", range: 0...60, lines: [Line(name: isOfWebRTC ? "reduction" : name, values: erle)])
    }
  }

  /// Levels in the bands of `SpectrogramScale`, as bytes; nil leaves a gap.
  package struct Spectrogram: Sendable {
    package var title: String
    package var columns: [[UInt8]?]

    /// The spectrograms before and after processing.
    static func pair(microphone: [[UInt8]?], voice: [[UInt8]?]) -> [Spectrogram] {
      [Spectrogram(title: "Microphone, 0 to 20 kHz", columns: microphone), Spectrogram(title: "Voice, 0 to 20 kHz", columns: voice)]
    }
  }

  /// Length of the time axis in seconds.
  package var seconds: Double
  package var panels: [Panel]
  /// Drawn below the panels.
  package var spectrograms: [Spectrogram]

  /// Charts levels before and after, ERLE and echo delay over time.
  package init(_ metrics: ProcessingMetrics, spectrograms: [Spectrogram] = []) {
    self.spectrograms = spectrograms
    let series = metrics.series
    seconds = Double(series.voiceLevel.count) * metrics.interval
    var levels = [Line(name: "microphone", values: series.microphoneLevel), Line(name: "voice", values: series.voiceLevel)]
    if metrics.description.farEnd != nil { levels.append(Line(name: "far end", values: series.farEndLevel)) }
    panels = [
      Panel(title: "Level, dBFS", range: -80...0, lines: levels),
      .echo(series.erle, isOfWebRTC: metrics.isOfWebRTC),
      Panel(
        title: "Echo delay, ms", range: 0...DelayScale.end(holding: series.echoDelay),
        lines: [Line(name: "echo delay", values: series.echoDelay)]),
    ]
  }
}
