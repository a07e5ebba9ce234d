import Foundation
import Testing

@testable import SimulatedHardware

/// The Makefile, with test doubles for the programs that it calls.
@Suite("make")
struct MakeTests {
  @Test("O1: make run prints nothing but what the program prints: what a build says goes to standard error")
  func runPrintsTheDocumentAlone() throws {
    let place = try EmptyPlace()
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized.path
    let files = FileManager.default
    try files.copyItem(atPath: "\(package)/Makefile", toPath: "\(place.path)/Makefile")
    for (path, script) in [
      ("Scripts/install-dependencies", "echo 'nothing to install' >&2"), ("Scripts/swift", "echo \"Building: $*\""),
      (".build/release/nearend", "echo \"{\\\"arguments\\\":\\\"$*\\\"}\""),
    ] {
      let file = URL(fileURLWithPath: "\(place.path)/\(path)")
      try files.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try "#!/bin/sh\n\(script)\n".write(to: file, atomically: true, encoding: .utf8)
      try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
    let result = try place.start("make", ["--directory", place.path, "--no-print-directory", "run", "ARGS=devices --json"])
      .result()
    #expect(result.exit == .status(0), "\(result.errors)")
    #expect(result.output == "{\"arguments\":\"devices --json\"}\n")
    #expect(result.errors.contains("Building: build --configuration release --product nearend"))
  }
}
