import Foundation

/// The stages of the capture path, as the calls that enter them.
enum Stage {
  static let other = "other"

  /// By stage, in the order in which sound passes: types, and functions of types. A stage also owns what these call, unless another stage
  /// claims that.
  private static let claims: [(name: String, parts: [String])] = [
    ("high-pass filters, clipped samples", ["ChainEnds.begin", "DCBlocker", "RailWatch", "ClippingRepair"]),
    ("drift resampler", ["DriftResampler"]),
    ("loudspeaker's model, saturation", ["LoudspeakerModel", "LoudspeakerTerms"]),
    ("reference spectra", ["ReferenceSpectra", "ReferenceLevel"]),
    (careful, []),
    (fast, []),
    ("bands, mixture of the filters", ["BandSpectrum", "PathBands", "EchoSubtraction", "FilterMix", "PathSelector"]),
    ("path prior, changes of path and volume", ["PathPrior", "PathChangeDetector", "GainTracker", "GainChanges"]),
    ("delay scout", ["DelayScout"]),
    ("drift tracker", ["DriftTracker"]),
    ("linear canceller: what connects these", ["LinearCanceller", "FarEnd", "MicrophoneWindow", "FilterPair"]),
    ("suppressor: analysis", ["Suppressor.analyze", "Suppressor.spread"]),
    ("suppressor: residual echo, and what connects these", ["ResidualEcho", "FullDuplexProcessor.process"]),
    ("suppressor: presence of the near end", ["NearEndPresence"]),
    ("suppressor: network", ["LearnedGains"]),
    ("suppressor: harmonics", ["HarmonicComb", "LowBand"]),
    ("suppressor: gains", ["Suppressor.suppress", "EchoOnlyPass"]),
    ("suppressor: synthesis", ["OverlapAdd"]),
    ("voice detection", ["VoiceDetector"]),
    ("gain control, talking while muted", ["ChainEnds.end", "GainControl", "TalkWatch", "LeakedEcho"]),
    ("meters", ["EchoMeter", "CaptureMeters", "CapturePath.tell", "SequenceCell"]),
  ]
  private static let careful = "careful filter", fast = "fast filter"

  static var names: [String] { claims.map(\.name) + [other] }

  /// Divides what the capture path has cost.
  static func divide(_ profile: CallgrindProfile) throws -> [String: Double] {
    let process = mangled("CapturePath.process") + "10microphone"
    // The compiler may split small parts off, whose symbols begin alike.
    let entries = profile.calls.filter { $0.key.callee.hasPrefix(process) }
    guard let root = entries.max(by: { $0.value.instructions < $1.value.instructions })?.key.callee else {
      throw BenchError("callgrind saw no call of CapturePath.process")
    }
    // The filters are one type: the careful one is processed first, and calls by itself what the fast one is made to call.
    let adaptations = profile.calls.keys.filter { isOfCanceller($0) && $0.callee.hasPrefix(mangled("KalmanFilter.adapt")) }
    let firstAdaptation = adaptations.map(\.address).min()
    guard Set(adaptations.map(\.address)).count == 2 || adaptations.isEmpty else {
      throw BenchError("the canceller does not adapt two filters, one after the other")
    }
    let parts = claims.flatMap { claim in claim.parts.map { (claim.name, mangled($0)) } }
    let costs = profile.divide(below: root, first: other) { site in
      if isOfCanceller(site) {
        let callee = site.callee
        if callee.hasPrefix(mangled("KalmanFilter.adapt")) { return site.address == firstAdaptation ? careful : fast }
        if callee.hasPrefix(mangled("KalmanFilter.predict")) { return callee.contains("6offset") ? careful : fast }
        if callee.hasPrefix(mangled("KalmanFilter.chooseBins")) { return fast }
        if callee.hasPrefix(mangled("KalmanFilter.passThrough")) { return careful }
      }
      return parts.first { site.callee.hasPrefix($0.1) }?.0
    }
    let all = Double(profile.calls(of: root).instructions), found = costs.values.reduce(0, +)
    guard abs(found - all) < 1e-3 * all else { throw BenchError("the stages have \(found) instructions, and the capture path \(all)") }
    return costs
  }

