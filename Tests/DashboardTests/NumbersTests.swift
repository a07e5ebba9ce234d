import SessionModel
import TestSupport
import Testing

@testable import DashboardView

@Suite struct NumbersTests {
  @Test("U1: numbers are rounded, signed and never minus zero")
  func fixed() {
    #expect(decimal(-23.449, 1) == "-23.4")
    #expect(decimal(9.96, 1) == "10.0")
    #expect(decimal(-0.04, 1) == "0.0")
    #expect(decimal(0.04, 1, sign: true) == "0.0")
    #expect(decimal(2.5, 0, sign: true) == "+3")
    #expect(decimal(1.005, 3) == "1.005")
    #expect(decimal(.nan, 1) == "-")
    #expect(decimal(-.infinity, 1) == "-")
  }

  @Test("U1: levels, gains, counts, times")
  func units() {
    #expect(Numbers.dBFS(-120) == "silent")
    #expect(Numbers.dBFS(-60) == "-60.0 dBFS")
    #expect(Numbers.gain(0) == "silent")
    #expect(Numbers.gain(2) == "+6.0 dB")
    #expect(Numbers.bytes(99_999) == "99999")
    #expect(Numbers.bytes(1_536_000) == "1.5M")
    #expect(Numbers.count(12_345_678) == "12M")
    #expect(Numbers.milliseconds(frames: 256, rate: 48_000) == "5.3 ms")
    #expect(Numbers.milliseconds(frames: 256, rate: 0) == "- ms")
    #expect(Numbers.duration(59.9) == "59 s")
    #expect(Numbers.duration(3_725) == "1 h 2 min")
    #expect(Numbers.clock(1_700_000_000, utcOffset: 0) == "22:13:20")
    #expect(Numbers.clock(1_700_000_000, utcOffset: 3_600 * 5 + 1_800) == "03:43:20")
    #expect(Numbers.clock(-1, utcOffset: 0) == "23:59:59")
  }

  @Test("U1: totals are readable in the table, however long a run is")
  func runs() {
    var sink = Sample.sink(0)
    for (consecutive, total, text) in [
      (2, 14, "2/14"), (99, 999, "99/999"), (118, 2_345, "118/2k"), (7, 9_999, "7/9999"), (12, 12_345, "12/12k"), (118, 12_345, "12k"),
      (4_000, 4_000, "4k/4k"), (118_000, 118_999, "118k"), (1, 9_990_000, "1/9.9M"), (50_000, 12_345_678, "12M"),
    ] as [(UInt64, UInt64, String)] {
      (sink.consecutiveDrops, sink.totalDrops) = (consecutive, total)
      (sink.consecutiveUnderruns, sink.totalUnderruns) = (consecutive, total)
      #expect(SinkColumn.drops.text(sink, rate: 48_000) == text)
      #expect(SinkColumn.underruns.text(sink, rate: 48_000) == text)
    }
  }

  @Test("U3: text is measured in columns and wrapped at spaces")
  func text() {
    #expect(CellText.width(of: "Zoë 🦊", set: .unicode) == 6)
    #expect(CellText.width(of: "e\u{301}\u{302}", set: .unicode) == 1)
    #expect(CellText.width(of: "漢字", set: .ascii) == 2)
    #expect(CellText.wrap("one two three", width: 8, set: .unicode) == ["one two ", "three"])
    #expect(CellText.wrap("abcdefghij", width: 4, set: .unicode) == ["abcd", "efgh", "ij"])
    #expect(CellText.wrap("漢字漢字", width: 5, set: .unicode) == ["漢字", "漢字"])
    #expect(CellText.wrap("", width: 5, set: .unicode) == [""])
  }
}
