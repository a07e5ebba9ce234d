import Foundation
import Testing

@testable import SimulatedHardware

/// The files that `make install` puts below a test folder, with the programs of this debug build in place of the release build's.
@Suite("Installation", .serialized)
struct InstallTests {
  private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized.path
  private static let manualPages = URL(fileURLWithPath: nearendProgram).deletingLastPathComponent().path + "/ManualPages"
  private static let commands = [
    "rehearse", "process", "devices", "status", "attach", "get", "set", "toggle", "mute", "unmute", "use", "activate", "deactivate",
    "resume", "sink", "source", "call", "hang-up", "send", "play-into-mic", "listen", "preset", "events", "diagnostics", "metrics",
    "plot", "doctor", "config", "reset", "isolation", "stage", "enable", "disable", "tray",
  ]

  private func make(_ target: String, in place: EmptyPlace, _ variables: String...) throws -> ToolResult {
    let arguments = [
      "--no-print-directory", "--directory", Self.package, target, "PROGRAM=\(nearendProgram)", "MANUAL=\(Self.manualPages)",
    ]
    return try place.start("make", arguments + variables, ["KEEP_SYMBOLS": "1"]).result()
  }

  /// The relative paths of every file below a folder, and with `folders` of every folder, too.
  private func contents(_ folder: String, folders: Bool = false) throws -> Set<String> {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
    var isFolder = ObjCBool(false)
    return Set(
      paths.filter { FileManager.default.fileExists(atPath: "\(folder)/\($0)", isDirectory: &isFolder) && (folders || !isFolder.boolValue) }
    )
  }

  private func text(_ file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

  /// The words of a manual page, without its layout.
  private func words(ofPage text: String) -> String {
    text.replacing("\\-", with: "-").replacing("\\(aq", with: "'").replacing(/\\f[BIR]/, with: "")
  }

  @Test(
    "O5: make install puts program, manual pages, completions, unit, desktop entry and icon below DESTDIR; make uninstall leaves nothing")
  func installAndUninstall() throws {
    let place = try EmptyPlace()
    let root = "\(place.path)/root"
    let installed = try make("install", in: place, "DESTDIR=\(root)", "PREFIX=/opt/ne")
    #expect(installed.succeeded, "\(installed)")
    let files = try contents(root)
    var expected: Set = [
      "bin/nearend", "share/man/man1/nearend.1", "share/bash-completion/completions/nearend", "share/zsh/site-functions/_nearend",
      "share/fish/vendor_completions.d/nearend.fish", "lib/systemd/user/nearend.service", "share/applications/nearend.desktop",
      "share/icons/hicolor/scalable/apps/nearend.svg", "share/man/man5/nearend.toml.5", "share/nearend/installed",
    ]
    expected.formUnion(["idle", "active", "muted", "alarm"].map { "share/icons/hicolor/symbolic/apps/nearend-\($0)-symbolic.svg" })
    let nested = ["sink-add", "sink-remove", "sink-list", "config-path", "config-check", "config-show"]
    expected.formUnion((Self.commands + nested).map { "share/man/man1/nearend-\($0).1" })
    #expect(Set(expected.map { "opt/ne/\($0)" }).subtracting(files) == [])
    // There may be more pages and examples than these.
    #expect(
      files.allSatisfy { expected.contains(String($0.dropFirst(7))) || $0.contains("/man/man") || $0.contains("/examples/") }, "\(files)")
    let program = "\(root)/opt/ne/bin/nearend"
    #expect(try place.start(program, ["--version"]).result().output == place.nearend("--version").output)
    #expect(try text("\(root)/opt/ne/lib/systemd/user/nearend.service").contains("\nExecStart=/opt/ne/bin/nearend --headless --wait\n"))

    // Installing is idempotent, and other files stay.
    #expect(try make("install", in: place, "DESTDIR=\(root)", "PREFIX=/opt/ne").succeeded)
    #expect(try contents(root) == files)
    try "theirs".write(toFile: "\(root)/opt/ne/share/man/man1/other.1", atomically: true, encoding: .utf8)
    let removed = try make("uninstall", in: place, "DESTDIR=\(root)", "PREFIX=/opt/ne")
    #expect(removed.succeeded, "\(removed)")
    #expect(try contents(root) == ["opt/ne/share/man/man1/other.1"])
    let again = try make("uninstall", in: place, "DESTDIR=\(root)", "PREFIX=/opt/ne")
    #expect(!again.succeeded && again.errors.contains("nothing of nearend's is installed"), "\(again)")
  }

