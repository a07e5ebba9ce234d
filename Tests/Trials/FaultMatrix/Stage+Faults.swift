import Foundation
import Nearend
import SessionModel
import SimulatedHardware

/// Stages each fault: `prepare` it, `begin` it, wait until it `isInEffect`, `end` it if it lasts, and `restore` the former state.
extension Stage {
  private static let keys = ["default.configured.audio.sink", "default.configured.audio.source"]

  private func setDefaults(_ names: [String?]) throws {
    for (key, name) in zip(Self.keys, names) {
      if let name {
        _ = try session.run("pw-metadata", "0", key, "{ \"name\": \"\(name)\" }", "Spa:String:JSON")
      } else {
        _ = try session.run("pw-metadata", "-d", "0", key)
      }
    }
  }

  private func pick(_ speaker: String?, _ microphone: String?) {
    service.perform(.set(.speaker, .string(speaker ?? "")))
    service.perform(.set(.microphone, .string(microphone ?? "")))
  }

  private func isRoute(_ speaker: String, _ microphone: String? = nil) -> Bool {
    self.speaker == speaker && (microphone == nil || self.microphone == microphone)
  }

  private func hasDevice(_ name: String) -> Bool { now.route.devices.contains { $0.name == name } }

  func prepare(_ fault: Fault) throws {
    switch fault {
    case .speaker:
      desk.set(.television, isPlugged: true)
      try wait("the television") { hasDevice(Self.television) }
    case .microphone:
      try setDefaults([Self.laptopSpeaker, Self.laptopMicrophone])
      desk.plug(.usb)
      try wait("the USB headset") { hasDevice(Self.usbMicrophone) }
    case .usbIn: pick(Self.usbSpeaker, Self.usbMicrophone)
    case .interfaceIn: pick(Self.interfaceSpeaker, Self.interfaceMicrophone)
    case .hdmiIn: pick(Self.television, nil)
    // The owner chose it once, and the session manager has remembered.
    case .bluetoothIn: try setDefaults([Self.headsetSpeaker, Self.headsetMicrophone])
    case .headphonesOut, .usbOut, .interfaceOut, .hdmiOut, .bluetoothOut:
      let other: [Fault: Fault] = [
        .headphonesOut: .headphonesIn, .usbOut: .usbIn, .interfaceOut: .interfaceIn, .hdmiOut: .hdmiIn, .bluetoothOut: .bluetoothIn,
      ]
      guard let arrival = other[fault] else { return }
      try prepare(arrival)
      try begin(arrival)
      try wait("what is to be pulled out") { isInEffect(arrival, since: 0) && isLinked }
      let begin = monotonicSeconds()
      try wait("sound there") { sounds(for: 0.3, since: begin) }
    default: break
    }
  }

  func begin(_ fault: Fault) throws {
    switch fault {
    case .speaker: try setDefaults([Self.television])
    case .microphone: try setDefaults([Self.laptopSpeaker, Self.usbMicrophone])
    case .headphonesIn: desk.set(.headphones, isPlugged: true)
    case .headphonesOut: desk.set(.headphones, isPlugged: false)
    case .usbIn: desk.plug(.usb)
    case .usbOut: desk.unplug(.usb)
    case .interfaceIn: desk.plug(.interface)
    case .interfaceOut: desk.unplug(.interface)
    case .bluetoothIn: desk.plug(.bluetooth)
    case .bluetoothOut: desk.unplug(.bluetooth)
    case .hdmiIn: desk.set(.television, isPlugged: true)
    case .hdmiOut: desk.set(.television, isPlugged: false)
    case .replug:
      formerCard = cardSerials
      desk.replug(.laptop)
    case .lastDevice: desk.unplug(.laptop)
    case .phone:
      let arguments = ["--playback", "--media-role", "Phone", "--target", Self.laptopSpeaker, "\(session.path)/silence.wav"]
      programs.append(try session.spawn("pw-cat", arguments))
    case .sleep: login.prepareForSleep(true)
    case .seat: login.setActive(false)
    case .pipewire: session.stop(.pipewire, with: SIGTERM)
    case .pipewireKilled: session.stop(.pipewire)
    case .wireplumber: session.stop(.wireplumber, with: SIGTERM)
    case .wireplumberKilled: session.stop(.wireplumber)
    case .sessionBus: session.stop(.bus, isAlone: true)
    case .systemBus: session.stop(.systemBus)
    case .pulse: session.stop(.pulse)
    case .frozen: session.freeze(.pipewire)
    case .driver:
      formerFilter = ours["nearend"]
      driver = traffic == .idle ? Self.laptopSpeaker : now.graph.driver
      try session.stopDriver(driver)
    case .quantum: try session.force(quantum: 256)
    case .rate: try session.force(rate: 44_100)
    case .xruns: session.stormOfXruns(count: 5)
    case .loopback:
      programCount += 1
      let name = "loop.\(programCount)"
      func properties(_ end: String) -> String { "node.name=\(name).\(end) state.restore-target=false" }
      let arguments = ["-C", "nearend.microphone", "-P", "nearend.speaker"]
      let ends = ["--capture-props", properties("in"), "--playback-props", properties("out")]
      programs.append(try session.spawn("pw-loopback", arguments + ends))
      try wait("the loop to be seen") { now.log.contains { $0.message.hasPrefix("\(name).out plays Nearend Microphone back") } }
      try wait("the loopback to play into the real speaker alone") {
        let links = try session.links().keys.filter { $0.from.hasPrefix("\(name).out:") }
        return !links.isEmpty && links.allSatisfy { $0.to.hasPrefix("\(Self.laptopSpeaker):") }
      }
    }
  }

