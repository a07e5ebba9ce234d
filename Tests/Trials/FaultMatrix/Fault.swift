import ArgumentParser

/// A fault, or a change that should do no harm.
enum Fault: String, CaseIterable, ExpressibleByArgument {
  case speaker, microphone
  case headphonesIn = "headphones-in"
  case headphonesOut = "headphones-out"
  case usbIn = "usb-in"
  case usbOut = "usb-out"
  case interfaceIn = "interface-in"
  case interfaceOut = "interface-out"
  case bluetoothIn = "bluetooth-in"
  case bluetoothOut = "bluetooth-out"
  case hdmiIn = "hdmi-in"
  case hdmiOut = "hdmi-out"
  case replug
  case lastDevice = "last-device"
  case phone, sleep, seat
  /// Before WirePlumber ends: an old one that is restarted links no program with virtual devices that are there.
  case loopback
  case pipewire
  case pipewireKilled = "pipewire-killed"
  case wireplumber
  case wireplumberKilled = "wireplumber-killed"
  case sessionBus = "session-bus"
  case systemBus = "system-bus"
  case pulse
  case frozen
  case driver
  case quantum, rate, xruns

  /// The description for the table.
  var words: String {
    switch self {
    case .speaker: "another speaker becomes the default"
    case .microphone: "another microphone becomes the default"
    case .headphonesIn: "headphones plugged in"
    case .headphonesOut: "headphones pulled out, then resumed"
    case .usbIn: "USB headset plugged in"
    case .usbOut: "USB headset pulled out, then resumed"
    case .interfaceIn: "interface of four inputs plugged in"
    case .interfaceOut: "interface of four inputs pulled out"
    case .bluetoothIn: "Bluetooth headset connects"
    case .bluetoothOut: "Bluetooth headset gone, then resumed"
    case .hdmiIn: "television plugged in"
    case .hdmiOut: "television pulled out"
    case .replug: "sound card vanishes and comes back with other ids"
    case .lastDevice: "last device lost and found"
    case .phone: "a phone's stream runs (media.role=Phone)"
    case .sleep: "sleep and resume"
    case .seat: "another login session has the seat"
    case .pipewire: "PipeWire restarted, with all that hangs on it"
    case .pipewireKilled: "PipeWire killed (SIGKILL)"
    case .wireplumber: "WirePlumber restarted"
    case .wireplumberKilled: "WirePlumber killed (SIGKILL)"
    case .sessionBus: "session's D-Bus lost and back"
    case .systemBus: "system's D-Bus lost and back"
    case .pulse: "pipewire-pulse restarted"
    case .frozen: "PipeWire stands still (SIGSTOP)"
    case .driver: "the device that drives the graph stops"
    case .quantum: "quantum changed to 256"
    case .rate: "graph's rate changed to 44.1 kHz"
    case .xruns: "five xruns, PipeWire late by 50 ms each"
    case .loopback: "a loopback from Nearend Microphone to Nearend Speaker"
    }
  }

  var endsDaemon: Bool { self == .pipewire || self == .pipewireKilled }
  var isHeadphonesGone: Bool { self == .headphonesOut || self == .usbOut || self == .bluetoothOut }

  /// Whether nearend recovers in default mode without any action, so that the whole gap counts.
  var endsByItself: Bool { self == .replug || self == .driver }

  /// The longest allowed gap in seconds: of a switch, after the daemon's return, or after the end of an interruption.
  var limit: Double {
    switch self {
    case .pipewire, .pipewireKilled, .wireplumber, .wireplumberKilled, .sessionBus, .systemBus, .pulse, .frozen: 2
    // 2 s for detection, 0.5 s for recovery.
    case .driver: 2.5
    // A canceller for the new rate has to be made first.
    case .rate: 0.5
    case .lastDevice, .phone, .sleep, .seat, .replug: 1
    default: 0.15
    }
  }

  /// An aspect of survival in a cell.
  enum Aspect: String { case gap, filter, devices, ring, canceller }

  /// Why an aspect legitimately does not survive; nil if it has to.
  func explanation(_ aspect: Aspect, _ traffic: Traffic) -> String? {
    switch (self, aspect) {
    case (.pipewire, .filter), (.pipewire, .devices), (.pipewireKilled, .filter), (.pipewireKilled, .devices):
      "nodes live in the daemon and end with it; filter and devices are recreated, with the same names"
    case (.driver, .filter): "a filter whose graph stands still is rebuilt (I5); the devices stay"
    default: nil
    }
  }
}