  /// Whether a call comes from outside the filters. Which function of the canceller makes it depends on what is inlined.
  private static func isOfCanceller(_ site: CallgrindProfile.Site) -> Bool { !site.caller.hasPrefix(mangled("KalmanFilter")) }

  /// Returns how the symbols of a structure's functions begin, of all of them or of one.
  static func mangled(_ name: String) -> String {
    let parts = name.split(separator: ".").map { "\($0.utf8.count)\($0)" }
    return "$s12RealtimeCore" + parts[0] + "V" + (parts.count > 1 ? parts[1] : "")
  }

  /// Returns the least instructions per hop of the stages whose arithmetic is known, while both ends talk.
  static func floors(_ transforms: Transforms) -> [String: Double] {
    // Bins below 11 kHz, because those above are silent in speech, and rows of the careful filter: 13 partitions, and 6 of saturation. It
    // learns every second hop, and constrains one row of 16 each time; the fast filter, with 8 rows, learns every hop, one of 32.
    let bins = 472.0, rows = (careful: 19.0, fast: 8.0)
    let predict = 14 * bins / 16, update = 32 * bins / 16
    let constraint = transforms.long.inverse + transforms.long.forward
    let carefully: Double = (transforms.long.forward + rows.careful / 16 * constraint + rows.careful * update) / 2
    let quickly: Double = transforms.long.forward + rows.fast / 32 * constraint + rows.fast * update
    // Every four hops: spectra of three terms, their echoes through eight partitions, and twelve products.
    let echoes: Double = 24 * 8 * bins / 16, products: Double = 12 * 5 * bins / 16
    return [
      "loudspeaker's model, saturation": (3 * transforms.long.forward + echoes + products) / 4,
      "reference spectra": 2 * transforms.long.forward,
      careful: transforms.long.inverse + carefully + rows.careful * predict,
      fast: transforms.long.inverse + quickly + rows.fast * predict,
      "bands, mixture of the filters": 3 * transforms.short,
      // The residual's each hop, the estimated echo's every second one.
      "suppressor: analysis": 1.5 * transforms.suppressor.forward,
      "suppressor: synthesis": transforms.suppressor.inverse,
    ]
  }

  /// Returns the same while the far end is silent.
  static func silentFloors(_ transforms: Transforms) -> [String: Double] {
    ["suppressor: analysis": transforms.suppressor.forward, "suppressor: synthesis": transforms.suppressor.inverse]
  }
}

/// The instructions of a transform: of 2,048 samples by the filters and by the suppressor, which needs all bins of 1,536 samples and
/// silence, and of 512 by the bands.
struct Transforms {
  let long, suppressor: (forward: Double, inverse: Double)
  let short: Double

  init(_ profile: CallgrindProfile) throws {
    func each(_ direction: String, _ caller: String) throws -> Double {
      let calls = profile.calls(of: "nearend_fourier_\(direction)", from: Stage.mangled(caller))
      guard calls.count > 0 else { throw BenchError("callgrind saw no transform of \(caller)") }
      return Double(calls.instructions) / Double(calls.count)
    }
    long = (try each("first_bins", "KalmanFilter"), try each("inverse", "KalmanFilter"))
    suppressor = (try each("analyze", "Suppressor"), try each("inverse", "OverlapAdd"))
    short = try each("analyze", "BandSpectrum")
  }

  var description: String {
    func both(_ transform: (forward: Double, inverse: Double)) -> String {
      "\(grouped(transform.forward)) and \(grouped(transform.inverse))"
    }
    return "forward and inverse, of 2,048 samples: \(both(long)); of the suppressor's: \(both(suppressor)); of 512: \(grouped(short))"
  }
}