  /// Returns whether the fault has taken effect; `since`: the number of earlier interruptions.
  func isInEffect(_ fault: Fault, since interruptions: Int) -> Bool {
    let current = service.session.current.interruptions
    switch fault {
    case .speaker, .hdmiIn: return isRoute(Self.television)
    case .microphone: return isRoute(Self.laptopSpeaker, Self.usbMicrophone)
    case .headphonesIn: return output == .headphones
    case .headphonesOut: return output == .builtInSpeaker && isPaused
    case .usbIn: return isRoute(Self.usbSpeaker, Self.usbMicrophone)
    case .interfaceIn:
      let hearsInputs = !traffic.sends || now.route.microphoneInputs.count == 4
      return isRoute(Self.interfaceSpeaker, Self.interfaceMicrophone) && hearsInputs
    case .interfaceOut: return isRoute(Self.laptopSpeaker, Self.laptopMicrophone)
    case .usbOut, .bluetoothOut: return isRoute(Self.laptopSpeaker, Self.laptopMicrophone) && isPaused
    case .bluetoothIn:
      return traffic.sends
        ? output == .bluetoothHFP && isRoute(Self.headsetSpeaker, Self.headsetMicrophone) : output == .bluetoothA2DP
    case .hdmiOut: return isRoute(Self.laptopSpeaker)
    case .replug:
      let serials = cardSerials
      return serials.count == 2 && formerCard.allSatisfy { serials[$0.key] != $0.value } && speaker == Self.laptopSpeaker
    case .lastDevice, .wireplumber, .wireplumberKilled:
      return traffic == .idle ? speaker == nil : current.contains(.noDevice)
    case .phone: return current.contains(.role)
    case .sleep: return current.contains(.sleep) && now.graph.renderLinks == 0 && now.graph.captureLinks == 0
    case .seat: return current.contains(.sessionInactive) && now.graph.renderLinks == 0 && now.graph.captureLinks == 0
    case .pipewire, .pipewireKilled: return !now.graph.isConnected
    case .frozen: return traffic == .idle || self.interruptions.dropFirst(interruptions).contains("frozen")
    case .driver:
      let isFrozen = self.interruptions.dropFirst(interruptions).contains("frozen")
      return traffic == .idle || (mode.isManual ? isFrozen : isFrozen && ours["nearend"].map { $0 != formerFilter } ?? false)
    case .quantum: return traffic == .idle || now.graph.quantum == 256
    case .rate: return traffic == .idle || now.graph.rate == 44_100
    case .loopback: return now.graph.loops.isEmpty
    case .sessionBus, .systemBus, .pulse, .xruns: return true
    }
  }

  /// Ends a lasting fault; returns when it is over.
  func end(_ fault: Fault) throws {
    switch fault {
    case .lastDevice:
      desk.plug(.laptop)
      try wait("the session manager to set it up") { cardSerials.count == 2 }
    case .phone, .loopback: programs.popLast()?.end(grace: 1)
    case .sleep: login.prepareForSleep(false)
    case .seat: login.setActive(true)
    case .pipewire, .pipewireKilled:
      try session.start(.pipewire)
      try session.start(.wireplumber)
    case .wireplumber, .wireplumberKilled: try session.start(.wireplumber)
    case .sessionBus, .systemBus, .pulse: try session.start()
    case .frozen: session.thaw(.pipewire)
    case .driver: try session.startDriver(driver)
    default: break
    }
  }

  /// Restores everything else.
  func restore(_ fault: Fault) throws {
    switch fault {
    case .speaker:
      try setDefaults([nil])
      desk.set(.television, isPlugged: false)
    case .microphone:
      try setDefaults([Self.laptopSpeaker, Self.laptopMicrophone])
      try wait("the laptop's microphone") { microphone == Self.laptopMicrophone }
      desk.unplug(.usb)
      try setDefaults([nil, nil])
    case .headphonesIn: desk.set(.headphones, isPlugged: false)
    case .usbIn:
      pick(nil, nil)
      try wait("another device") { !isRoute(Self.usbSpeaker) || isLinked }
      desk.unplug(.usb)
    case .interfaceIn:
      pick(nil, nil)
      desk.unplug(.interface)
    case .usbOut, .interfaceOut, .hdmiOut: pick(nil, nil)
    case .bluetoothIn:
      desk.unplug(.bluetooth)
      try setDefaults([nil, nil])
    case .bluetoothOut: try setDefaults([nil, nil])
    case .hdmiIn:
      pick(nil, nil)
      desk.set(.television, isPlugged: false)
    case .quantum: try session.force(quantum: 0)
    case .rate: try session.force(rate: 0)
    case .pipewire, .pipewireKilled: try session.start()
    default: break
    }
    try wait("the speaker of before") { speaker == Self.laptopSpeaker && output == .builtInSpeaker }
    if now.route.isPausedAfterUnplug { service.perform(.resumeAfterUnplug) }
    if mode.isManual, traffic != .idle { activate() }
    try waitForBaseline()
  }

  /// Whether playback is paused if, and only if, somebody plays.
  private var isPaused: Bool { now.route.isPausedAfterUnplug == traffic.receives }

  private var cardSerials: [String: UInt64] { witness.serials { $0 == Self.laptopSpeaker || $0 == Self.laptopMicrophone } }
}
