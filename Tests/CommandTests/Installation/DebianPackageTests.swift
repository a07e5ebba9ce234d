import Foundation
import Testing

@testable import SimulatedHardware

/// The result of `make deb` with a stand-in for the release program, which runs this build's and links libpipewire.
@Suite("Debian package", .serialized)
struct DebianPackageTests {
  private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized.path
  private static let manualPages = URL(fileURLWithPath: nearendProgram).deletingLastPathComponent().path + "/ManualPages"

  /// Whether this machine can build and install Debian packages.
  private static let isDebian = ["dpkg", "dpkg-deb", "dpkg-shlibdeps"].allSatisfy {
    (try? Program.find($0, path: ProcessInfo.processInfo.environment["PATH"] ?? "")) != nil
  }

  /// Compiles the stand-in; returns its path.
  private func program(_ place: EmptyPlace) throws -> String {
    let (source, program) = ("\(place.path)/program.c", "\(place.path)/nearend")
    try """
    #include <pipewire/pipewire.h>
    #include <unistd.h>
    int main(int count, char **arguments) {
      return pw_get_library_version() == 0 || execv("\(nearendProgram)", arguments);
    }
    """.write(toFile: source, atomically: true, encoding: .utf8)
    let build = "cc -o \(program) \(source) $(pkg-config --cflags --libs libpipewire-0.3)"
    let built = try place.start("sh", ["-c", build]).result()
    try #require(built.succeeded, "\(built)")
    return program
  }

  private func makeDeb(_ place: EmptyPlace, program: String, _ variables: [String: String] = [:]) throws -> ToolResult {
    try place.start(
      "make",
      [
        "--no-print-directory", "--directory", Self.package, "deb", "PROGRAM=\(program)", "MANUAL=\(Self.manualPages)",
        "OUTPUT=\(place.path)/deb",
      ], variables
    ).result(timeout: 120)
  }

  private func files(_ folder: String) throws -> Set<String> {
    Set(try FileManager.default.subpathsOfDirectory(atPath: folder).filter { !$0.hasPrefix("var") })
  }

  @Test(
    "O5: make deb tells the libraries and the size in the package; dpkg installs it and finds it whole; purged, nothing stays",
    .enabled(if: isDebian))
  func package() throws {
    let place = try EmptyPlace()
    let made = try makeDeb(place, program: try program(place))
    try #require(made.succeeded, "\(made)")
    let deb = try #require(made.output.split(separator: "\n").last.map(String.init))
    #expect(deb.hasPrefix("\(place.path)/deb/nearend_") && deb.hasSuffix(".deb"), "\(deb)")

    func field(_ name: String) throws -> String {
      try place.start("dpkg-deb", ["--field", deb, name]).result().output.split(separator: "\n").joined()
    }
    let depends = try field("Depends").split(separator: ", ").map { $0.prefix { $0 != " " } }
    #expect(Set(depends).isSuperset(of: ["libpipewire-0.3-modules", "libspa-0.2-modules", "pipewire", "wireplumber"]), "\(depends)")
    #expect(depends.contains { $0.hasPrefix("libpipewire-0.3-0") } && depends.contains("libc6"), "\(depends)")
    #expect(try field("Version").hasPrefix(try place.nearend("--version").output.split(separator: "\n").joined() + "-1+"))
    #expect(try #require(Int(try field("Installed-Size"))) > 0)

    let root = "\(place.path)/root"
    for folder in ["info", "updates"] {
      try FileManager.default.createDirectory(atPath: "\(root)/var/lib/dpkg/\(folder)", withIntermediateDirectories: true)
    }
    try Data().write(to: URL(fileURLWithPath: "\(root)/var/lib/dpkg/status"))
    // An empty system, without the package's dependencies.
    func dpkg(_ arguments: String...) throws -> ToolResult {
      let options = ["--root=\(root)", "--log=/dev/null", "--force-not-root", "--force-bad-path", "--force-depends"]
      return try place.start("dpkg", options + arguments).result()
    }
    let installed = try dpkg("--install", deb)
    #expect(installed.succeeded, "\(installed)")
    let files = try files(root)
    for file in [
      "bin/nearend", "share/man/man1/nearend.1.gz", "share/man/man5/nearend.toml.5.gz", "share/bash-completion/completions/nearend",
      "share/zsh/vendor-completions/_nearend", "share/fish/vendor_completions.d/nearend.fish", "lib/systemd/user/nearend.service",
      "share/doc/nearend/copyright", "share/doc/nearend/changelog.gz", "share/doc/nearend/examples/nearend.toml",
    ] { #expect(files.contains("usr/\(file)"), "\(file)") }
    #expect(!files.contains("usr/share/nearend"), "dpkg has its own list")
    let verified = try dpkg("--verify", "nearend")
    #expect(verified.succeeded && verified.output.isEmpty, "\(verified)")
    let purged = try dpkg("--purge", "nearend")
    #expect(purged.succeeded, "\(purged)")
    #expect(try self.files(root) == [])
  }

  @Test("O5: make deb refuses to make a package of more than 30 MB, and says what it may be", .enabled(if: isDebian))
  func tooLarge() throws {
    let place = try EmptyPlace()
    let program = try program(place)
    #expect(truncate(program, 40_000_000) == 0)
    let made = try makeDeb(place, program: program, ["KEEP_SYMBOLS": "1"])
    #expect(!made.succeeded && made.errors.contains("kB would be installed, and 30000 is the most"), "\(made)")
    #expect(try files("\(place.path)/deb") == [])
  }
}