  @Test("O5: make uninstall takes the folders that make install made, and no others; a home has its unit where its manager looks")
  func folders() throws {
    let place = try EmptyPlace()
    let root = "\(place.path)/root"
    try FileManager.default.createDirectory(atPath: "\(root)/home/me/.local/bin", withIntermediateDirectories: true)
    #expect(try make("install", in: place, "DESTDIR=\(root)", "PREFIX=/home/me/.local").succeeded)
    #expect(FileManager.default.fileExists(atPath: "\(root)/home/me/.local/share/systemd/user/nearend.service"))
    #expect(try make("uninstall", in: place, "DESTDIR=\(root)", "PREFIX=/home/me/.local").succeeded)
    #expect(try contents(root, folders: true) == ["home", "home/me", "home/me/.local", "home/me/.local/bin"])
  }

  @Test("O5: a relative PREFIX or DESTDIR, or a program that is not there, is refused, and nothing is installed")
  func badArguments() throws {
    let place = try EmptyPlace()
    let root = "\(place.path)/root"
    for (variables, words) in [
      (["PREFIX=usr"], "give an absolute path"), (["DESTDIR=root"], "give an absolute path"), (["PROGRAM=/nonexistent"], "is not there"),
    ] {
      let result = try place.start(
        "make",
        ["--no-print-directory", "--directory", Self.package, "install", "PROGRAM=\(nearendProgram)", "MANUAL=\(Self.manualPages)"]
          + (variables[0].hasPrefix("DESTDIR") ? [] : ["DESTDIR=\(root)"]) + variables
      ).result()
      #expect(!result.succeeded && result.errors.contains(words), "\(result)")
      #expect(!FileManager.default.fileExists(atPath: root))
    }
  }

