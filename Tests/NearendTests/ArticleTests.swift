import Foundation
import Testing

@Suite("The code in the documentation")
struct ArticleTests {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let root = tests.appending(path: "../..")

  private static func articles() throws -> [URL] {
    let folder = root.appending(path: "Sources/Nearend/Nearend.docc")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "md" } + [root.appending(path: "Documentation/library.md")]
  }

  /// Returns the library's sources.
  private static func sources() throws -> [URL] {
    let folder = root.appending(path: "Sources/Nearend")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    return files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
  }

  /// Returns the lines without indentation, and without comments after code, whose alignment differs. Of a source, those of its doc
  /// comments.
  private static func lines(_ file: URL, ofDocComments: Bool = false) throws -> [Substring] {
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let texts = ofDocComments ? lines.map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("///") }.map { $0.dropFirst(3) } : lines
    return texts.map { line in
      let line = line.drop { $0 == " " }
      guard let comment = line.firstRange(of: " //") else { return line }
      return line[..<(line[..<comment.lowerBound].lastIndex { $0 != " " }.map(line.index(after:)) ?? comment.lowerBound)]
    }
  }

  @Test("L1: every line of code in the articles, in the library's guide and in its doc comments is compiled, in its place")
  func compiles() throws {
    let code = try Self.lines(Self.tests.appending(path: "ArticleCode.swift"))
    let texts =
      try Self.articles().map { ($0, try Self.lines($0)) } + Self.sources().map { ($0, try Self.lines($0, ofDocComments: true)) }
    var count = 0
    for (file, lines) in texts {
      for var block in lines.split(separator: "```swift").dropFirst().map({ Array($0.prefix { $0 != "```" }) }) {
        if block.first == "import Nearend" { block.removeFirst(2) }
        count += 1
        #expect(
          code.indices.contains { code[$0...].starts(with: block) },
          "not compiled, in \(file.lastPathComponent): \(block.joined(separator: "\n"))")
      }
    }
    #expect(count >= 17)
  }

  @Test(
    "L1: what a program begins with shows how it is used: session, call, output and manual rendering",
    arguments: [
      "Calls/Session/AudioSession", "Calls/Call", "Calls/CallOutput", "Manual/ManualRenderer",
    ])
  func showsItsUse(_ name: String) throws {
    let lines = try Self.lines(Self.root.appending(path: "Sources/Nearend/\(name).swift"), ofDocComments: true)
    #expect(lines.contains("```swift"), "\(name) has no example in its doc comment")
  }
}
