import SessionModel
import Testing

@Suite("Call history")
struct CallHistoryTests {
  private func points(_ count: Int, every interval: Double = CallHistory.interval) -> [HistoryPoint] {
    (1...count).map { number in
      var point = HistoryPoint(number: UInt64(number), time: 1_000 + Double(number) * interval)
      point.erle = Double(number)
      point.xruns = number % 10 == 0 ? 1 : 0
      return point
    }
  }

  @Test("U5: ten minutes are kept, and who has seen some is told only the others")
  func keepsTenMinutes() {
    var history = CallHistory()
    for point in points(10_000) { history.append(contentsOf: [point]) }
    #expect(history.points.last?.number == 10_000)
    #expect(history.points.count >= CallHistory.capacity && history.points.count < CallHistory.capacity * 5 / 4)
    #expect(history.after(9_990).points.map(\.number) == Array(9_991...10_000))
    #expect(history.after(10_000).points.isEmpty)
    var copy = history.after(9_000)
    copy.append(contentsOf: history.after(8_000).points)
    #expect(copy.points.first?.number == 9_001, "what is known already is not taken twice")
  }

  @Test("U5: a span has as many columns as asked for; the largest value of each, or the sum; the newest at the end")
  func columns() {
    let columns = HistoryColumns(CallHistory(points(300)), span: 60, count: 30)
    #expect(columns.largest(\.erle).map { $0 ?? 0 } == (1...30).map { Double($0 * 10) })
    #expect(columns.sums { $0.xruns } == [Int](repeating: 1, count: 30))
    let wide = HistoryColumns(CallHistory(points(300)), span: 12, count: 120).largest(\.erle)
    #expect(wide.count == 120 && wide.last == 300 && wide.dropFirst(2).allSatisfy { $0 != nil }, "columns narrower than a point repeat it")
  }

  @Test("U5: a pause is a gap as long as it was")
  func gap() {
    var late = points(100)
    for index in late.indices.suffix(50) { late[index].time += 30 }
    let values = HistoryColumns(CallHistory(late), span: 60, count: 60).largest(\.erle)
    #expect(values[21..<48].allSatisfy { $0 == nil })
    #expect(values.suffix(9).allSatisfy { $0 != nil })
  }

  @Test("U5: levels survive being packed to half a dB, and are clamped", arguments: [-200.0, -120, -60.2, -0.1, 0, 20])
  func scale(level: Double) {
    #expect(abs(SpectrogramScale.level(SpectrogramScale.byte(level)) - min(max(level, -120), 7.5)) <= 0.5)
  }
}
