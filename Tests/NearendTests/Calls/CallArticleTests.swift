import Foundation
import Testing

@Suite("The article about calls")
struct CallArticleTests {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let sources = tests.appending(path: "../../../Sources")

  private func lines(_ file: URL) throws -> [Substring] {
    try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.drop { $0 == " " } }
  }

  @Test("L1: every line of code in the article is compiled, in its place")
  func compiles() throws {
    let article = try lines(Self.sources.appendingPathComponent("Nearend/Nearend.docc/Calls.md"))
    let code = try lines(Self.tests.appendingPathComponent("ArticleCode.swift"))
    var blocks = article.split(separator: "```swift").dropFirst().map { Array($0.prefix { $0 != "```" }) }
    blocks.removeAll(where: \.isEmpty)
    #expect(blocks.count == 6)
    for block in blocks {
      #expect(code.indices.contains { code[$0...].starts(with: block) }, "not compiled: \(block.joined(separator: "\n"))")
    }
  }
}
