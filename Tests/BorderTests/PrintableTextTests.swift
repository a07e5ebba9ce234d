import Border
import Testing

@Suite("Text and numbers from outside")
struct PrintableTextTests {
  @Test("X1: no control, bidirectional or line-breaking character is left of a text")
  func controls() {
    #expect("\u{1B}[2J\u{7}\r\nnearend: all is well".printable() == "\u{FFFD}[2J\u{FFFD}\u{FFFD}\u{FFFD}nearend: all is well")
    // CSI of the second control set, an override, a line separator, a tag and NUL.
    for scalar in ["\u{9B}", "\u{202E}", "\u{2066}", "\u{2028}", "\u{2029}", "\u{E0041}", "\0", "\u{7F}", "\u{85}", "\u{FEFF}"] {
      #expect("a\(scalar)b".printable() == "a\u{FFFD}b")
    }
  }

  @Test("X1: names that people give are left as they are")
  func names() {
    for name in ["alsa_output.pci-0000_00_1f.3.analog-stereo", "Kopfhörer von Jürgen", "耳机", "सुनने", "👩‍💻", ""] {
      #expect(name.printable() == name)
    }
  }

  @Test("X1: a text has a bounded length, whatever it is made of")
  func length() {
    #expect(String(repeating: "x", count: 65_536).printable().unicodeScalars.count == 256)
    #expect(String(repeating: "x", count: 65_536).printable().hasSuffix("x…"))
    #expect(("e" + String(repeating: "\u{301}", count: 65_536)).printable().unicodeScalars.count == 256)
    #expect(String(repeating: "x", count: 256).printable() == String(repeating: "x", count: 256))
    #expect(String(repeating: "ä", count: 256).printable() == String(repeating: "ä", count: 256))
  }

  @Test("X1: a text of lines keeps its lines and nothing else")
  func lines() { #expect("a\n\u{1B}b\n\nc\r".printableLines() == "a\n\u{FFFD}b\n\nc\u{FFFD}") }

  @Test("X1: every number becomes a whole one")
  func numbers() {
    #expect(Int(bounded: .infinity) == 1_000_000_000_000_000 && Int(bounded: -.infinity) == -1_000_000_000_000_000)
    #expect(Int(bounded: .nan) == 0 && Int(bounded: 2.5) == 3 && Int(bounded: 1e300) == 1_000_000_000_000_000)
  }
}
