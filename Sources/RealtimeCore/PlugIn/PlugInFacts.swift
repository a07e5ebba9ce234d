import Foundation

/// Facts about a library, gathered by running it in a process of its own, because it may crash. [any]
package struct PlugInFacts: Codable, Sendable, Equatable {
  /// The step under way, reported before it begins: if the process dies, the last one reported killed it.
  package enum Phase: String, Sendable, CaseIterable {
    case loading, starting, running

    /// For messages: "crashes while it …".
    package var words: String {
      switch self {
      case .loading: "is loaded"
      case .starting: "starts"
      case .running: "runs"
      }
    }
  }

  package var plugIns: [PlugInDescription] = []
  /// The delay of the plug-in that was run, in frames; nil if none was.
  package var latency: Int?
  /// Whether all of its output was finite.
  package var isSound = true
  /// Why the library or plug-in cannot be used.
  package var error: String?

  /// Loads a library; runs one of its plug-ins over silence and noise, unless `label` is nil.
  ///
  /// - Parameters:
  ///   - rate: in Hz.
  ///   - settings: values by port name.
  package static func gather(
    path: String, label: String?, rate: Int, settings: [String: Double] = [:], announce: (Phase) -> Void
  ) -> PlugInFacts {
    var facts = PlugInFacts()
    do throws(PlugInError) {
      announce(.loading)
      let library = try PlugInLibrary(path: path)
      guard let label else {
        facts.plugIns = library.descriptions
        return facts
      }
      let plugIn = try library.plugIn(label)
      facts.plugIns = [plugIn.description]
      announce(.starting)
      let values = try plugIn.description.values(settings, rate: rate)
      let channels = max(1, plugIn.description.audioInputs, plugIn.description.audioOutputs)
      guard channels <= 64 else { return facts }
      let instance = try PlugInInstance(plugIn, rate: rate, channels: channels, settings: PlugInSettings(values))
      announce(.running)
      facts.latency = instance.latency
      facts.isSound = run(instance.runner)
    } catch {
      facts.error = error.description
    }
    return facts
  }

  /// Runs a block of silence, and one of noise. Returns whether the output was finite.
  private static func run(_ runner: PlugInRunner) -> Bool {
    let frames = 1024
    var isSound = true
    var seed: UInt32 = 1
    for level in [Float(0), 0.1] {
      for channel in 0..<runner.channels {
        for i in 0..<frames {
          seed = seed &* 1_664_525 &+ 1_013_904_223
          runner.input(channel)[i] = level * (Float(seed >> 8) / 8_388_608 - 1)
        }
      }
      isSound = runner.process(frames: frames) && isSound
    }
    return isSound
  }
}
