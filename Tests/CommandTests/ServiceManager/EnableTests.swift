import Foundation
import Testing

/// `nearend enable` and `disable`, in front of a systemctl that answers as told.
@Suite("Service: enable, disable")
struct EnableTests {
  /// A place whose systemctl notes what it is asked, and fails for the verbs given, with "refused".
  private static func place(failing: String = "", hasSystemd: Bool = true) throws -> (place: EmptyPlace, asked: () -> [String]) {
    let place = try EmptyPlace(["PATH": "{place}/bin"])
    let tool = "\(place.path)/bin/systemctl", notes = "\(place.path)/asked"
    try FileManager.default.createDirectory(atPath: "\(place.path)/bin", withIntermediateDirectories: true)
    if hasSystemd {
      let script =
        "#!/bin/sh\necho \"$*\" >>'\(notes)'\ncase \" \(failing) \" in *\" $2 \"*) echo 'refused: \u{1B}[31mno' >&2; exit 1 ;; esac\n"
      #expect(FileManager.default.createFile(atPath: tool, contents: Data(script.utf8), attributes: [.posixPermissions: 0o755]))
    }
    return (place, { ((try? String(contentsOfFile: notes, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init) })
  }

  @Test("O6: nearend enable and disable switch the user's unit, at once and for every login", arguments: ["enable", "disable"])
  func switches(verb: String) throws {
    let (place, asked) = try Self.place()
    let result = try place.nearend(verb)
    #expect(result.exit == .status(0), "\(result.errors)")
    #expect(asked().last == "--user \(verb) --now nearend.service")
    #expect(result.output.contains(verb == "enable" ? "after every login" : "does not start at login"))
  }

  @Test("O6: without systemd, its user manager or the unit, nearend enable says what to do, and changes nothing")
  func whatToDo() throws {
    let none = try Self.place(hasSystemd: false)
    let first = try none.place.nearend("enable")
    #expect(first.exit == .status(69))
    #expect(first.errors.contains("there is no systemd here") && first.errors.contains("nearend --headless --wait"), "\(first.errors)")

    let silent = try Self.place(failing: "show-environment")
    let second = try silent.place.nearend("enable")
    #expect(second.exit == .status(69))
    #expect(second.errors.contains("does not answer: refused") && second.errors.contains("nearend --headless --wait"), "\(second.errors)")
    #expect(!second.errors.contains("\u{1B}"))

    let unknown = try Self.place(failing: "cat")
    let third = try unknown.place.nearend("enable")
    #expect(third.exit == .status(69))
    #expect(third.errors.contains("make install"), "\(third.errors)")
    #expect(unknown.asked().allSatisfy { !$0.contains("--now") })
  }

  @Test("O6: without systemd, its user manager or the unit, nearend disable says that nothing starts at login, not how to start it")
  func nothingToEnd() throws {
    for (place, fact) in [
      (try Self.place(hasSystemd: false), "there is no systemd here"),
      (try Self.place(failing: "show-environment"), "does not answer: refused"),
      (try Self.place(failing: "cat"), "knows no nearend.service"),
    ] {
      let result = try place.place.nearend("disable")
      #expect(result.exit == .status(69) && result.errors.contains(fact), "\(result.errors)")
      #expect(!result.errors.contains("--wait") && !result.errors.contains("make install"), "\(result.errors)")
      #expect(place.asked().allSatisfy { !$0.contains("--now") })
    }
    let none = try Self.place(hasSystemd: false).place.nearend("disable")
    #expect(none.errors.contains("take it out of what starts your session"), "\(none.errors)")
  }

  @Test("O6: what systemd refuses is said in its words, with where to look")
  func refused() throws {
    let (place, _) = try Self.place(failing: "enable")
    let result = try place.nearend("enable")
    #expect(result.exit == .status(1))
    #expect(result.errors.contains("systemd could not enable it: refused") && result.errors.contains("journalctl"), "\(result.errors)")
  }
}
