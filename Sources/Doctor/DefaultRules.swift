import SessionModel

/// How programs that choose no device come to use nearend, and what keeps them from it.
func defaultFindings(_ facts: DoctorFacts) -> [Finding] {
  guard let defaults = facts.status?.route.defaults else { return [] }
  if let obstacle = defaults.reason {
    let isOff = defaults.effective == .off
    return [
      Finding(
        "default-devices", isOff ? .harm : .fine,
        isOff
          ? "nearend is to be a smart filter, which the session manager does not understand"
          : "programs that choose no device use nearend, whose devices are the session's defaults",
        evidence: [obstacle], remedy: isOff ? "let it be the default where that is so: nearend set default auto" : nil)
    ]
  }
  guard defaults.effective == .smart else { return [] }
  guard defaults.bypasses.isEmpty else {
    return [
      Finding(
        "default-devices", .harm, "programs reach the device without nearend, through a filter that has the device as its target",
        evidence: defaults.bypasses.map { "the smart filter \($0) has a filter.smart.target, and nearend has none" },
        remedy: "take filter.smart.target out of that filter's properties: programs then go through it, then through nearend")
    ]
  }
  return [
    Finding(
      "default-devices", .fine, "programs that choose no device go through nearend, a smart filter",
      evidence: ["the session's defaults stay the real devices; wpctl status lists nearend's below Filters"])
  ]
}
