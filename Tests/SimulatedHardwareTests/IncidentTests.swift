import Foundation
import Testing

@testable import SimulatedHardware

@Suite("Incidents")
struct IncidentTests {
  @Test("O3: a script is incidents at their times, in the order of time, with remarks and empty lines")
  func reading() throws {
    let script = try IncidentScript(
      """
      # a call in a café
      4 rename usb My Headset
      2.0 unplug headphones   # pulled out

      2.0 plug bluetooth
      0.5 profile bluetooth headset-head-unit
      7 freeze pipewire
      8 session inactive
      """)
    #expect(script.entries.map(\.time) == [0.5, 2, 2, 4, 7, 8])
    #expect(
      script.entries.map(\.incident) == [
        .profile(.bluetooth, name: "headset-head-unit"), .jack(.headphones, isPlugged: false), .plug(.bluetooth),
        .rename(.usb, description: "My Headset"), .freeze(.pipewire), .session(isActive: false),
      ])
  }

  @Test("O3: an incident's text form parses back to the incident")
  func lines() throws {
    let lines = [
      "plug usb", "unplug bluetooth", "replug laptop", "plug headphones", "unplug tv", "profile bluetooth off",
      "route laptop analog-output-speaker",
      "rename usb My Headset", "stop systemBus", "start pulse", "freeze pipewire", "thaw wireplumber", "xruns 3", "sleep", "wake",
      "session active",
      "session inactive", "lock", "unlock",
    ]
    for line in lines { #expect(try Incident(line).line == line) }
  }

  @Test(
    "O3: a line that cannot be read is named with its number",
    arguments: ["unplug headphones", "-1 sleep", "nan sleep", "3 unplug gramophone", "3 xruns 0", "3 session", "3 profile usb", "3"])
  func refusing(line: String) {
    let error = sessionError { try IncidentScript("1 sleep\n\(line)") }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("line 2") == true)
    #expect(error?.remedy.isEmpty == false)
  }

  @Test("O3: start NAME starts that daemon, and with PipeWire those that end with it; others stay as they are")
  func startsByName() throws {
    let session = try deskSession(.laptop)
    try session.perform(.stop(.wireplumber))
    try session.perform(.start(.bus))
    #expect(!session.isRunning(.wireplumber) && session.isRunning(.bus))
    try session.perform(.start(.wireplumber))
    #expect(session.isRunning(.wireplumber))
    try session.perform(.stop(.pipewire))
    #expect(!session.isRunning(.pipewire) && !session.isRunning(.wireplumber))
    try session.perform(.start(.pipewire))
    #expect(session.isRunning(.pipewire) && session.isRunning(.wireplumber))
  }

  @Test("O3: a script is carried out in its session; impossible incidents are reported, and the rest goes on")
  func running() throws {
    let session = try deskSession(.laptop)
    let script = try IncidentScript("0.02 plug headphones\n0 profile usb off\n0 rename usb My Headset\n0.01 sleep")
    let told = Told()
    script.run(in: session, epoch: monotonicSeconds(), isCancelled: { false }, told: { told.add($0, $1) })
    try session.wait(for: "the script to end") { told.all.count == 4 }
    #expect(
      told.all.map(\.0) == [
        .profile(.usb, name: "off"), .rename(.usb, description: "My Headset"), .sleep, .jack(.headphones, isPlugged: true),
      ])
    #expect(told.all.map { $0.1?.code } == [.invalidRequest, .invalidRequest, .invalidRequest, nil])
    #expect(session.desk?.card(.laptop)?.route("analog-output-headphones")?.availability == .yes)
  }

  private final class Told: @unchecked Sendable {
    private let lock = NSLock()
    private var entries: [(Incident, SessionError?)] = []
    func add(_ incident: Incident, _ error: SessionError?) { lock.withLock { entries.append((incident, error)) } }
    var all: [(Incident, SessionError?)] { lock.withLock { entries } }
  }
}
