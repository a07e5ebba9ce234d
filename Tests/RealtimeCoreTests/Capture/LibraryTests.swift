import Foundation
import TestSupport
import Testing

@testable import RealtimeCore

@Suite("The library of voice processing")
struct LibraryTests {
  /// A folder that is removed with the test.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "nearend-library-\(UUID())").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  /// The first of the known files that the dynamic linker finds.
  private static let newest = WebRTCLibrary.files.first { name in
    guard let handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else { return false }
    dlclose(handle)
    return true
  }

  /// Where a library is that the dynamic linker finds by its name.
  private func path(of file: String) throws -> String {
    let folders = ["x86_64-linux-gnu", "aarch64-linux-gnu"].map { "/usr/lib/\($0)" } + ["/usr/lib64", "/usr/lib", "/usr/local/lib"]
    return try #require(folders.map { "\($0)/\(file)" }.first { FileManager.default.fileExists(atPath: $0) })
  }

  @Test("V7: the newest webrtc-audio-processing that is installed is loaded, and named by its generation")
  func newestGeneration() throws {
    let newest = try #require(Self.newest, "none is installed, and the tests need one: Scripts/install-dependencies unit")
    let library = try #require(WebRTCLibrary.installed)
    #expect(library.file == newest)
    let generations = [
      "libwebrtc-audio-processing-2.so.1": "2.1", "libwebrtc-audio-processing-1.so.3": "1.3", "libwebrtc_audio_processing.so.1": "0.3",
    ]
    #expect(generations[newest].map { "webrtc-audio-processing \($0)" } == library.name)
    #expect(CapturePath.library == library.name)
  }

  @Test("V7: what is not the library is passed over, and without one the engine is refused with what to install, while nearend's goes on")
  func missing() throws {
    _ = try #require(WebRTCLibrary.installed)
    let (empty, other) = (try Folder(), try Folder())
    #expect(WebRTCLibrary.find(empty.path) == nil)
    #expect(WebRTCLibrary.find("") == nil)
    for (index, file) in WebRTCLibrary.files.enumerated() {
      let path = "\(other.path)/\(file)"
      // No library at all, and one without its functions.
      if index == 0 { try Data("no library".utf8).write(to: URL(fileURLWithPath: path)) }
      if index == 1 { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: self.path(of: "libc.so.6")) }
    }
    #expect(WebRTCLibrary.find(other.path) == nil)
    let newest = try #require(Self.newest)
    try FileManager.default.createSymbolicLink(atPath: "\(empty.path)/\(newest)", withDestinationPath: self.path(of: newest))
    #expect(WebRTCLibrary.find("\(other.path):\(empty.path)")?.name == WebRTCLibrary.installed?.name)

    let controls = CaptureControls()
    #expect(throws: CapturePathError.libraryMissing) { _ = try WebRTCChain(nil, rate: 48_000, controls: controls.cells) }
    for words in ["webrtc-audio-processing", "apt install", "dnf install", "pacman -S"] {
      #expect(CapturePathError.libraryMissing.description.contains(words))
    }
  }
}
