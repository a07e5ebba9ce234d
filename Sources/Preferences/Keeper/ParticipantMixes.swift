/// The gain and mute with which participants begin, and what people make of them. Pure. [any]
struct ParticipantMixes: Sendable, Equatable {
  /// What each participant present was last given, or seen with.
  private(set) var present: [String: ParticipantMix] = [:]

  /// Returns what a participant begins with: what nearend.toml says, or else the gain that people gave it.
  static func start(of id: String, in layers: Layers) -> ParticipantMix {
    let said = layers.configuration.participant(id)
    return ParticipantMix(gain: said.gain ?? layers.remembered.gain(of: id) ?? 1, isMuted: said.isMuted ?? false)
  }

  mutating func came(_ id: String, in layers: Layers) -> [PreferenceEffect] {
    let start = Self.start(of: id, in: layers)
    present[id] = start
    return [.setMix(id, start)]
  }

  /// Remembers a gain that differs from the last known one: somebody has changed it.
  mutating func changed(_ id: String, to mix: ParticipantMix, remembered: inout Remembered) -> [PreferenceEffect] {
    let isSomebodys = present[id].map { abs($0.gain - mix.gain) > 1e-4 } ?? false
    present[id] = mix
    guard isSomebodys else { return [] }
    let gain = (mix.gain * 1e4).rounded() / 1e4
    remembered.setGain(gain, of: id)
    return [.rememberGain(id, gain)]
  }

  mutating func left(_ id: String) { present[id] = nil }

  /// Gives the participants whose remembered gain is another now, or is forgotten, what holds instead; a mute stays.
  mutating func gainsChanged(from old: Remembered, to new: Layers) -> [PreferenceEffect] {
    present.keys.sorted().compactMap { id in
      guard old.gain(of: id) != new.remembered.gain(of: id), var mix = present[id] else { return nil }
      let gain = Self.start(of: id, in: new).gain
      guard gain != mix.gain else { return nil }
      mix.gain = gain
      present[id] = mix
      return .setMix(id, mix)
    }
  }

  /// Gives the participants of which the layers say something else what they say now.
  mutating func layersChanged(from old: Layers, to new: Layers) -> [PreferenceEffect] {
    present.keys.sorted().compactMap { id in
      let start = Self.start(of: id, in: new)
      guard start != Self.start(of: id, in: old) else { return nil }
      present[id] = start
      return .setMix(id, start)
    }
  }
}
