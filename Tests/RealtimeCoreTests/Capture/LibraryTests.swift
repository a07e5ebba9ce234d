import Foundation
import Testing

@testable import RealtimeCore

@Suite("The library of voice processing")
struct LibraryTests {
  /// The version that pkg-config reports, from the files that the build uses; nil if it does not know the package.
  private func version(of package: String) throws -> String? {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../.build-pkgconfig")
    let file = folder.appending(path: "\(package).pc")
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
    return text.split(separator: "\n").first { $0.hasPrefix("Version: ") }.map { String($0.dropFirst("Version: ".count)) }
  }

  @Test("V7: the newest webrtc-audio-processing known to pkg-config is used, and named")
  func newestGeneration() throws {
    let generations = [("webrtc-audio-processing-2", "2."), ("webrtc-audio-processing-1", "1."), ("webrtc-audio-processing", "0.3")]
    let newest = try generations.lazy.compactMap { package, number in
      try self.version(of: package).map { (number: number, version: $0) }
    }.first
    let found = try #require(newest, "none of the three is installed")
    #expect(found.version.hasPrefix(found.number), "a package of another generation: \(found.version)")
    #expect(CapturePath.library.hasPrefix("webrtc-audio-processing \(found.number)"), "\(CapturePath.library)")
  }
}
