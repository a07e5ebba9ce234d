import Foundation
import SessionModel
import Testing

@testable import SimulatedHardware

@Suite("A rehearsal's desk", .serialized)
struct RehearsedDeskTests {
  @Test("O3, U1: keys plug and unplug while the dashboard is live, and the help names them")
  func keys() throws {
    let terminal = try Terminal(in: try EmptyPlace(), "rehearse", "--desk")
    try terminal.expect("ACTIVE", "Rehearsal")
    try terminal.type("?")
    try terminal.expect("P U W T Z S", "headphones, USB, wireless headset, TV, sleep, seat")
    try terminal.type("?", "F3")
    try terminal.expect("built-in speaker")
    try terminal.type("P")
    try terminal.expect("headphones, plugged in")
    try terminal.type("P")
    try terminal.expect("PAUSED: headphones unplugged")
    try terminal.type("r", "U")
    try terminal.expect("USB Headset")
    try terminal.type("Z")
    try terminal.expect("INTERRUPTED", "the machine sleeps")
    try terminal.type("Z")
    try terminal.expect("ACTIVE")
    try terminal.type("q")
    try terminal.expectEnd()
    #expect(terminal.exitStatus == 0)
  }

  @Test("O3: a script's incidents happen at their times, and are in the log; so is what is not possible")
  func script() throws {
    let place = try EmptyPlace()
    let file = "\(place.path)/incidents"
    try "0 plug headphones\n0.2 unplug usb\n0.25 rename usb My Headset\n0.3 profile usb off # not there".write(
      toFile: file, atomically: true, encoding: .utf8)
    let running = try place.startNearend("rehearse", "--desk", "--incidents", file, "--headless", "--json")
    #expect(running.says("desk: profile usb off is not possible"))
    #expect(running.errors.contains("desk: rename usb My Headset is not possible: the desk has no usb to rename"))
    #expect(running.says("nearend > headphones, was builtInMic > nearend > builtInSpeaker: newDeviceAvailable"))
    #expect(!running.errors.contains("simulated desk: keys"), "there are no keys without a dashboard")
    running.process.signal(SIGTERM)
    #expect(running.process.wait() == .status(0))
    let status = try running.status()
    #expect(status.route.current.outputs.first?.portType == .headphones)
    #expect(status.log.contains { $0.message == "desk: plug headphones" })
  }

  @Test("O3: a script that cannot be read ends with 66 and its line, one without a desk with 64")
  func wrongScripts() throws {
    let place = try EmptyPlace()
    let file = "\(place.path)/incidents"
    try "1 plug usb\n2 plug gramophone".write(toFile: file, atomically: true, encoding: .utf8)
    let wrong = try place.nearend("rehearse", "--desk", "--incidents", file, "--headless")
    #expect(wrong.exit == .status(66))
    #expect(wrong.errors.contains("line 2"))
    let missing = try place.nearend("rehearse", "--desk", "--incidents", "\(place.path)/none", "--headless")
    #expect(missing.exit == .status(66))
    #expect(missing.errors.contains("--incidents \(place.path)/none: it cannot be read (No such file or directory); give"))
    let deskless = try place.nearend("rehearse", "--incidents", file, "--headless")
    #expect(deskless.exit == .status(64))
    #expect(deskless.errors.contains("--desk"))
  }
}
