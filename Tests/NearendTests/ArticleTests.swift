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

  /// Returns the lines without indentation, and without comments after code, whose alignment differs.
  private static func lines(_ file: URL) throws -> [Substring] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let line = line.drop { $0 == " " }
      guard let comment = line.firstRange(of: " //") else { return line }
      return line[..<(line[..<comment.lowerBound].lastIndex { $0 != " " }.map(line.index(after:)) ?? comment.lowerBound)]
    }
  }

  @Test("L1: every line of code in the articles and in the library's guide is compiled, in its place")
  func compiles() throws {
    let code = try Self.lines(Self.tests.appending(path: "ArticleCode.swift"))
    var count = 0
    for article in try Self.articles() {
      for var block in try Self.lines(article).split(separator: "```swift").dropFirst().map({ Array($0.prefix { $0 != "```" }) }) {
        if block.first == "import Nearend" { block.removeFirst(2) }
        count += 1
        #expect(
          code.indices.contains { code[$0...].starts(with: block) },
          "not compiled, in \(article.lastPathComponent): \(block.joined(separator: "\n"))")
      }
    }
    #expect(count >= 12)
  }
}
