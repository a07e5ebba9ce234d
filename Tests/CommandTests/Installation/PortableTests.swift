import Foundation
import Testing

@testable import SimulatedHardware

// The archive is for x86-64 alone.
#if arch(x86_64)
  /// The archive of `make portable`, with a stand-in for the release program, which runs this build's and links libpipewire.
  @Suite("Portable archive", .serialized)
  struct PortableTests {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized.path
    private static let manualPages = URL(fileURLWithPath: nearendProgram).deletingLastPathComponent().path + "/ManualPages"

    private let place: EmptyPlace
    private var home: String { place.path }

    init() throws { place = try EmptyPlace() }

    /// Compiles a program that links the libraries; returns its path.
    private func program(_ libraries: String) throws -> String {
      let (source, program) = ("\(place.path)/program.c", "\(place.path)/program")
      try """
      #include <unistd.h>
      const char *pw_get_library_version(void), *cairo_version_string(void);
      int main(int count, char **arguments) {
        if (count < 0) { pw_get_library_version(); CAIRO; }
        return execv("\(nearendProgram)", arguments);
      }
      """.write(toFile: source, atomically: true, encoding: .utf8)
      let cairo = libraries.contains("cairo") ? "'-DCAIRO=cairo_version_string()'" : "-DCAIRO="
      let built = try place.start("sh", ["-c", "cc \(cairo) -o \(program) \(source) $(pkg-config --libs \(libraries))"]).result()
      try #require(built.succeeded, "\(built)")
      return program
    }

    private func make(_ program: String) throws -> ToolResult {
      let arguments = ["portable", "PROGRAM=\(program)", "MANUAL=\(Self.manualPages)", "OUTPUT=\(place.path)/made"]
      return try place.start("make", ["--no-print-directory", "--directory", Self.package] + arguments).result(timeout: 120)
    }

    /// Makes and unpacks the archive; returns its folder.
    private func unpacked() throws -> String {
      let made = try make(try program("libpipewire-0.3"))
      try #require(made.succeeded, "\(made)")
      let archive = try #require(made.output.split(separator: "\n").last.map(String.init))
      let version = try place.nearend("--version").output.split(separator: "\n").joined()
      #expect(archive == "\(place.path)/made/nearend-\(version)-x86_64.tar.gz")
      #expect(try place.start("tar", ["-xzf", archive, "-C", place.path]).result().succeeded)
      return "\(place.path)/nearend-\(version)-x86_64"
    }

    private func files(below folder: String) throws -> Set<String> {
      Set(try FileManager.default.subpathsOfDirectory(atPath: folder))
    }

    /// Runs a script of the archive in a home of its own, where `missing` are commands that are not there.
    private func run(_ script: String, _ arguments: String..., missing: [String] = []) throws -> ToolResult {
      let tools = "\(place.path)/tools-\(UUID())"
      try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
      for folder in ["/usr/bin", "/usr/sbin"] {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where !missing.contains(name) {
          try? FileManager.default.createSymbolicLink(atPath: "\(tools)/\(name)", withDestinationPath: "\(folder)/\(name)")
        }
      }
      return try place.start(script, arguments, ["HOME": "\(home)/home", "PATH": tools]).result()
    }

    @Test("O5: install.sh puts everything below ~/.local, its unit starts it there; installed again it is the same; removed, nothing stays")
    func installAndUninstall() throws {
      let folder = try unpacked()
      try FileManager.default.createDirectory(atPath: "\(home)/home", withIntermediateDirectories: true)
      let installed = try run("\(folder)/install.sh")
      try #require(installed.succeeded, "\(installed)")
      #expect(installed.errors.contains(".local/bin is not on your PATH"), "\(installed.errors)")
      let local = "\(home)/home/.local"
      let files = try files(below: local)
      for file in [
        "bin/nearend", "share/man/man1/nearend.1", "share/man/man5/nearend.toml.5", "share/bash-completion/completions/nearend",
        "share/zsh/site-functions/_nearend", "share/fish/vendor_completions.d/nearend.fish", "share/systemd/user/nearend.service",
        "share/applications/nearend.desktop", "share/doc/nearend/examples/nearend.toml", "share/nearend/install.sh",
      ] { #expect(files.contains(file), "\(file)") }
      let unit = try String(contentsOfFile: "\(local)/share/systemd/user/nearend.service", encoding: .utf8)
      #expect(unit.contains("\nExecStart=\(local)/bin/nearend --headless --wait\n"))
      #expect(try place.start("\(local)/bin/nearend", ["--version"]).result().output == place.nearend("--version").output)
      #expect(try run("\(folder)/install.sh").succeeded)
      #expect(try self.files(below: local) == files)

      // A file of somebody else's stays, and what enabled the unit goes.
      try "theirs".write(toFile: "\(local)/share/man/man1/other.1", atomically: true, encoding: .utf8)
      let wants = "\(home)/home/.config/systemd/user/default.target.wants"
      try FileManager.default.createDirectory(atPath: wants, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: "\(wants)/nearend.service", withDestinationPath: "\(local)/share/systemd/user/nearend.service")
      let removed = try run("\(local)/share/nearend/install.sh", "--uninstall")
      #expect(removed.succeeded, "\(removed)")
      #expect(try self.files(below: local) == ["share", "share/man", "share/man/man1", "share/man/man1/other.1"])
      #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: "\(wants)/nearend.service")) == nil)
      let again = try run("\(folder)/install.sh", "--uninstall")
      #expect(!again.succeeded && again.errors.contains("nothing of nearend's is installed"), "\(again)")
    }

    @Test("O5: what is missing is named with its package; where it is needed, nothing is installed")
    func missing() throws {
      let folder = try unpacked()
      let refused = try run("\(folder)/install.sh", missing: ["wireplumber"])
      #expect(refused.exit == .status(1))
      #expect(refused.errors.contains("wireplumber: its session manager"), "\(refused.errors)")
      #expect(refused.errors.contains("install wireplumber") || refused.errors.contains("-S wireplumber"), "\(refused.errors)")
      #expect(!FileManager.default.fileExists(atPath: "\(home)/home"))
      let installed = try run("\(folder)/install.sh", missing: ["espeak-ng"])
      #expect(installed.succeeded)
      #expect(installed.errors.contains("it works without") && installed.errors.contains("espeak-ng: voices of a rehearsal"))
      for wrong in [["--prefix", "relative"], ["--prefix"], ["--nonsense"]] {
        let result = try place.start("\(folder)/install.sh", wrong, ["HOME": "\(home)/other"]).result()
        #expect(result.exit == .status(1) && result.errors.hasPrefix("nearend: "), "\(result)")
      }
    }

    @Test("O5: with DESTDIR it is laid out for a package, and no list is kept; a program that links more than is listed is refused")
    func packaged() throws {
      let folder = try unpacked()
      let root = "\(place.path)/root"
      let laid = try place.start("\(folder)/install.sh", ["--prefix", "/usr"], ["DESTDIR": root]).result()
      #expect(laid.succeeded, "\(laid)")
      let files = try files(below: root)
      #expect(files.isSuperset(of: ["usr/bin/nearend", "usr/lib/systemd/user/nearend.service", "usr/share/man/man1/nearend.1"]))
      #expect(!files.contains("usr/share/nearend"))
      let refused = try make(try program("libpipewire-0.3 cairo"))
      #expect(
        !refused.succeeded && refused.errors.contains("needs libcairo.so.2, which Packaging/dependencies does not list"), "\(refused)")
    }
  }
#endif
