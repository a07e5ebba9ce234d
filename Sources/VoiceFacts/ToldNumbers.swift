extension Float {
  /// The measured value; nil for NaN, which on the audio thread says that it is unknown. [any]
  package var known: Float? { isNaN ? nil : self }

  /// The number with the fewest digits that is this one as a `Float`: 0.3, where a conversion would say 0.30000001192092896. [any]
  package var inFewestDigits: Double { Double("\(self)") ?? Double(self) }
}