  @Test("O5: the manual pages name every option, argument and command of --help, and are what man reads without a complaint")
  func manualPagesAreWhole() throws {
    let place = try EmptyPlace()
    #expect(try make("install", in: place, "DESTDIR=\(place.path)/root", "PREFIX=/usr").succeeded)
    let folder = "\(place.path)/root/usr/share/man/man1"
    let man = (try? Program.find("man", path: place.environment["PATH"] ?? "")) != nil
    for command in [[]] + Self.commands.map({ [$0] }) + ["add", "remove", "list"].map({ ["sink", $0] })
      + ["path", "check", "show"].map({ ["config", $0] }) + ["install", "status", "remove"].map({ ["isolation", $0] })
      + ["add", "list", "set", "remove", "inspect"].map({ ["stage", $0] }) + ["save", "load", "list", "remove"].map({ ["preset", $0] })
    {
      let name = (["nearend"] + command).joined(separator: "-")
      let page = words(ofPage: try text("\(folder)/\(name).1"))
      let help = try place.nearend(command + ["--help"], ["COLUMNS": "400"]).output
      // Only the first column of the lists: descriptions mention other commands.
      let listed = help.split(separator: "\n").compactMap { $0.wholeMatch(of: #/  (\S.*?)(?:  +.*)?/#)?.1 }
      let options = listed.flatMap { $0.matches(of: /--?[a-z][a-z-]*/).map { String($0.0) } }
      #expect(options.contains("--help"), "\(help)")
      for option in options { #expect(page.contains("\(option)"), "\(name): \(option)") }
      let arguments = help.matches(of: #/\n  <([a-z-]+)>/#).map { String($0.1) }
      for argument in arguments { #expect(page.contains("\n\(argument)\n"), "\(name): \(argument)") }
      let subcommands = help.matches(of: #/\n  ([a-z][a-z-]+)  /#).map { String($0.1) }
      for subcommand in subcommands { #expect(page.contains("\(name)-\(subcommand)(1)"), "\(name): \(subcommand)") }
      if command.isEmpty { #expect(subcommands.count == Self.commands.count, "\(subcommands)") }
      guard man else { continue }
      let shown = try place.start("man", ["--warnings", "--local-file", "\(folder)/\(name).1"], ["MANWIDTH": "80"]).result()
      #expect(shown.succeeded && shown.errors.isEmpty, "\(name): \(shown.errors)")
      #expect(shown.output.contains("OPTIONS") && shown.output.contains("--help"), "\(shown.output)")
    }
    let first = words(ofPage: try text("\(folder)/nearend.1"))
    for section in ["EXIT STATUS", "FILES", "ENVIRONMENT", "SEE ALSO"] { #expect(first.contains("\n.SH \(section)\n"), "\(section)") }
    #expect(first.contains("  75  another nearend, or another nearend tray, runs in this session\n"))
  }

  @Test("O4, O5: nearend.toml(5) names every key with its default, and man reads it without a complaint")
  func configurationPage() throws {
    let place = try EmptyPlace()
    #expect(try make("install", in: place, "DESTDIR=\(place.path)/root", "PREFIX=/usr").succeeded)
    let file = "\(place.path)/root/usr/share/man/man5/nearend.toml.5"
    let page = words(ofPage: try text(file))
    let keys = try text("\(Self.package)/Resources/nearend.toml").matches(of: /\n#([A-Za-z]+) = (.*)/)
    #expect(keys.count > 20)
    for key in keys { #expect(page.contains("\n\(key.1)\n") && page.contains("default: \(key.2))"), "\(key.1)") }
    #expect(page.contains("\n.SH BY DEVICE\n") && page.contains("[device.\"bluez_*\"]"))
    guard (try? Program.find("man", path: place.environment["PATH"] ?? "")) != nil else { return }
    let shown = try place.start("man", ["--warnings", "--local-file", file], ["MANWIDTH": "80"]).result()
    #expect(shown.succeeded && shown.errors.isEmpty, "\(shown.errors)")
  }

  @Test("O5: completions know every command, and their shells take them", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) throws {
    let place = try EmptyPlace()
    let script = try place.nearend("--generate-completion-script", shell).output
    for command in Self.commands { #expect(script.contains(command), "\(command)") }
    guard (try? Program.find(shell, path: place.environment["PATH"] ?? "")) != nil else { return }
    let file = "\(place.path)/completion"
    try script.write(toFile: file, atomically: true, encoding: .utf8)
    let checked = try place.start(shell, [shell == "fish" ? "--no-execute" : "-n", file]).result()
    #expect(checked.succeeded && checked.errors.isEmpty, "\(checked)")
  }

  @Test("O6: systemd takes the installed unit without a complaint, and desktops the entry")
  func unit() throws {
    let place = try EmptyPlace()
    let prefix = "\(place.path)/prefix"
    #expect(try make("install", in: place, "PREFIX=\(prefix)").succeeded)
    // Where a user's systemd looks if the prefix is below the home folder.
    let unit = "\(prefix)/share/systemd/user/nearend.service"
    for line in ["Type=notify", "Restart=on-failure", "After=pipewire.socket pipewire.service wireplumber.service"] {
      #expect(try text(unit).contains("\n\(line)\n"), "\(line)")
    }
    for (tool, arguments) in [
      ("systemd-analyze", ["verify", "--user", "--man=no", unit]),
      ("desktop-file-validate", ["\(prefix)/share/applications/nearend.desktop"]),
    ] where (try? Program.find(tool, path: place.environment["PATH"] ?? "")) != nil {
      let result = try place.start(tool, arguments).result()
      #expect(result.succeeded && result.output.isEmpty && result.errors.isEmpty, "\(tool): \(result)")
    }
  }
}
